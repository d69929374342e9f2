use clap::Args;
use skein_engine::review;

use super::message::MessageArgs;
use super::{AuthorArgs, report};
use crate::commands::Context;
use crate::error::CliError;

/// Settles threads, with a last word if there is one.
///
/// An agent's resolve always carries a comment. Where the setting `review.agents_may_resolve` is `false`, an agent's resolve is a reply
/// and the thread stays open.
#[derive(Args, Debug)]
pub(crate) struct ResolveArgs {
    /// The threads.
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,

    #[command(flatten)]
    message: MessageArgs,

    #[command(flatten)]
    author: AuthorArgs,
}

pub(super) fn run_resolve(context: &mut Context<'_>, args: &ResolveArgs) -> Result<u8, CliError> {
    let text = args.message.optional(context)?;
    let actor = args.author.actor(context);
    let files = review::writable(&context.workspace, &context.env, &args.ids)?;
    let mut written = Vec::new();
    for file in &files {
        let (workspace, env) = (&context.workspace, &context.env);
        match review::resolve(workspace, env, &actor, file, text.as_deref()) {
            Ok(one) => written.push(one),
            Err(error) => {
                report::print_until(context, &written)?;
                return Err(error.into());
            }
        }
    }
    report::print(context, &written, &[])
}
