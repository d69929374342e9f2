use clap::Args;
use skein_catalog::show;
use skein_review::ReplyOptions;

use super::message::MessageArgs;
use super::{AuthorArgs, report};
use crate::commands::Context;
use crate::error::CliError;
use crate::render::view;

/// Answers in a thread.
///
/// A person's reply to a resolved thread opens it again, because it may be an objection.
#[derive(Args, Debug)]
pub(crate) struct ReplyArgs {
    /// The thread.
    #[arg(value_name = "ID")]
    id: String,

    #[command(flatten)]
    message: MessageArgs,

    /// Resolves the thread too.
    #[arg(long)]
    resolve: bool,

    /// Leaves a resolved thread resolved; else a person's reply opens it again.
    #[arg(long, conflicts_with = "resolve")]
    keep_resolved: bool,

    #[command(flatten)]
    author: AuthorArgs,
}

pub(super) fn run_reply(context: &mut Context<'_>, args: &ReplyArgs) -> Result<u8, CliError> {
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
