//! The workspaces that the user trusts: hooks pass only their content to agents.
//!
//! Trust belongs to a repository at a path. Another clone that takes its place is another repository.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use skein_git::RepoDirs;
use skein_store::RootDirs;

use crate::env::{Env, canonical};
use crate::file_error::FileError;
use crate::layout::Workspace;
use crate::local::mark;
use crate::state_file;

/// The file in the state directory.
const FILE: &str = "trust.json";

#[derive(Default, Deserialize, Serialize)]
struct Trust {
    /// The canonical roots.
    accepted: BTreeSet<String>,
    /// Their [identities](identity).
    #[serde(default)]
    identities: BTreeMap<String, String>,
    /// The identities of the repositories in which a person confirmed that agents may resolve threads if the default branch says so.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    resolving: BTreeMap<String, String>,
    /// The roots whose store of checkpoints was created for hooks.
    #[serde(default)]
    stores: BTreeSet<String>,
}

/// Records that the user trusts the workspace at `root`; returns whether that is new.
///
/// A root whose path is not UTF-8 cannot be recorded.
pub fn accept(env: &Env, root: &Path) -> Result<bool, FileError> {
    let Some(identity) = identity(root) else { return Ok(false) };
    change(env, root, &|trust, key| {
        let before = trust.identities.insert(key.clone(), identity.clone());
        trust.accepted.insert(key) || before.as_ref() != Some(&identity)
    })
}

/// Removes the trust in a workspace; returns whether it was recorded.
pub fn forget(env: &Env, root: &Path) -> Result<bool, FileError> {
    if !env.dirs.user_state().join(FILE).exists() {
        return Ok(false);
    }
    change(env, root, &|trust, key| {
        trust.identities.remove(&key);
        let was_resolving = trust.resolving.remove(&key).is_some();
        trust.accepted.remove(&key) || was_resolving
    })
}

/// Returns whether the user trusts the workspace at `root`.
pub fn is_accepted(env: &Env, root: &Path) -> bool {
    let Some(key) = key(root) else { return false };
    let trust = read(env);
    let known = trust.identities.get(&key).filter(|_| trust.accepted.contains(&key));
    known.is_some() && known == identity(root).as_ref()
}

/// Records that agents may resolve threads in a repository if the settings file on its default branch says so.
///
/// An agent that can write references can move any branch, so the branch alone decides nothing.
pub fn confirm_resolving(env: &Env, root: &Path) -> Result<bool, FileError> {
    let Some(identity) = identity(root) else { return Ok(false) };
    change(env, root, &|trust, key| {
        trust.resolving.insert(key, identity.clone()).as_ref() != Some(&identity)
    })
}

/// Returns whether a person has confirmed what the default branch of a repository says about resolving.
pub fn is_resolving_confirmed(env: &Env, root: &Path) -> bool {
    let confirmed = key(root).and_then(|key| read(env).resolving.remove(&key));
    confirmed.is_some() && confirmed == identity(root)
}

/// Returns whether the user has trusted a workspace at this path, which may be missing or another one now.
pub fn is_recorded(env: &Env, root: &Path) -> bool {
    key(root).is_some_and(|key| read(env).accepted.contains(&key))
}

/// Returns the path of a root with the identity of what is there; none if nothing is there, or the path is not UTF-8.
pub fn bound_path(root: &Path) -> Option<String> {
    Some(format!("{} {}", key(root)?, identity(root)?))
}

/// Returns what distinguishes the repository of a root, or a directory outside of repositories, from another one at its path.
///
/// It is the inode and creation time of the git directory, which no clone, commit or archive can contain.
fn identity(root: &Path) -> Option<String> {
    let root = canonical(root);
    let git = RepoDirs::discover(&root).ok().flatten();
    let git = git.filter(|git| git.top.as_ref().is_none_or(|top| *top == root));
    let dir = git.map_or(root, |git| git.common_dir);
    Some(mark(&dir.metadata().ok()?).trim_end().to_owned())
}

/// Records that the store of checkpoints at `root` was created for hooks, so that it can be removed with them.
pub fn record_store(env: &Env, root: &Path) -> Result<bool, FileError> {
    change(env, root, &|trust, key| trust.stores.insert(key))
}

/// Removes the record of a store; returns whether it was created for hooks.
pub fn forget_store(env: &Env, root: &Path) -> Result<bool, FileError> {
    let known = key(root).is_some_and(|key| read(env).stores.contains(&key));
    if known { change(env, root, &|trust, key| trust.stores.remove(&key)) } else { Ok(false) }
}

/// Returns the roots of all trusted workspaces.
pub fn accepted(env: &Env) -> Vec<PathBuf> {
    read(env).accepted.into_iter().map(PathBuf::from).collect()
}

/// Returns the roots that must be trusted for a workspace: of its code, and of its checkpoints.
///
/// All worktrees have the root of the main checkout. Checkpoints may be in a directory above, with those of other repositories.
pub fn roots(workspace: &Workspace) -> Vec<PathBuf> {
    let main = workspace.git.as_ref().and_then(RepoDirs::vouched_top);
    let code = main.unwrap_or_else(|| workspace.reviews.root.clone());
    let mut roots = vec![code, workspace.checkpoints.root.clone()];
    roots.dedup();
    roots
}

/// Removes the file if no workspace is trusted.
pub fn sweep(env: &Env) -> Result<(), FileError> {
    state_file::remove_if_empty(env, &dirs(env), FILE, |trust: &Trust| {
        trust.accepted.is_empty() && trust.resolving.is_empty()
    })
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

/// Returns the canonical path; that of a missing root is unchanged, so that it can still be removed.
fn key(root: &Path) -> Option<String> {
    canonical(root).to_str().map(str::to_owned)
}

fn dirs(env: &Env) -> RootDirs {
    RootDirs { state: env.dirs.user_state().to_owned(), cache: env.dirs.cache.clone() }
}
