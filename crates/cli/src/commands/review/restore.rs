use clap::Args;
use serde_json::json;
use skein_catalog::deleted_reviews::Deleted;
use skein_model::sanitize::one_line;

use super::{CliContext, report};
use crate::error::CliResult;
use crate::render::text;

/// Restores deleted threads and those of removed worktrees; without an ID, lists them.
#[derive(Args, Debug)]
pub(crate) struct ReviewRestoreArgs {
    /// The threads.
    #[arg(value_name = "ID")]
    ids: Vec<String>,

    /// Everything that the last `delete` or `clear` deleted.
    #[arg(long, conflicts_with = "ids")]
    last: bool,

    /// All threads of a removed worktree, named by its branch, its directory or the path to it.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["ids", "last"])]
    worktree: Option<String>,

    /// With --worktree: moves them to the trash, so that they are not reported any more.
    #[arg(long, requires = "worktree")]
    dismiss: bool,
}

pub(super) fn run_restore(context: &mut CliContext<'_>, args: &ReviewRestoreArgs) -> CliResult {
    let workspace = &context.workspace;
    if args.ids.is_empty() && args.worktree.is_none() {
        let mut all = skein_catalog::deleted_reviews::deleted(workspace);
        let is_in_trash = |one: &Deleted| one.removed_worktree.is_none();
        if !args.last || !all.iter().any(is_in_trash) {
            skein_catalog::deleted_reviews::place_deleted(workspace, &mut all);
            return list(context, &all);
        }
    }
    let mut written = Vec::new();
    let done = if let Some(name) = &args.worktree {
        let act = if args.dismiss {
            skein_review::dismiss_worktree
        } else {
            skein_review::restore_worktree
        };
        act(workspace, name, &mut written)
    } else if args.last {
        skein_review::restore_last(workspace, &mut written)
    } else {
        skein_review::restore(workspace, &args.ids, &mut written)
    };
    match done {
        Ok(()) => report::print(context, &written, &[]),
        Err(error) => {
            report::print_until(context, &written)?;
            Err(error.into())
        }
    }
}

fn list(context: &mut CliContext<'_>, all: &[Deleted]) -> CliResult {
    let output = &mut context.output;
    if output.print_json(&json!({ "deleted": all }))? {
        return Ok(());
    }
    for one in all {
        let (at, title) = (one_line(&one.at), text::title(&one.title));
        let when = match &one.removed_worktree {
            Some(from) => format!("removed worktree {}", one_line(&from.branch)),
            None => one.deleted.clone(),
        };
        let draft = if one.draft { "draft  " } else { "" };
        let rest = format!("  {when}  {draft}{at}  {title}");
        output.line_with_id("", &text::short_id(&one.id), &rest)?;
    }
    if all.is_empty() {
        output.note("Nothing was deleted here.")?;
    }
    Ok(())
}
