use clap::{ArgGroup, Args};
use serde_json::json;
use skein_checkpoints::{Restorable, Restoration, RestoreAction, RestoreSelection};
use skein_model::sanitize::one_line;

use super::CliContext;
use crate::error::CliResult;
use crate::render::{age, table, text};

/// Restores checkpoints of removed worktrees; without an ID, lists them.
///
/// Every worktree has its own checkout of shared checkpoints. Checkpoints that were not committed there are listed here once the
/// worktree is removed. One that also exists in the store is merged with it.
///
/// Example: skein checkpoint restore --worktree feat
#[derive(Args, Debug)]
#[command(group(ArgGroup::new("meant").args(["ids", "worktree"])))]
pub(crate) struct CheckpointRestoreArgs {
    /// The checkpoints: ids, slugs, or the start of one.
    #[arg(value_name = "ID")]
    ids: Vec<String>,

    /// All checkpoints of a removed worktree, named by its branch, its directory or the path to it.
    #[arg(long, value_name = "NAME")]
    worktree: Option<String>,

    /// Moves them to the trash, so that they are not offered again.
    #[arg(long, requires = "meant")]
    dismiss: bool,
}

pub(super) fn run_restore(context: &mut CliContext<'_>, args: &CheckpointRestoreArgs) -> CliResult {
    let workspace = &context.workspace;
    let meant = match &args.worktree {
        Some(name) => RestoreSelection::Worktree(name),
        None if args.ids.is_empty() => return list(context),
        None => RestoreSelection::Ids(&args.ids),
    };
    let mut done = Restoration::default();
    let act = if args.dismiss { skein_checkpoints::dismiss } else { skein_checkpoints::restore };
    let result = act(workspace, meant, &mut done);
    if !context.output.is_json || result.is_ok() {
        print(context, &done)?;
    }
    Ok(result?)
}

fn print(context: &mut CliContext<'_>, done: &Restoration) -> CliResult {
    let output = &mut context.output;
    if output.print_json(done)? {
        return Ok(());
    }
    for one in &done.checkpoints {
        let what = match one.action {
            RestoreAction::Merged => "Merged with the existing one: ",
            RestoreAction::Dismissed => "Moved to the trash: ",
            RestoreAction::Restored => "Restored ",
        };
        output.line_with_id(what, &one.id, "")?;
    }
    for note in &done.notes {
        output.note(&one_line(note))?;
    }
    output.warnings(&done.diagnostics)
}

fn list(context: &mut CliContext<'_>) -> CliResult {
    let all = skein_checkpoints::restorable(&context.workspace);
    let output = &mut context.output;
    if output.print_json(&json!({ "restorable": all }))? {
        return Ok(());
    }
    let now = output.now;
    let row = |one: &Restorable| {
        let from = format!("removed worktree {}", one.removed_worktree.branch);
        vec![
            one_line(&one.id),
            one_line(&from),
            age::short(one.updated_at, now),
            text::title(&one.title),
        ]
    };
    let rows: Vec<Vec<String>> = all.iter().map(row).collect();
    table::plain(output, &["CHECKPOINT", "FROM", "AGE", "TITLE"], &rows, &[])?;
    if all.is_empty() {
        output.note("There are no checkpoints of removed worktrees.")?;
    }
    Ok(())
}
