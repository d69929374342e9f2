//! What `resolve` and `reopen` have in common.

use clap::Args;
use skein_engine::review::{self, WriteError};
use skein_engine::view::Written;
use skein_engine::{Actor, Env, Workspace};

use super::message::MessageArgs;
use super::{AuthorArgs, report};
use crate::commands::Context;
use crate::error::CliError;

/// The last word on threads.
#[derive(Args, Debug)]
pub(super) struct SettleArgs {
    #[command(flatten)]
    message: MessageArgs,

    #[command(flatten)]
    author: AuthorArgs,
}

/// Changes the status of one thread.
type SetStatus = fn(&Workspace, &Env, &Actor, &str, Option<&str>) -> Result<Written, WriteError>;

/// Changes the status of all threads that are named, or of none where one of them cannot be written.
pub(super) fn settle(
    context: &mut Context<'_>,
    ids: &[String],
    args: &SettleArgs,
    set: SetStatus,
) -> Result<u8, CliError> {
    let text = args.message.optional(context)?;
    let actor = args.author.actor(context);
    let files = review::writable(&context.workspace, &context.env, ids)?;
    let mut written = Vec::new();
    for file in &files {
        match set(&context.workspace, &context.env, &actor, file, text.as_deref()) {
            Ok(one) => written.push(one),
            Err(error) => {
                report::print_until(context, &written)?;
                return Err(error.into());
            }
        }
    }
    report::print(context, &written, &[])
}
