//! Whether a commit has its checkpoint, by what lies in the store.

use skein_format::checkpoint::{CheckpointFileKind, CheckpointRef, is_thread_file};
use skein_git::CommitId;
use skein_workspace::Workspace;

/// What sets off the checkpoint of a commit.
const TRIGGER: &str = "git-commit";
/// How many checkpoints are looked at, the latest first.
const MAX_CHECKPOINTS: usize = 20;

/// Returns whether one of the latest checkpoints is that of a commit.
pub(super) fn is_written(workspace: &Workspace, commit: &CommitId) -> bool {
    let checkpoints = &workspace.checkpoints;
    let dirs = checkpoints.thread_dirs();
    let entries =
        dirs.iter().filter_map(|dir| dir.read_dir().ok()).flatten().filter_map(Result::ok);
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| is_thread_file(name)).collect();
    names.sort_unstable_by(|a, b| b.cmp(a));
    names.iter().take(MAX_CHECKPOINTS).any(|name| {
        let Ok(snapshot) = skein_store::read(&checkpoints.file(name)) else { return false };
        let stem = name.strip_suffix(".json").unwrap_or(name);
        let head =
            CheckpointRef::parse(&snapshot.bytes, stem, CheckpointFileKind::Thread).0.into_head();
        let current = head.git.and_then(|git| git.current_commit);
        head.trigger.as_deref() == Some(TRIGGER)
            && current.is_some_and(|current| current == commit.short())
    })
}
