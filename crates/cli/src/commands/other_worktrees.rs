//! Notes about open threads in other worktrees.

use std::collections::BTreeSet;

use skein_catalog::other_stores::{OwnCheckpoints, other_stores};
use skein_catalog::other_worktrees;

use super::context::CliContext;
use crate::error::CliResult;

/// Prints a note that other worktrees have open threads, and how to list them.
pub(super) fn note_threads(context: &mut CliContext<'_>, command: &str) -> CliResult {
    let others = other_worktrees(&context.workspace);
    let what = match others.iter().map(|one| one.open).sum() {
        0 => return Ok(()),
        1_usize => "1 thread is open in another worktree".to_owned(),
        many => format!("{many} threads are open in other worktrees"),
    };
    context.output.note(&format!("{what}: `skein {command}`"))
}

/// Prints a note that other worktrees have open work in stores of their own, and how to list it.
pub(super) fn note_work(context: &mut CliContext<'_>) -> CliResult {
    let (workspace, now) = (&context.workspace, context.workspace.env.clock.now());
    let own = OwnCheckpoints::list(workspace);
    let stores = other_stores(workspace);
    // Several worktrees may have the same checkpoint.
    let ids: BTreeSet<String> =
        stores.iter().flat_map(|store| store.open_work(&own, now, None).ids).collect();
    let what = match ids.len() {
        0 => return Ok(()),
        1 => "1 checkpoint to resume is in another worktree".to_owned(),
        many => format!("{many} checkpoints to resume are in other worktrees"),
    };
    context.output.note(&format!("{what}: `skein checkpoint list --all-worktrees`"))
}
