//! The state of a worktree whose directory was moved.
//!
//! State is kept under the path of a root. A file in the git directory of the worktree, which moves with it, says what
//! that path was.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use skein_store::{ensure_dir, lock, relocate, remove, write_private};

use crate::claims::DIRECTORY as CLAIMS;
use crate::env::Env;
use crate::file_error::FileError;
use crate::install;
use crate::layout::Workspace;
use crate::review;
use crate::work::WorkError;

/// The file in the git directory of a worktree.
const FILE: &str = "skein-root";
/// The directories of what must not be lost, in the state of a root.
pub(crate) const KEPT: [&str; 4] = ["drafts", DELETED_REVIEWS, "trash/drafts", "trash/checkpoints"];
/// Where review threads are that were deleted.
pub(crate) const DELETED_REVIEWS: &str = "trash/reviews";
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// Lets drafts, what was deleted, claims, submissions and what was installed follow a worktree that was moved since the last command.
///
/// A directory that is still where it was is another one: this one is a copy of it.
pub fn follow_move(workspace: &Workspace, env: &Env) -> Result<(), WorkError> {
    let Some(git) = &workspace.git else { return Ok(()) };
    let Some(top) = git.top.as_deref().filter(|_| env.dirs.read_only.is_none()) else {
        return Ok(());
    };
    let known = noted(&git.git_dir);
    if known.as_deref() == Some(top) || (known.is_none() && !is_used(env, top)) {
        return Ok(());
    }
    if let Some(old) = old_top(&git.git_dir, top) {
        let [from, to] = [&old, top].map(|root| env.dirs.for_root(root).state);
        move_kept(env, &from, &to, &mut |_, _| ())?;
        move_files(env, CLAIMS, &from, &to, &mut |_, _| ())?;
        review::move_rounds(env, git, (&from, &to)).map_err(Box::new)?;
        install::relocate(env, &old, top)?;
    }
    let guard = lock(&*env.fs, &git.git_dir, LOCK_TIMEOUT)?;
    let file = git.git_dir.join(FILE);
    Ok(write_private(&*env.fs, &guard, &file, top.as_os_str().as_bytes())?)
}

/// Returns where a worktree was when that was last noted, if it is somewhere else and nothing is there any more.
pub(crate) fn old_top(git_dir: &Path, top: &Path) -> Option<PathBuf> {
    let old = noted(git_dir).filter(|old| old != top && old.is_absolute())?;
    old.symlink_metadata().is_err().then_some(old)
}

/// Removes the note of where a worktree is, unless something is kept under that path.
pub(crate) fn forget_place(env: &Env, git_dir: &Path, top: &Path) -> Result<(), FileError> {
    let file = git_dir.join(FILE);
    let Some(snapshot) = skein_store::read(&file).ok().filter(|_| !is_used(env, top)) else {
        return Ok(());
    };
    let guard = lock(&*env.fs, git_dir, LOCK_TIMEOUT)?;
    Ok(remove(&*env.fs, &guard, &file, &snapshot.revision)?)
}

fn noted(git_dir: &Path) -> Option<PathBuf> {
    let bytes = skein_store::read(&git_dir.join(FILE)).ok()?.bytes;
    Some(PathBuf::from(OsStr::from_bytes(&bytes)))
}

/// Returns whether something is kept under the path of a worktree.
fn is_used(env: &Env, top: &Path) -> bool {
    env.dirs.for_root(top).state.is_dir() || install::serves(env, top)
}

/// Moves drafts, and what was deleted, from one state directory to another; false where there was nothing.
pub(crate) fn move_kept(
    env: &Env,
    from: &Path,
    to: &Path,
    moved: &mut dyn FnMut(&str, &str),
) -> Result<bool, WorkError> {
    let mut is_moved = false;
    for kind in KEPT {
        is_moved |= move_files(env, kind, from, to, moved)?;
    }
    Ok(is_moved)
}

/// Moves the files of one directory below a state directory to another one; false where there are none.
fn move_files(
    env: &Env,
    kind: &str,
    from: &Path,
    to: &Path,
    moved: &mut dyn FnMut(&str, &str),
) -> Result<bool, WorkError> {
    let (dir, to) = (from.join(kind), to.join(kind));
    let mut files = entries(&dir);
    files.retain(|name| dir.join(name).is_file());
    if files.is_empty() {
        return Ok(false);
    }
    let guard = lock(&*env.fs, &dir, LOCK_TIMEOUT)?;
    ensure_dir(&*env.fs, &to, 0o700)?;
    for name in files {
        relocate(&*env.fs, &guard, &dir.join(&name), &to.join(&name))?;
        moved(kind, &name);
    }
    Ok(true)
}

/// Returns the names in a directory.
pub(crate) fn entries(dir: &Path) -> Vec<String> {
    let entries = dir.read_dir().into_iter().flatten().filter_map(Result::ok);
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}
