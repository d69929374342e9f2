//! Which hook writes the checkpoint of a commit.

use std::path::{Path, PathBuf};
use std::time::Duration;

use skein_git::CommitId;
use skein_store::{RealFs, claim, ensure_dir, unclaim};

use super::error::WorkError;
use crate::discover::Workspace;
use crate::env::Env;

const DIRECTORY: &str = "commits";
/// How many claims are kept before the old ones go, and how old those are.
const MANY: usize = 500;
const OLD: Duration = Duration::from_secs(14 * 24 * 60 * 60);

/// The right to write the checkpoint of a commit, until it is given up.
pub(super) struct Claimed(PathBuf);

impl Claimed {
    /// Lets another hook write the checkpoint, because this one could not.
    pub(super) fn give_up(self) {
        // A claim that stays costs a checkpoint of one commit, and there is nobody to tell.
        drop(unclaim(&RealFs, &self.0));
    }
}

/// Claims a commit; none where another hook did before.
pub(super) fn commit(
    workspace: &Workspace,
    env: &Env,
    id: &CommitId,
) -> Result<Option<Claimed>, WorkError> {
    let dir = workspace.worktree_dirs(env).state.join(DIRECTORY);
    ensure_dir(&RealFs, &dir, 0o700)?;
    let path = dir.join(id.as_str());
    let first = claim(&RealFs, &path, 0o600)
        .map_err(|source| skein_store::CreateError::Failed { path: path.clone(), source })?;
    if !first {
        return Ok(None);
    }
    prune(&dir);
    Ok(Some(Claimed(path)))
}

/// Forgets claims on commits that nobody makes any more.
fn prune(dir: &Path) {
    let Ok(entries) = dir.read_dir() else { return };
    let all: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    if all.len() < MANY {
        return;
    }
    let age = |path: &Path| path.metadata().ok()?.modified().ok()?.elapsed().ok();
    for path in all.iter().filter(|path| age(path).is_some_and(|age| age > OLD)) {
        // One that stays is tried again the next time.
        drop(unclaim(&RealFs, path));
    }
}
