//! `skein checkpoint …`: the state of a piece of work, to come back to.

mod auto;
mod cleanup;
mod input;
mod list;
mod report;
mod restore;
mod save;
mod show;

use clap::{Args, Subcommand};

use super::Context;
use crate::error::CliError;
pub(super) use input::{FilesArgs, SessionArgs, message};
pub(super) use report::{notes, print};

/// Keeps the state of a piece of work, to come back to.
///
/// A checkpoint says what was done, what is left to do, which files were touched and what git says: `skein resume` goes on
/// from there, after a break or in another session. Each is a JSON file in `workspace/threads`.
#[derive(Args, Debug)]
pub(crate) struct CheckpointArgs {
    #[command(subcommand)]
    command: CheckpointCommands,
}

#[derive(Debug, Subcommand)]
enum CheckpointCommands {
    Save(save::SaveArgs),
    Auto(auto::AutoArgs),
    List(list::CheckpointListArgs),
    Show(show::CheckpointShowArgs),
    Cleanup(cleanup::CleanupArgs),
    Restore(restore::RestoreArgs),
}

pub(crate) fn run_checkpoint(
    context: &mut Context<'_>,
    args: &CheckpointArgs,
) -> Result<u8, CliError> {
    match &args.command {
        CheckpointCommands::Save(args) => save::run_save(context, args),
        CheckpointCommands::Auto(args) => auto::run_auto(context, args),
        CheckpointCommands::List(args) => list::run_checkpoint_list(context, args),
        CheckpointCommands::Show(args) => show::run_checkpoint_show(context, args),
        CheckpointCommands::Cleanup(args) => cleanup::run_cleanup(context, args),
        CheckpointCommands::Restore(args) => restore::run_restore(context, args),
    }
}
