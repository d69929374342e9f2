use clap::Args;
use skein_catalog::{ShowError, show_review};
use skein_review::ReplyOptions;

use super::{AuthorArgs, CliContext, report};
use crate::commands::message::MessageArgs;
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

pub(super) fn run_reply(context: &mut CliContext<'_>, args: &ReplyArgs) -> CliResult {
    args.message.read_stdin(context)?;
    let workspace = &context.workspace;
    let thread = skein_review::find(workspace, &args.id)?;
    let about = if args.message.needs_editor() {
        let shown = show_review(workspace, &thread).map_err(ShowError::from)?;
        view::plain(&shown, context.output.clock)
    } else {
        String::new()
    };
    let message = args.message.text(context, "", &about)?;
    let actor = args.author.actor(context);
    let options = ReplyOptions { resolve: args.resolve, keep_resolved: args.keep_resolved };
    let workspace = &context.workspace;
    let done = skein_review::reply(workspace, &actor, &thread, &message.text, options);
    let written = message.settle(done.map_err(CliError::from))?;
    report::print(context, &[written], &[])?;
    report::print_delivery_hint(context, &actor)
}
