use clap::Args;

use crate::commands::Context;
use crate::commands::list::{ListArgs, run_list_of, work_elsewhere};
use crate::error::CliError;

/// Lists checkpoints, the last changed first.
///
/// Takes the filters of `skein list`: `tag:http`, `type:handoff`, `branch:main`, `commit:1a2b3c4`, `file:src`, `since:2w`,
/// `until:yesterday`.
#[derive(Args, Debug)]
pub(crate) struct CheckpointListArgs {
    #[command(flatten)]
    list: ListArgs,
}

pub(super) fn run_checkpoint_list(
    context: &mut Context<'_>,
    args: &CheckpointListArgs,
) -> Result<u8, CliError> {
    let code = run_list_of(context, &args.list, skein_model::Kind::Checkpoint)?;
    if !context.output.json && !args.list.has_all_worktrees() {
        work_elsewhere(context)?;
    }
    Ok(code)
}
