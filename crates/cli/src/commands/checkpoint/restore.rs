use clap::{ArgGroup, Args};
use serde::Serialize;
use skein_checkpoints::{Meant, Restorable, Restoration};

use crate::commands::Context;
use crate::error::CliError;
use crate::render::{age, style, table, text};
use crate::terminal::one_line;

/// Brings back checkpoints of removed worktrees; without an ID, lists them.
///
/// Every worktree has its own checkout of checkpoints that are shared. What was not committed there is listed here once the
/// worktree is gone. One that is in the store as well is merged with it.
///
/// Example: skein checkpoint restore --worktree feat
#[derive(Args, Debug)]
#[command(group(ArgGroup::new("meant").args(["ids", "worktree"])))]
pub(crate) struct RestoreArgs {
    /// The checkpoints: ids, slugs, or the start of one.
    #[arg(value_name = "ID")]
    ids: Vec<String>,

    /// All checkpoints of a removed worktree, named by its branch, its directory or the path to it.
    #[arg(long, value_name = "NAME")]
    worktree: Option<String>,

    /// Moves them to the trash instead, so that they are not offered again.
    #[arg(long, requires = "meant")]
    dismiss: bool,
}

#[derive(Serialize)]
struct Document<'a> {
    restorable: &'a [Restorable],
}

pub(super) fn run_restore(context: &mut Context<'_>, args: &RestoreArgs) -> Result<u8, CliError> {
    let (workspace, env) = (&context.workspace, &context.env);
    let meant = match &args.worktree {
        Some(name) => Meant::Worktree(name),
        None if args.ids.is_empty() => return list(context),
        None => Meant::Ids(&args.ids),
    };
    let mut done = Restoration::default();
    let act = if args.dismiss { skein_checkpoints::dismiss } else { skein_checkpoints::restore };
    let result = act(workspace, env, meant, &mut done);
    if !context.output.json || result.is_ok() {
        print(context, &done)?;
    }
    result?;
    Ok(crate::EXIT_OK)
}

fn print(context: &mut Context<'_>, done: &Restoration) -> Result<(), CliError> {
    let output = &mut context.output;
    if output.json {
        return output.document(done);
    }
    for one in &done.checkpoints {
        let what = match one.action {
            "merged" => "Merged with the one that is there:",
            "dismissed" => "Moved to the trash:",
            _ => "Restored",
        };
        let id = output.paint(style::HANDLE, &one_line(&one.id));
        output.line(&format!("{what} {id}"))?;
    }
    for note in &done.notes {
        output.note(&one_line(note))?;
    }
    for diag in &done.diagnostics {
        output.note(&format!("Warning: {} [{}]", diag.message, diag.code))?;
    }
    Ok(())
}

fn list(context: &mut Context<'_>) -> Result<u8, CliError> {
    let all = skein_checkpoints::restorable(&context.workspace, &context.env);
    let output = &mut context.output;
    if output.json {
        output.document(&Document { restorable: &all })?;
        return Ok(crate::EXIT_OK);
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
        output.note("No checkpoint of a removed worktree is missing.")?;
    }
    Ok(crate::EXIT_OK)
}
