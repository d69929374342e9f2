//! A registry of the workspaces on this machine, for searches over all of them.
//!
//! Each root has a small file in the state directory. Its name is derived from the root and its content is the root, so that an
//! unrelated or incomplete file is recognised.

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use skein_format::checkpoint::{is_legacy_file, is_thread_file};
use skein_model::Progress;
use skein_model::normalize_path::lexical;
use skein_store::{
    ensure_dir, lock, path_bytes, path_from_bytes, read, remove, remove_empty_dir, write_private,
};

use crate::discover::discover_in;
use crate::env::{Env, canonical};
use crate::file_error::FileError;
use crate::layout::Workspace;

/// The folder in the state directory.
const FOLDER: &str = "workspaces";
/// Longer than any path on supported systems.
const MAX_PATH_LEN: u64 = 64 * 1024;
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);
/// How long to wait for a lock that a starting process may still hold.
const SHORT_LOCK_TIMEOUT: Duration = Duration::from_millis(100);

/// A registered workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KnownWorkspace {
    /// Its root.
    pub root: String,
    /// Whether the root still exists.
    pub exists: bool,
    /// The number of review threads; none if it has no such store.
    pub reviews: Option<usize>,
    /// The number of checkpoints; none if it has no such store.
    pub checkpoints: Option<usize>,
}

/// Registers a workspace that has review threads or checkpoints.
///
/// If it is already registered, only the metadata of its file is read. Errors are ignored: the next command tries again, and only a search
/// of the whole machine would miss it.
pub fn remember(workspace: &Workspace) {
    let Workspace { reviews, checkpoints, .. } = workspace;
    let stores = [(reviews.exists, &reviews.root), (checkpoints.exists, &checkpoints.root)];
    let existing = stores.into_iter().filter(|(exists, _)| *exists);
    let mut roots: Vec<PathBuf> = existing.map(|(_, root)| canonical(root)).collect();
    roots.dedup();
    for root in roots {
        let path = path(&workspace.env, &root);
        let bytes = content(&root);
        // A power cut may have left an empty file.
        let is_complete =
            |meta: Metadata| meta.is_file() && usize::try_from(meta.len()) == Ok(bytes.len());
        if !path.symlink_metadata().is_ok_and(is_complete) {
            write(&workspace.env, &path, &bytes);
        }
    }
}

/// Lists the registered workspaces, sorted by root.
pub fn list(env: &Env, progress: &dyn Progress) -> Vec<KnownWorkspace> {
    let roots = known(env);
    let look = |(done, root): (usize, &PathBuf)| {
        progress.step(done, roots.len());
        look(env, root)
    };
    roots.iter().enumerate().map(look).collect()
}

/// A workspace that the user can switch to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReachableWorkspace {
    /// The registered data.
    #[serde(flatten)]
    pub known: KnownWorkspace,
    /// The branch, if any.
    pub branch: Option<String>,
    /// Whether it is the current workspace.
    pub here: bool,
}

/// Lists the registered workspaces and the worktrees of the current repository, sorted by root.
pub fn reachable(workspace: &Workspace) -> Vec<ReachableWorkspace> {
    let own = canonical(&workspace.reviews.root);
    let all = reachable_roots(workspace);
    let one = |root: &PathBuf| {
        let known = look(&workspace.env, root);
        let git = known.exists.then(|| discover_in(&workspace.env, root).git).flatten();
        ReachableWorkspace { known, branch: git.map(|git| git.head().label()), here: *root == own }
    };
    all.iter().map(one).collect()
}

/// Returns the root with this text, if [`reachable`] lists it and it still exists.
pub fn reach(workspace: &Workspace, root: &str) -> Option<PathBuf> {
    let all = reachable_roots(workspace).into_iter();
    all.filter(|one| one.is_dir()).find(|one| one.display().to_string() == root)
}

fn reachable_roots(workspace: &Workspace) -> Vec<PathBuf> {
    let worktrees = workspace.git.iter().flat_map(skein_git::RepoDirs::worktrees);
    let mut all = known(&workspace.env);
    all.push(canonical(&workspace.reviews.root));
    all.extend(worktrees.map(|worktree| worktree.top));
    all.sort();
    all.dedup();
    all
}

/// Returns the existing roots of registered workspaces, sorted.
pub fn roots(env: &Env) -> Vec<PathBuf> {
    known(env).into_iter().filter(|root| root.is_dir()).collect()
}

/// Returns the missing roots of registered workspaces, sorted.
pub fn gone(env: &Env) -> Vec<PathBuf> {
    known(env).into_iter().filter(|root| !root.is_dir()).collect()
}

/// Removes a workspace from the registry, and returns its root; none if it was not registered.
///
/// The next command used there registers it again, unless its threads are gone.
pub fn forget(env: &Env, root: &Path) -> Result<Option<PathBuf>, FileError> {
    let plain = lexical(&env.dir.join(root));
    for root in [canonical(&plain), plain] {
        let path = path(env, &root);
        if root_in(&path).is_some() {
            let guard = lock(&*env.fs, &folder(env), LOCK_TIMEOUT)?;
            let revision = read(&path)?.revision;
            remove(&*env.fs, &guard, &path, &revision)?;
            return Ok(Some(root));
        }
    }
    Ok(None)
}

/// Removes all workspaces from the registry.
pub fn forget_all(env: &Env) -> Result<(), FileError> {
    for root in known(env) {
        forget(env, &root)?;
    }
    Ok(())
}

/// Removes the folder of the registry if it is empty.
pub fn sweep(env: &Env) {
    // A directory that is not empty is kept.
    remove_empty_dir(&folder(env)).unwrap_or(false);
}

/// Reads the registered roots; unknown files are ignored.
fn known(env: &Env) -> Vec<PathBuf> {
    let entries = folder(env).read_dir().into_iter().flatten().filter_map(Result::ok);
    let mut roots: Vec<PathBuf> = entries
        .filter_map(|entry| {
            let root = root_in(&entry.path())?;
            (path(env, &root).file_name() == Some(&*entry.file_name())).then_some(root)
        })
        .collect();
    roots.sort();
    roots
}

fn look(env: &Env, root: &Path) -> KnownWorkspace {
    let exists = root.is_dir();
    let workspace = exists.then(|| discover_in(env, root));
    let reviews = workspace.as_ref().map(|workspace| &workspace.reviews);
    let reviews = reviews.filter(|reviews| reviews.exists && reviews.root == *root);
    let checkpoints = workspace.as_ref().map(|workspace| &workspace.checkpoints);
    let checkpoints = checkpoints.filter(|store| store.exists && store.root == *root);
    let is_review = |name: &str| name.ends_with(".md") && !name.starts_with('.');
    let is_old = |name: &str| name.ends_with(".json") && is_legacy_file(name);
    KnownWorkspace {
        root: root.display().to_string(),
        exists,
        reviews: reviews.map(|reviews| count(&reviews.threads(), is_review)),
        checkpoints: checkpoints
            .map(|store| count(&store.threads(), is_thread_file) + count(&store.legacy(), is_old)),
    }
}

fn count(dir: &Path, is_one: impl Fn(&str) -> bool) -> usize {
    let entries = dir.read_dir().into_iter().flatten().filter_map(Result::ok);
    entries.filter(|entry| entry.file_name().to_str().is_some_and(&is_one)).count()
}

/// Reads the root from a file of the registry; none if it is invalid.
fn root_in(path: &Path) -> Option<PathBuf> {
    path.symlink_metadata().ok().filter(|meta| meta.is_file() && meta.len() <= MAX_PATH_LEN)?;
    let mut bytes = read(path).ok()?.bytes;
    (bytes.pop() == Some(b'\n')).then_some(())?;
    Some(path_from_bytes(bytes)).filter(|root| root.is_absolute())
}

fn write(env: &Env, path: &Path, bytes: &[u8]) {
    let folder = folder(env);
    if ensure_dir(&*env.fs, &folder, 0o700).is_err() {
        return;
    }
    // The next command tries again.
    if let Ok(guard) = lock(&*env.fs, &folder, SHORT_LOCK_TIMEOUT) {
        drop(write_private(&*env.fs, &guard, path, bytes));
    }
}

fn folder(env: &Env) -> PathBuf {
    env.dirs.user_state().join(FOLDER)
}

fn path(env: &Env, root: &Path) -> PathBuf {
    let own = env.dirs.for_root(root).state;
    folder(env).join(own.file_name().unwrap_or_default())
}

fn content(root: &Path) -> Vec<u8> {
    [path_bytes(root), b"\n"].concat()
}
