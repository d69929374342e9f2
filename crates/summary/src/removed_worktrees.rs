//! Reports the restorable files of removed worktrees.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use skein_catalog::removed_reviews::removed_worktrees;
use skein_checkpoints::{looks_automatic, removed_checkpoints};
use skein_format::diagnostic::Code;
use skein_model::sanitize::shell_word;
use skein_model::view::FileDiagnostic;
use skein_workspace::Workspace;

/// The number of restorable files of a worktree.
#[derive(Default)]
struct Restorable {
    is_there: bool,
    threads: usize,
    drafts: usize,
    checkpoints: usize,
}

/// Reports the removed worktrees whose threads, drafts or checkpoints exist only as copies.
///
/// Auto-checkpoints are not counted: their content is in the commits of the branch.
pub fn report_removed(workspace: &Workspace) -> Vec<FileDiagnostic> {
    let mut all: BTreeMap<(PathBuf, String), Restorable> = BTreeMap::new();
    // If the store still exists, another program may have deleted the threads on purpose.
    for one in removed_worktrees(workspace).into_iter().filter(|one| !one.has_store) {
        let found = all.entry((one.root, one.branch)).or_default();
        found.is_there = one.is_there;
        found.threads += one.threads.len();
        found.drafts += one.drafts.len();
    }
    for one in removed_checkpoints(workspace, &|name| !looks_automatic(name)) {
        if !one.has_store {
            let found = all.entry((one.from.root, one.from.branch)).or_default();
            found.is_there = one.from.worktree.is_some();
            found.checkpoints += one.files.len();
        }
    }
    all.iter().map(|((root, branch), found)| found.report(root, branch)).collect()
}

impl Restorable {
    fn report(&self, root: &Path, branch: &str) -> FileDiagnostic {
        let counts =
            [(self.checkpoints, "checkpoint"), (self.threads, "thread"), (self.drafts, "draft")];
        let counts = counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| {
            let plural = if *count == 1 { "" } else { "s" };
            format!("{count} {what}{plural}")
        });
        let commands = [(self.checkpoints, "checkpoint"), (self.threads + self.drafts, "review")];
        let commands = commands.iter().filter(|(count, _)| *count > 0);
        let commands = commands
            .map(|(_, what)| format!("`skein {what} restore --worktree {}`", shell_word(branch)));
        let message = format!(
            "{} of the removed {} on {branch} can be restored: {}",
            counts.collect::<Vec<_>>().join(" and "),
            if self.is_there { "store of the worktree" } else { "worktree" },
            commands.collect::<Vec<_>>().join(" and "),
        );
        FileDiagnostic::new(Code::WorktreeRemoved, root.display().to_string(), None, message)
    }
}
