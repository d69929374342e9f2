//! A copy of the threads of each linked worktree, in git's common directory.
//!
//! `git worktree remove` deletes the store of a worktree without asking, because git ignores it. The copy is brought up
//! to date by every command that runs in the repository, and is read only when the worktree is gone.
//! A worktree is known by an id in its own share of the git directory, which goes with it: a worktree that is made later
//! at the same place is another one.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use skein_format::diagnostic::Code;
use skein_format::review::ReviewDoc;
use skein_git::{Layout, Worktree};
use skein_store::{copy_document, create_new, ensure_dir, lock, write_private};

use super::draft;
use crate::discover::{Reviews, Workspace};
use crate::env::Env;
use crate::lexical::stem;
use crate::view::Diag;

/// A command does not wait for others: whichever comes last copies what changed.
const LOCK_TIMEOUT: Duration = Duration::from_millis(200);
/// The file in a worktree's share of the git directory.
const ID_FILE: &str = "skein-id";
/// The file beside the copied threads that describes the worktree.
const ABOUT_FILE: &str = "worktree.json";

/// What is known about a worktree.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
struct About {
    root: PathBuf,
    branch: String,
}

/// A linked worktree that is gone, or that has lost its store, with what was in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemovedWorktree {
    /// Where it was.
    pub root: PathBuf,
    /// Whether the worktree is still there, and only its store, or a part of that, is gone.
    pub is_there: bool,
    /// Whether the store is there again, without the threads that were in it.
    pub has_store: bool,
    /// The branch that it had checked out.
    pub branch: String,
    /// The copies of its threads.
    pub threads: Vec<PathBuf>,
    /// Its drafts.
    pub drafts: Vec<PathBuf>,
}

/// Copies what changed in the stores of the linked worktrees: of all of them in the main checkout, else of this one.
///
/// Returns the errors, which nothing depends on: a directory that may not be written is caught up by the next command
/// that can.
pub fn refresh_copies(workspace: &Workspace, env: &Env) -> Vec<io::Error> {
    let Some(git) = &workspace.git else { return Vec::new() };
    let is_wanted = |worktree: &&Worktree| {
        !worktree.is_main && (git.is_main() || git.top.as_ref() == Some(&worktree.top))
    };
    let worktrees = git.worktrees();
    let copy = |worktree: &Worktree| refresh(git, env, worktree, &workspace.reviews_of(worktree));
    worktrees.iter().filter(is_wanted).filter_map(|worktree| copy(worktree).err()).collect()
}

fn refresh(git: &Layout, env: &Env, worktree: &Worktree, reviews: &Reviews) -> io::Result<()> {
    let threads = thread_files(&reviews.threads());
    if threads.is_empty() && thread_files(&draft::dir_of(env, &reviews.root)).is_empty() {
        return Ok(());
    }
    let fs = &*env.fs;
    let id = id(git, env, &worktree.git_dir)?;
    let dir = copies(git).join(id);
    let copied = dir.join("threads");
    ensure_dir(fs, &copied, 0o700).map_err(io::Error::other)?;
    let guard = lock(fs, &dir, LOCK_TIMEOUT).map_err(io::Error::other)?;
    let about = About { root: reviews.root.clone(), branch: worktree.head.label() };
    if self::about(&dir).as_ref() != Some(&about) {
        let bytes = serde_json::to_vec(&about)?;
        write_private(fs, &guard, &dir.join(ABOUT_FILE), &bytes).map_err(io::Error::other)?;
    }
    for file in threads {
        copy_document(fs, &guard, &file, &copied.join(file.file_name().unwrap_or_default()))?;
    }
    Ok(())
}

/// Removes the copy of a thread that was deleted on purpose; one that is not there is no error.
pub(crate) fn forget(workspace: &Workspace, env: &Env, thread: &Path) {
    let Some(git) = &workspace.git else { return };
    let found = git.worktrees().into_iter().find(|one| thread.starts_with(&one.top));
    let id = found.filter(|one| !one.is_main).and_then(|one| read_id(&one.git_dir));
    if let (Some(id), Some(name)) = (id, thread.file_name()) {
        // A copy that stays is offered once more when the worktree is gone, which loses nothing.
        drop(env.fs.unlink(&copies(git).join(id).join("threads").join(name)));
    }
}

/// Lists the worktrees that are gone and had threads or drafts, by their roots.
///
/// So are those whose store was deleted, as by `git clean -x`, also where it was made again since. A thread that a store has
/// with all of its comments is not missing.
pub fn removed_worktrees(workspace: &Workspace, env: &Env) -> Vec<RemovedWorktree> {
    let Some(git) = &workspace.git else { return Vec::new() };
    let alive: Vec<(String, Worktree)> =
        git.worktrees().into_iter().filter_map(|one| Some((read_id(&one.git_dir)?, one))).collect();
    let entries = copies(git).read_dir().into_iter().flatten().filter_map(Result::ok);
    let has_store =
        |worktree: &Worktree| workspace.reviews_of(worktree).store().symlink_metadata().is_ok();
    let mut all: Vec<RemovedWorktree> = entries
        .filter_map(|entry| {
            let there = alive.iter().find(|(id, _)| entry.file_name() == **id);
            let is_there = there.is_some();
            let has_store = there.is_some_and(|(_, worktree)| has_store(worktree));
            let About { root, branch } = about(&entry.path())?;
            let mut threads = thread_files(&entry.path().join("threads"));
            let store = there.map(|(_, worktree)| workspace.reviews_of(worktree));
            let is_kept = |copy: &PathBuf| {
                let stores = store.iter().chain([&workspace.reviews]);
                stores.into_iter().any(|reviews| has_all(reviews, copy))
            };
            threads.retain(|copy| !is_kept(copy));
            // A worktree that was made again at the same place has these drafts.
            let is_back = root.join(".git").exists();
            let drafts =
                if is_back { Vec::new() } else { thread_files(&draft::dir_of(env, &root)) };
            Some(RemovedWorktree { root, is_there, has_store, branch, threads, drafts })
        })
        .filter(|one| !one.threads.is_empty() || !one.drafts.is_empty())
        .collect();
    all.sort_by(|a, b| (&a.root, &a.threads).cmp(&(&b.root, &b.threads)));
    all
}

/// Reports the worktrees that are gone and had threads or drafts.
pub(crate) fn report_removed(workspace: &Workspace, env: &Env) -> Vec<Diag> {
    let report = |one: RemovedWorktree| {
        let counts = [(one.threads.len(), "thread"), (one.drafts.len(), "draft")];
        let counts = counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| {
            let plural = if *count == 1 { "" } else { "s" };
            format!("{count} {what}{plural}")
        });
        let message = format!(
            "{} of the removed {} on {} can be restored: `skein review restore --worktree {}`",
            counts.collect::<Vec<_>>().join(" and "),
            if one.is_there { "store of the worktree" } else { "worktree" },
            one.branch,
            shell_word(&one.branch)
        );
        Diag::new(Code::WorktreeRemoved, &one.root.display().to_string(), None, message)
    };
    // Of threads that vanished from a store that is there another program may know why.
    let gone = removed_worktrees(workspace, env).into_iter().filter(|one| !one.has_store);
    gone.map(report).collect()
}

/// Writes a name as one word of a shell.
fn shell_word(name: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-');
    if name.chars().all(is_plain) {
        return name.into();
    }
    format!("'{}'", name.replace('\'', "'\\''")).into()
}

/// Returns whether a store has a thread with all comments of a copy.
fn has_all(reviews: &Reviews, copy: &Path) -> bool {
    let comments = |file: &Path| -> Option<Vec<(String, String)>> {
        let bytes = skein_store::read(file).ok()?.bytes;
        let doc = ReviewDoc::parse(bytes, &stem(file), &reviews.store_path).0;
        Some(doc.comments().into_iter().map(|one| (one.id, one.body)).collect())
    };
    let there = reviews.threads().join(copy.file_name().unwrap_or_default());
    let Some(there) = there.is_file().then(|| comments(&there)).flatten() else { return false };
    comments(copy).is_some_and(|copied| copied.iter().all(|one| there.contains(one)))
}

fn copies(git: &Layout) -> PathBuf {
    git.common_dir.join("skein").join("worktrees")
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

/// Returns the id of a worktree, making one where it has none.
fn id(git: &Layout, env: &Env, git_dir: &Path) -> io::Result<String> {
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
        // Another command was faster.
        Err(error) => read_id(git_dir).ok_or_else(|| io::Error::other(error)),
    }
}

/// Lists the thread files of a directory, in the order of their names.
fn thread_files(dir: &Path) -> Vec<PathBuf> {
    let entries = dir.read_dir().into_iter().flatten().filter_map(Result::ok);
    let is_thread = |path: &PathBuf| {
        let hidden = path.file_name().and_then(OsStr::to_str).is_some_and(|n| n.starts_with('.'));
        !hidden && path.extension() == Some(OsStr::new("md"))
    };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_thread).collect();
    files.sort();
    files
}
