//! The workspaces that the user has accepted: only what they say may reach an agent through a hook.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use skein_git::RepoDirs;
use skein_store::RootDirs;

use crate::env::{Env, canonical};
use crate::file_error::FileError;
use crate::layout::Workspace;
use crate::state_file;

/// The file in the state directory.
const FILE: &str = "trust.json";

#[derive(Default, Deserialize, Serialize)]
struct Trust {
    /// The canonical roots.
    accepted: BTreeSet<String>,
    /// Those whose store of checkpoints was made for hooks.
    #[serde(default)]
    stores: BTreeSet<String>,
}

/// Keeps that the user accepts the workspace at `root`; true when that is news.
///
/// A root whose path is not UTF-8 cannot be kept and stays unaccepted.
pub fn accept(env: &Env, root: &Path) -> Result<bool, FileError> {
    change(env, root, &|trust, key| trust.accepted.insert(key))
}

/// Takes the acceptance back; true when there was one.
pub fn forget(env: &Env, root: &Path) -> Result<bool, FileError> {
    if !env.dirs.user_state().join(FILE).exists() {
        return Ok(false);
    }
    change(env, root, &|trust, key| trust.accepted.remove(&key))
}

/// Returns whether the user has accepted the workspace at `root`.
pub fn is_accepted(env: &Env, root: &Path) -> bool {
    key(root).is_some_and(|key| read(env).accepted.contains(&key))
}

/// Keeps that the store of checkpoints at `root` was made for hooks, so that it can go with them.
pub fn record_store(env: &Env, root: &Path) -> Result<bool, FileError> {
    change(env, root, &|trust, key| trust.stores.insert(key))
}

/// Forgets a store again; true when it was made for hooks.
pub fn forget_store(env: &Env, root: &Path) -> Result<bool, FileError> {
    let known = key(root).is_some_and(|key| read(env).stores.contains(&key));
    if known { change(env, root, &|trust, key| trust.stores.remove(&key)) } else { Ok(false) }
}

/// Returns the roots of every workspace that the user has accepted.
pub fn accepted(env: &Env) -> Vec<PathBuf> {
    read(env).accepted.into_iter().map(PathBuf::from).collect()
}

/// Returns the roots under which a workspace is accepted: where its code is, and where its checkpoints are.
///
/// The code of every worktree is that of the main checkout. Checkpoints may lie above it, with those of others.
pub fn roots(workspace: &Workspace) -> Vec<PathBuf> {
    let main = workspace.git.as_ref().and_then(RepoDirs::vouched_top);
    let code = main.unwrap_or_else(|| workspace.reviews.root.clone());
    let mut roots = vec![code, workspace.checkpoints.root.clone()];
    roots.dedup();
    roots
}

/// Removes the file when nothing is accepted any more.
pub fn sweep(env: &Env) -> Result<(), FileError> {
    state_file::remove_if_empty(env, &dirs(env), FILE, |trust: &Trust| trust.accepted.is_empty())
}

fn read(env: &Env) -> Trust {
    state_file::read(&dirs(env), FILE).unwrap_or_default()
}

fn change(
    env: &Env,
    root: &Path,
    edit: &dyn Fn(&mut Trust, String) -> bool,
) -> Result<bool, FileError> {
    let Some(key) = key(root) else { return Ok(false) };
    let changed = std::cell::Cell::new(false);
    state_file::update(env, &dirs(env), FILE, &|known: Option<Trust>| {
        let mut trust = known.unwrap_or_default();
        changed.set(edit(&mut trust, key.clone()));
        changed.get().then_some(trust)
    })?;
    Ok(changed.get())
}

/// A root that is gone keeps the name that it was given, so that it can still be forgotten.
fn key(root: &Path) -> Option<String> {
    canonical(root).to_str().map(str::to_owned)
}

fn dirs(env: &Env) -> RootDirs {
    RootDirs { state: env.dirs.user_state().to_owned(), cache: env.dirs.cache.clone() }
}
