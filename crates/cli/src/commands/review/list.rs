use clap::Args;

use crate::commands::Context;
use crate::commands::list::{ListArgs, run_list_placed};
use crate::error::CliError;

/// Lists review threads, the last changed first, each at the place where its code is now.
///
/// Takes the filters of `skein list`: `status:open`, `file:src`, `author:mira`, `waiting:agent`, `since:2w`.
#[derive(Args, Debug)]
pub(crate) struct ReviewListArgs {
    #[command(flatten)]
    list: ListArgs,

    /// The comments that are not submitted yet instead.
    #[arg(long)]
    drafts: bool,
}

pub(super) fn run_review_list(
    context: &mut Context<'_>,
    args: &ReviewListArgs,
) -> Result<u8, CliError> {
    run_list_placed(context, &args.list, args.drafts)
}
