//! Finds temporary files of interrupted writes.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use skein_format::diagnostic::Code;
use skein_store::{TEMP_PREFIX, is_temp_name, leftovers};
use skein_workspace::kept_state::entries;
use skein_workspace::update::displaced_dir;
use skein_workspace::{Env, ReviewStore, Workspace};

use super::{CheckReport, Repair};

/// Checks all directories in which Skein writes.
pub(super) fn examine(workspace: &Workspace, stores: &[ReviewStore], report: &mut CheckReport) {
    let map_dir = workspace.sessions.file().and_then(Path::parent).map(Path::to_owned);
    let stores = stores.iter().flat_map(|reviews| [reviews.threads(), reviews.store()]);
    let dirs = stores.chain([workspace.checkpoints.threads()]).chain(map_dir);
    let dirs = dirs.chain(state_dirs(workspace)).chain(git_dirs(workspace));
    let dirs = dirs.chain(skein_install::written_dirs(workspace));
    let mut seen = BTreeSet::new();
    for dir in dirs.filter(|dir| seen.insert(dir.clone())).filter(|dir| dir.is_dir()) {
        let Ok(found) = leftovers(&*workspace.env.fs, &dir) else {
            continue;
        };
        for path in found {
            report.find(Code::FileTemp, &path, "a write was interrupted here".to_owned());
            report.repairs.push(Repair::Trash { path });
        }
    }
}

/// Returns the state directories of this workspace and the one of all workspaces.
fn state_dirs(workspace: &Workspace) -> Vec<PathBuf> {
    let roots = [workspace.dirs().state, workspace.worktree_dirs().state];
    let mut dirs: Vec<PathBuf> =
        vec![workspace.env.dirs.state.clone(), displaced_dir(&workspace.env)];
    for root in roots {
        let below = ["drafts", "claims", "commits", "trash", "trash/reviews", "trash/drafts"];
        dirs.extend(below.iter().map(|name| root.join(name)));
        dirs.push(root);
    }
    dirs
}

/// Returns the directories in the git directory in which Skein writes.
fn git_dirs(workspace: &Workspace) -> Vec<PathBuf> {
    let Some(git) = &workspace.git else { return Vec::new() };
    let skein = git.common_dir.join("skein");
    let mut dirs = vec![git.git_dir.clone(), git.common_dir.clone(), git.common_dir.join("info")];
    let copies = skein.join("worktrees");
    for name in entries(&copies) {
        dirs.extend([copies.join(&name), copies.join(&name).join("threads")]);
    }
    dirs.push(skein);
    dirs
}

/// Reports files of other programs that were replaced and could not be merged.
///
/// Temporary files of Skein are kept in the same directory after an interrupted write; no other program wrote them.
pub(super) fn displaced(env: &Env, report: &mut CheckReport) {
    let entries = displaced_dir(env).read_dir().into_iter().flatten().filter_map(Result::ok);
    let is_own = |path: &PathBuf| {
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        // The name in the trash starts with the time.
        let start = name.find(TEMP_PREFIX);
        start.is_some_and(|start| is_temp_name(OsStr::new(name.split_at(start).1)))
    };
    for path in entries.map(|entry| entry.path()).filter(|path| !is_own(path)) {
        let message = "another program wrote this at the same moment as Skein".to_owned();
        report.find(Code::FileDisplaced, &path, message);
    }
}
