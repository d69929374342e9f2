use clap::Args;
use skein_catalog::show;
use skein_review::ReplyOptions;

use super::message::MessageArgs;
use super::{AuthorArgs, CommandContext, report};
use crate::error::{CliError, CliResult};
use crate::render::view;

/// Replies to a thread.
///
/// A person's reply to a resolved thread reopens it, because it may be an objection.
#[derive(Args, Debug)]
pub(crate) struct ReplyArgs {
    /// The thread.
    #[arg(value_name = "ID")]
    id: String,

    #[command(flatten)]
    message: MessageArgs,

    /// Also resolves the thread.
    #[arg(long)]
    resolve: bool,

    /// Keeps a resolved thread resolved; by default a person's reply reopens it.
    #[arg(long, conflicts_with = "resolve")]
    keep_resolved: bool,

    #[command(flatten)]
    author: AuthorArgs,
}

pub(super) fn run_reply(context: &mut CommandContext<'_>, args: &ReplyArgs) -> CliResult {
    args.message.read_stdin(context)?;
    let id = skein_review::file_of(&context.workspace, &context.env, &args.id)?;
    let shown = show(&context.workspace, &context.env, &id)?;
    let message = args.message.text(context, "", &view::plain(&shown, context.output.clock))?;
    let actor = args.author.actor(context);
    let id = &shown.row.file;
    let options = ReplyOptions { resolve: args.resolve, keep_resolved: args.keep_resolved };
    let done =
        skein_review::reply(&context.workspace, &context.env, &actor, id, &message.text, options);
    let written = message.settle(done.map_err(CliError::from))?;
    report::print(context, &[written], &[])
}
