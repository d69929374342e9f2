//! The records of auto-checkpoints that hooks have begun and not finished.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use skein_git::CommitId;
use skein_workspace::Workspace;
use skein_workspace::kept_state::entries;

use super::git_answers::MissingFacts;

/// The directory of the records, in the state directory of a worktree.
const DIRECTORY: &str = "unfinished";
pub(super) const FILE: &str = "checkpoint.json";

/// What a hook writes down before it saves a checkpoint.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct UnfinishedRecord {
    /// The id that the checkpoint has or gets.
    pub(super) id: String,
    /// The file as far as it is known.
    pub(super) checkpoint: String,
    /// The full id of the commit that it is about.
    pub(super) commit: Option<String>,
    /// The directory of the hook.
    pub(super) dir: PathBuf,
    pub(super) missing: MissingFacts,
    /// Whether the checkpoint was saved. If it no longer exists then, it was removed, and is not written again.
    #[serde(default)]
    pub(super) is_saved: bool,
    #[serde(default)]
    pub(super) attempts: u32,
}

/// The directory in which the records of a worktree are.
pub(super) fn directory(workspace: &Workspace) -> PathBuf {
    workspace.worktree_dirs().state.join(DIRECTORY)
}

/// Returns whether something is left to finish; another process may be about to do it.
pub fn has_unfinished(workspace: &Workspace) -> bool {
    !entries(&directory(workspace)).is_empty()
}

/// Returns whether the checkpoint of a commit is being written, or left to finish.
pub(super) fn has_commit(workspace: &Workspace, commit: &CommitId) -> bool {
    let dir = directory(workspace);
    entries(&dir).iter().any(|name| {
        let bytes = skein_store::read(&dir.join(name).join(FILE)).ok();
        let record =
            bytes.and_then(|file| serde_json::from_slice::<UnfinishedRecord>(&file.bytes).ok());
        record.and_then(|record| record.commit).as_deref() == Some(commit.as_str())
    })
}
