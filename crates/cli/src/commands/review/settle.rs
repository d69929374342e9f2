//! What `resolve` and `reopen` have in common.

use clap::Args;
use skein_format::review::Status;
use skein_model::view::WriteResult;
use skein_review::Settled;

use super::message::MessageArgs;
use super::{AuthorArgs, report};
use crate::commands::Context;
use crate::error::CliError;
use crate::terminal::one_line;

/// The last word on threads.
#[derive(Args, Debug)]
pub(super) struct SettleArgs {
    #[command(flatten)]
    message: MessageArgs,

    #[command(flatten)]
    author: AuthorArgs,
}

/// Changes the status of all threads that are named, or of none where one of them cannot be written.
pub(super) fn settle(
    context: &mut Context<'_>,
    ids: &[String],
    args: &SettleArgs,
    status: Status,
) -> Result<u8, CliError> {
    let text = args.message.optional(context)?;
    let actor = args.author.actor(context);
    let files = skein_review::writable(&context.workspace, &context.env, ids, status)?;
    let text = text.as_deref();
    let Settled { written, error } =
        skein_review::settle(&context.workspace, &context.env, &actor, &files, text, status);
    if let Some(error) = error {
        report::print_until(context, &written)?;
        return Err(error.into());
    }
    let notes: Vec<String> = written.iter().filter_map(unchanged).collect();
    report::print(context, &written, &notes)
}

/// Says of a thread that got a reply alone that it had the status already.
fn unchanged(written: &WriteResult) -> Option<String> {
    let is_so = written.action == "replied";
    is_so.then(|| format!("{} was {} already.", one_line(&written.at), written.status))
}
