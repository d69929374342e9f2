//! Checks all files of a workspace, and makes safe repairs.
//!
//! A copy of every file is kept before it is repaired.

mod background;
mod bug_report;
mod checkpoints;
mod execute;
mod index;
mod legacy;
mod repair;
mod secrets;
mod tables;
mod temp;
mod thread;

use serde::Serialize;
use skein_catalog::list::list_at_depth;
use skein_catalog::rows::Depth;
use skein_catalog::{WorktreeScope, handoff_pointer};
use skein_format::diagnostic::Code;
use skein_install::setup;
use skein_model::Filter;
use skein_model::view::FileDiagnostic;
use skein_sessions::MapRepairAction;
use skein_summary::removed_worktrees::report_removed;
use skein_workspace::{ReviewStore, Workspace};

pub use background::{BackgroundCheck, CheckSnapshot, OutdatedRepair, RepairResult};
pub use bug_report::BugReport;
pub use execute::{RepairError, repair};
pub use repair::Repair;

/// The result of a check.
#[derive(Debug, Serialize)]
pub struct CheckReport {
    /// The findings, errors first.
    pub diagnostics: Vec<FileDiagnostic>,
    #[serde(skip)]
    pub repairs: Vec<Repair>,
    /// The number of checked threads.
    pub threads: usize,
}

/// Checks every thread, the stores, the session map and the settings; writes nothing.
pub fn check(workspace: &Workspace, scope: WorktreeScope) -> CheckReport {
    let env = &workspace.env;
    let listing = list_at_depth(Depth::Full, workspace, &Filter::default(), scope);
    let threads = listing.threads.len();
    let mut report = CheckReport { diagnostics: listing.diagnostics, repairs: Vec::new(), threads };
    let mut stores = match scope {
        WorktreeScope::ThisWorktree => vec![workspace.reviews.clone()],
        WorktreeScope::AllWorktrees => workspace.reviews_of_all_worktrees(),
    };
    for row in listing.threads {
        thread::examine(&stores, *row, env, &mut report);
    }
    for reviews in &stores {
        legacy::examine(reviews, env, &mut report);
    }
    let written: Vec<ReviewStore> = report.repairs.iter().filter_map(Repair::writes_to).collect();
    for reviews in stores.iter().filter(|reviews| reviews.exists) {
        index::examine(reviews, &workspace.settings, &mut report);
    }
    rebuild_after(&written, &mut report);
    stores.retain(|reviews| reviews.exists);
    report.diagnostics.extend(handoff_pointer::read(workspace).1);
    checkpoints::examine(&workspace.checkpoints, env, &mut report);
    tables::examine(&workspace.checkpoints, &mut report);
    report.diagnostics.extend(report_removed(workspace));
    temp::examine(workspace, &stores, &mut report);
    temp::displaced(env, &mut report);
    sessions(workspace, &mut report);
    if setup::lacks_driver(workspace) {
        let message = "git does not know how to merge the threads that this repository shares";
        report.find(Code::StoreNoMergeDriver, &workspace.reviews.root, message.to_owned());
    }
    secrets::examine(workspace, &stores, &mut report);
    report
        .diagnostics
        .sort_by(|a, b| (!a.is_error(), &a.path, a.line).cmp(&(!b.is_error(), &b.path, b.line)));
    report
}

/// Plans to rebuild the index of every store whose threads are repaired.
fn rebuild_after(written: &[ReviewStore], report: &mut CheckReport) {
    for reviews in written {
        let store = reviews.store();
        let is_due = |repair: &Repair| matches!(repair, Repair::RebuildIndex { reviews } if reviews.store() == store);
        if !report.repairs.iter().any(is_due) {
            report.repairs.push(Repair::RebuildIndex { reviews: reviews.clone() });
        }
    }
}

/// Plans to rebuild a damaged session map, or to rename it. Its diagnostics are already in the report.
fn sessions(workspace: &Workspace, report: &mut CheckReport) {
    let Some(map) = &workspace.sessions.map else {
        return;
    };
    let Ok(seen) = skein_sessions::repair(map, &workspace.env, false) else {
        return;
    };
    let map = map.clone();
    match seen.action {
        MapRepairAction::Sound => {}
        _ if seen.is_only_marked() => report.repairs.push(Repair::Unmark { map }),
        // A symbolic link is not renamed; its target is rewritten.
        _ if seen.entries > 0 || map.path().is_symlink() => {
            report.repairs.push(Repair::Salvage { map, entries: seen.entries });
        }
        _ => report.repairs.push(Repair::Rename { map }),
    }
}

impl CheckReport {
    fn find(&mut self, code: Code, path: &std::path::Path, message: String) {
        self.diagnostics.push(FileDiagnostic::new(code, path.display().to_string(), None, message));
    }
}
