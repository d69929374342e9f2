//! A copy of the review threads and checkpoints of each worktree, in git's common directory.
//!
//! `git worktree remove` deletes the stores of a worktree without asking if git ignores them, and always with `--force`; `git clean -fdX`
//! deletes the stores of the main checkout, where git ignores them unless they are shared. Every command and hook in the repository, and
//! `watch`, `serve` and `lsp` at each change, update the copy; it is read only when the worktree or its store is gone. The checkpoints of a linked
//! worktree are copied if it has its own store, as it does once they are shared. A worktree is identified by a file in its own git directory, which is deleted with it: a later
//! worktree at the same path has another id.

mod main_checkout;
mod same;

use std::cell::LazyCell;
use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::kept_state::entries;
use crate::layout::ARCHIVE;
use crate::{CheckpointStore, Env, ReviewStore, Workspace};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use skein_format::checkpoint::HandoffDoc;
use skein_git::{RepoDirs, Worktree};
use skein_store::{
    copy_document, create_new, ensure_dir_in, lock, path_bytes, path_from_bytes, write_private,
};

use same::StoreFiles;

/// Short, because the next command copies the rest.
const LOCK_TIMEOUT: Duration = Duration::from_millis(200);
/// The directory of the copies, in the git directory of a repository.
const COPIES: &str = "skein/worktrees";
/// The file with the id, in the git directory of a worktree.
const ID_FILE: &str = "skein-id";
/// The file next to the copied threads that describes the worktree.
const ABOUT_FILE: &str = "worktree.json";

/// The description of a worktree.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
struct About {
    #[serde(serialize_with = "write_path", deserialize_with = "read_path")]
    root: PathBuf,
    branch: String,
}

/// A path in a file: text, or its bytes if it is not UTF-8.
#[derive(Deserialize, Serialize)]
#[serde(untagged)]
enum StoredPath {
    Text(String),
    Bytes(Vec<u8>),
}

fn write_path<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    let stored = match path.to_str() {
        Some(text) => StoredPath::Text(text.to_owned()),
        None => StoredPath::Bytes(path_bytes(path).to_vec()),
    };
    stored.serialize(serializer)
}

fn read_path<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
    Ok(match StoredPath::deserialize(deserializer)? {
        StoredPath::Text(text) => PathBuf::from(text),
        StoredPath::Bytes(bytes) => path_from_bytes(bytes),
    })
}

/// Updates the copies: of all worktrees in the main checkout, else of this one.
///
/// Returns the errors, which callers may ignore: the next command that can write to the directory copies the rest.
pub fn refresh_copies(workspace: &Workspace) -> Vec<io::Error> {
    let Some(git) = &workspace.git else { return Vec::new() };
    let is_wanted = |worktree: &&Worktree| git.is_main() || git.top.as_ref() == Some(&worktree.top);
    let worktrees = git.worktrees();
    let main = worktrees.iter().find(|worktree| worktree.is_main);
    let main = LazyCell::new(|| Some(StoreFiles::list(&workspace.checkpoints_in(main?)?)));
    let copy = |worktree: &Worktree| {
        if worktree.is_main {
            return main_checkout::refresh(workspace, git, worktree);
        }
        let reviews = workspace.reviews_of(worktree);
        let mut files = review_files(&reviews);
        if let Some(own) = workspace.checkpoints_in(worktree) {
            files.extend(checkpoint_files(git, &workspace.env, worktree, &own, main.as_ref()));
        }
        if files.is_empty() && thread_files(&drafts_dir(&workspace.env, &reviews.root)).is_empty() {
            return Ok(());
        }
        refresh(git, &workspace.env, worktree, &reviews.root, &files, usize::MAX).map(drop)
    };
    worktrees.iter().filter(is_wanted).filter_map(|worktree| copy(worktree).err()).collect()
}

/// A file of a worktree, and its copy.
struct CopiedFile {
    file: PathBuf,
    /// The path of the copy, relative to the directory of the copies of the worktree.
    copy: PathBuf,
}

fn review_files(reviews: &ReviewStore) -> Vec<CopiedFile> {
    let copied = |file: PathBuf| {
        let copy = Path::new("threads").join(file.file_name().unwrap_or_default());
        CopiedFile { file, copy }
    };
    thread_files(&reviews.threads()).into_iter().map(copied).collect()
}

/// Lists the checkpoint files of a worktree to copy: those that were copied before, and those that differ from the main checkout. Files of
/// the main checkout are kept when the worktree is removed.
fn checkpoint_files(
    git: &RepoDirs,
    env: &Env,
    worktree: &Worktree,
    own: &CheckpointStore,
    main: Option<&StoreFiles>,
) -> Vec<CopiedFile> {
    let (threads, copy_dir) = (own.threads(), copy_dir(worktree, own));
    let id = read_id(&worktree.git_dir);
    let copied = id.map(|id| store_files(&copies(git).join(id).join(&copy_dir)));
    let copied: HashSet<PathBuf> = copied.into_iter().flatten().collect();
    let files = StoreFiles::list(own);
    let differing = main.map(|main| files.differing(main, env, &env.dirs.for_root(&own.root)));
    let is_wanted = |name: &&String| {
        copied.contains(Path::new(name))
            || differing.as_ref().is_none_or(|differing| differing.contains(name))
    };
    let copied = |name: &String| {
        let (file, copy) = (threads.join(name), copy_dir.join(name));
        CopiedFile { file, copy }
    };
    files.names().filter(is_wanted).map(copied).collect()
}

/// Returns the path of the checkpoints in the directory of the copies of a worktree.
fn copy_dir(worktree: &Worktree, own: &CheckpointStore) -> PathBuf {
    let below = own.root.strip_prefix(&worktree.top).unwrap_or(Path::new(""));
    checkpoint_copies(Path::new(""), below)
}

/// Returns the path of the checkpoints in a directory of copies; `below` is the root of their store below the top of the worktree.
pub fn checkpoint_copies(dir: &Path, below: &Path) -> PathBuf {
    dir.join("checkpoints").join(below)
}

/// Lists the checkpoint files of a store, relative to `threads`: with the archive, changeset files, and the pointer.
pub fn store_files(threads: &Path) -> Vec<PathBuf> {
    let files = store_dirs(threads).into_iter().flat_map(|dir| {
        let names = entries(&threads.join(&dir)).into_iter().filter(|name| is_store_file(name));
        names.map(move |name| dir.join(name)).collect::<Vec<_>>()
    });
    files.collect()
}

/// Returns the directories of a store, relative to `threads`: itself, and the months of the archive.
fn store_dirs(threads: &Path) -> Vec<PathBuf> {
    let archive = Path::new(ARCHIVE);
    let months = entries(&threads.join(archive)).into_iter().map(|month| archive.join(month));
    [PathBuf::new()].into_iter().chain(months).collect()
}

fn is_store_file(name: &str) -> bool {
    name == HandoffDoc::FILE_NAME || (name.starts_with("T-") && name.ends_with(".json"))
}

/// Copies at most `limit` files that changed; returns whether all copies are up to date.
fn refresh(
    git: &RepoDirs,
    env: &Env,
    worktree: &Worktree,
    root: &Path,
    files: &[CopiedFile],
    limit: usize,
) -> io::Result<bool> {
    let fs = &*env.fs;
    let id = id(git, env, &worktree.git_dir)?;
    let below = Path::new(COPIES).join(id);
    let dir = git.common_dir.join(&below);
    let parents = files.iter().filter_map(|file| file.copy.parent()).map(|one| below.join(one));
    for below in parents.chain([below.clone()]).collect::<BTreeSet<PathBuf>>() {
        ensure_dir_in(fs, &git.common_dir, &below, 0o700).map_err(io::Error::other)?;
    }
    let guard = lock(fs, &dir, LOCK_TIMEOUT).map_err(io::Error::other)?;
    let about = About { root: root.to_owned(), branch: worktree.head.label() };
    if self::about(&dir).as_ref() != Some(&about) {
        let bytes = serde_json::to_vec(&about)?;
        write_private(fs, &guard, &dir.join(ABOUT_FILE), &bytes).map_err(io::Error::other)?;
    }
    let mut copied = 0;
    for CopiedFile { file, copy } in files {
        if copied == limit {
            return Ok(false);
        }
        copied += usize::from(copy_document(fs, &guard, file, &dir.join(copy))?);
    }
    Ok(true)
}

/// A worktree that has copies.
pub struct CopiedWorktree {
    /// The directory of the copies.
    pub dir: PathBuf,
    /// Its path, which may no longer exist.
    pub root: PathBuf,
    /// The branch that it had checked out.
    pub branch: String,
    /// The worktree, if it exists.
    pub worktree: Option<Worktree>,
}

/// Lists the worktrees that have copies, in no particular order.
pub fn copied_worktrees(git: &RepoDirs) -> Vec<CopiedWorktree> {
    let mut alive: Vec<(String, Worktree)> =
        git.worktrees().into_iter().filter_map(|one| Some((read_id(&one.git_dir)?, one))).collect();
    let copied = |id: String| {
        let dir = copies(git).join(&id);
        let About { root, branch } = about(&dir)?;
        let at = alive.iter().position(|(one, _)| *one == id);
        let worktree = at.map(|at| alive.swap_remove(at).1);
        Some(CopiedWorktree { dir, root, branch, worktree })
    };
    entries(&copies(git)).into_iter().filter_map(copied).collect()
}

/// Removes the copy of a thread that was deleted on purpose; a missing copy is not an error.
pub fn forget(workspace: &Workspace, thread: &Path) {
    if let Some(copy) = copy_of(workspace, thread) {
        // A remaining copy is only offered again when the worktree is removed.
        drop(workspace.env.fs.unlink(&copy));
    }
}

/// Removes the copy of a thread that another party says was deleted: only if that party has all of the copy.
pub fn forget_same(workspace: &Workspace, thread: &Path, bytes: &[u8]) {
    let is_same = |copy: &PathBuf| skein_store::read(copy).is_ok_and(|read| read.bytes == bytes);
    if thread.symlink_metadata().is_err()
        && copy_of(workspace, thread).is_some_and(|copy| is_same(&copy))
    {
        forget(workspace, thread);
    }
}

fn copy_of(workspace: &Workspace, thread: &Path) -> Option<PathBuf> {
    let git = workspace.git.as_ref()?;
    // A linked worktree can be inside another one.
    let containing = git.worktrees().into_iter().filter(|one| thread.starts_with(&one.top));
    let innermost = containing.max_by_key(|one| one.top.components().count())?;
    let id = read_id(&innermost.git_dir)?;
    Some(copies(git).join(id).join("threads").join(thread.file_name()?))
}

/// Returns whether a file is the copy of a thread or checkpoint of a worktree.
pub fn is_copy(workspace: &Workspace, file: &Path) -> bool {
    workspace.git.as_ref().is_some_and(|git| file.starts_with(copies(git)))
}

fn copies(git: &RepoDirs) -> PathBuf {
    git.common_dir.join(COPIES)
}

fn about(dir: &Path) -> Option<About> {
    serde_json::from_slice(&skein_store::read(&dir.join(ABOUT_FILE)).ok()?.bytes).ok()
}

fn read_id(git_dir: &Path) -> Option<String> {
    let bytes = skein_store::read(&git_dir.join(ID_FILE)).ok()?.bytes;
    let id = String::from_utf8(bytes).ok()?.trim().to_owned();
    let is_plain = id.len() >= 8 && id.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    is_plain.then_some(id)
}

/// Returns the id of a worktree, creating one if it has none.
fn id(git: &RepoDirs, env: &Env, git_dir: &Path) -> io::Result<String> {
    if let Some(id) = read_id(git_dir) {
        return Ok(id);
    }
    let guard = lock(&*env.fs, git_dir, LOCK_TIMEOUT).map_err(io::Error::other)?;
    let mut id = env.ids.next();
    while copies(git).join(&id).exists() {
        id = env.ids.next();
    }
    match create_new(&*env.fs, &guard, &git_dir.join(ID_FILE), id.as_bytes(), 0o644) {
        Ok(_) => Ok(id),
        // Another command has created it first.
        Err(error) => read_id(git_dir).ok_or_else(|| io::Error::other(error)),
    }
}

/// Returns the directory of the drafts of a root, which need not exist.
pub fn drafts_dir(env: &Env, root: &Path) -> PathBuf {
    env.root_dirs(root).state.join("drafts")
}

/// Lists the thread files of a directory, sorted by name.
pub fn thread_files(dir: &Path) -> Vec<PathBuf> {
    let entries = dir.read_dir().into_iter().flatten().filter_map(Result::ok);
    let is_thread = |path: &PathBuf| {
        let hidden = path.file_name().and_then(OsStr::to_str).is_some_and(|n| n.starts_with('.'));
        !hidden && path.extension() == Some(OsStr::new("md"))
    };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_thread).collect();
    files.sort();
    files
}
