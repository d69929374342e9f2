//! The workspaces that commands were used in on this machine, so that all of them can be searched at once.
//!
//! Each root has a small file of its own in the state directory. Its name is made from the root and its content is the root,
//! so that a foreign or incomplete file is recognised.

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
/// No path is longer on any system that is known.
const MAX_PATH_LEN: u64 = 64 * 1024;
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);
/// How long to wait for a lock that a starting process may still hold.
const MOMENT: Duration = Duration::from_millis(100);

/// A workspace that is remembered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KnownWorkspace {
    /// Its root.
    pub root: String,
    /// Whether the root is still there.
    pub exists: bool,
    /// The number of review threads; none where it has no store of them.
    pub reviews: Option<usize>,
    /// The number of checkpoints; none where it has no store of them.
    pub checkpoints: Option<usize>,
}

/// Remembers a workspace that has review threads or checkpoints.
///
/// If it is already recorded, this reads one file. Errors are ignored: the next command tries again,
/// and nothing but a search of the whole machine would miss it.
pub fn remember(env: &Env, workspace: &Workspace) {
    let Workspace { reviews, checkpoints, .. } = workspace;
    let stores = [(reviews.exists, &reviews.root), (checkpoints.exists, &checkpoints.root)];
    let existing = stores.into_iter().filter(|(exists, _)| *exists);
    let mut roots: Vec<PathBuf> = existing.map(|(_, root)| canonical(root)).collect();
    roots.dedup();
    for root in roots {
        let path = path(env, &root);
        let bytes = content(&root);
        // A power cut may have left an empty file.
        let is_complete =
            |meta: Metadata| meta.is_file() && usize::try_from(meta.len()) == Ok(bytes.len());
        if !path.symlink_metadata().is_ok_and(is_complete) {
            write(env, &path, &bytes);
        }
    }
}

/// Lists the workspaces that are remembered, by their roots.
pub fn list(env: &Env, progress: &dyn Progress) -> Vec<KnownWorkspace> {
    let roots = known(env);
    let look = |(done, root): (usize, &PathBuf)| {
        progress.step(done, roots.len());
        look(env, root)
    };
    roots.iter().enumerate().map(look).collect()
}

/// A workspace that one can go to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReachableWorkspace {
    /// What is known of it.
    #[serde(flatten)]
    pub known: KnownWorkspace,
    /// The branch, where there is one.
    pub branch: Option<String>,
    /// Whether it is the one that one is in.
    pub here: bool,
}

/// Lists the workspaces that are remembered, and the worktrees of the repository that one is in, by their roots.
pub fn reachable(env: &Env, workspace: &Workspace) -> Vec<ReachableWorkspace> {
    let own = canonical(&workspace.reviews.root);
    let all = reachable_roots(env, workspace);
    let one = |root: &PathBuf| {
        let known = look(env, root);
        let git = known.exists.then(|| discover_in(env, root).git).flatten();
        ReachableWorkspace { known, branch: git.map(|git| git.head().label()), here: *root == own }
    };
    all.iter().map(one).collect()
}

/// Returns the root that a text names, if it is one of those that [`reachable`] lists and is still there.
pub fn reach(env: &Env, workspace: &Workspace, root: &str) -> Option<PathBuf> {
    let all = reachable_roots(env, workspace).into_iter();
    all.filter(|one| one.is_dir()).find(|one| one.display().to_string() == root)
}

fn reachable_roots(env: &Env, workspace: &Workspace) -> Vec<PathBuf> {
    let worktrees = workspace.git.iter().flat_map(skein_git::RepoDirs::worktrees);
    let mut all = known(env);
    all.push(canonical(&workspace.reviews.root));
    all.extend(worktrees.map(|worktree| worktree.top));
    all.sort();
    all.dedup();
    all
}

/// Returns the roots of the workspaces that are remembered and still there, in order.
pub fn roots(env: &Env) -> Vec<PathBuf> {
    known(env).into_iter().filter(|root| root.is_dir()).collect()
}

/// Returns the roots that are remembered and not there any more, in order.
pub fn gone(env: &Env) -> Vec<PathBuf> {
    known(env).into_iter().filter(|root| !root.is_dir()).collect()
}

/// Forgets a workspace, and returns its root; none where it was not known.
///
/// It comes back as soon as a command is used there, unless its threads are gone.
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

/// Forgets all workspaces.
pub fn forget_all(env: &Env) -> Result<(), FileError> {
    for root in known(env) {
        forget(env, &root)?;
    }
    Ok(())
}

/// Removes the folder of what is remembered, where nothing is.
pub fn sweep(env: &Env) {
    // A folder that holds something else stays.
    remove_empty_dir(&folder(env)).unwrap_or(false);
}

/// Reads the roots; unknown files are ignored.
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

/// Reads the root that a file of the folder names; none where it names none.
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
    // A process that holds the lock longer does the same, and the next command tries again.
    if let Ok(guard) = lock(&*env.fs, &folder, MOMENT) {
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
