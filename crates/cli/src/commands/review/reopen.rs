use clap::Args;
use skein_engine::review;

use super::message::MessageArgs;
use super::{AuthorArgs, report};
use crate::commands::Context;
use crate::error::CliError;

/// Opens threads again that were resolved.
#[derive(Args, Debug)]
pub(crate) struct ReopenArgs {
    /// The threads.
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,

    #[command(flatten)]
    message: MessageArgs,

    #[command(flatten)]
    author: AuthorArgs,
}

pub(super) fn run_reopen(context: &mut Context<'_>, args: &ReopenArgs) -> Result<u8, CliError> {
    let text = args.message.optional(context)?;
    let actor = args.author.actor(context);
    let files = review::writable(&context.workspace, &context.env, &args.ids)?;
    let mut written = Vec::new();
    for file in &files {
        let (workspace, env) = (&context.workspace, &context.env);
        match review::reopen(workspace, env, &actor, file, text.as_deref()) {
            Ok(one) => written.push(one),
            Err(error) => {
                report::print_until(context, &written)?;
                return Err(error.into());
            }
        }
    }
    report::print(context, &written, &[])
}
