//! `skein checkpoint …`: saved states of work.

mod auto;
mod cleanup;
mod input;
mod report;
mod restore;
mod save;

use clap::{Args, Subcommand};
use skein_catalog::ShowError;
use skein_catalog::find::find_checkpoint;
use skein_catalog::show::show_checkpoint;
use skein_checkpoints::CheckpointError;
use skein_model::Kind;

use super::context::CliContext;
use super::list::{ListArgs, run_list};
use super::other_worktrees::note_work;
use super::show::ShowArgs;
use crate::error::CliResult;
use crate::render::view;
pub(super) use input::{AgentSessionArgs, FilesArgs, message};
pub(super) use report::{notes, print};

/// Saves and restores the state of work.
///
/// A checkpoint records what was done, what is left to do, which files were touched and the state of git: `skein resume` continues
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
    /// Lists checkpoints, most recently changed first.
    ///
    /// Takes the filters of `skein list`: `tag:http`, `type:handoff`, `branch:main`, `commit:1a2b3c4`, `file:src`, `since:2w`,
    /// `until:yesterday`.
    List(ListArgs),
    /// Shows the whole content of a checkpoint.
    Show(ShowArgs),
    Cleanup(cleanup::CleanupArgs),
    Restore(restore::CheckpointRestoreArgs),
}

pub(crate) fn run_checkpoint(context: &mut CliContext<'_>, args: &CheckpointArgs) -> CliResult {
    match &args.command {
        CheckpointCommands::Save(args) => save::run_save(context, args),
        CheckpointCommands::Auto(args) => auto::run_auto(context, args),
        CheckpointCommands::List(args) => {
            run_list(context, args, Some(Kind::Checkpoint))?;
            match context.output.is_json || args.has_all_worktrees() {
                true => Ok(()),
                false => note_work(context),
            }
        }
        CheckpointCommands::Show(args) => {
            let workspace = &context.workspace;
            let file = find_checkpoint(workspace, &args.id).map_err(CheckpointError::from)?;
            let view = show_checkpoint(workspace, &file).map_err(ShowError::from)?;
            view::print_or_json(&mut context.output, &view)
        }
        CheckpointCommands::Cleanup(args) => cleanup::run_cleanup(context, args),
        CheckpointCommands::Restore(args) => restore::run_restore(context, args),
    }
}
