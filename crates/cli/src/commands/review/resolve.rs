use clap::Args;
use skein_engine::review;

use super::settle::{SettleArgs, settle};
use crate::commands::Context;
use crate::error::CliError;

/// Settles threads, with a last word if there is one.
///
/// An agent's resolve always carries a comment. Where the setting `review.agents_may_resolve` is `false`, an agent's resolve is a reply
/// and the thread stays open.
#[derive(Args, Debug)]
pub(crate) struct ResolveArgs {
    #[command(flatten)]
    settle: SettleArgs,
}

pub(super) fn run_resolve(context: &mut Context<'_>, args: &ResolveArgs) -> Result<u8, CliError> {
    settle(context, &args.settle, review::resolve)
}
