//! Moves drafts and deleted files from one state directory to another.

use std::path::Path;
use std::time::Duration;

use skein_store::{ensure_dir, lock, relocate};

use crate::env::Env;
use crate::file_error::FileError;

/// The directories that must not be lost, in the state directory of a root.
pub(crate) const KEPT_DIRS: [&str; 4] =
    ["drafts", DELETED_REVIEWS, "trash/drafts", "trash/checkpoints"];
/// The directory of deleted review threads.
pub const DELETED_REVIEWS: &str = "trash/reviews";
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// Moves drafts and deleted files from one state directory to another; false if there were none.
pub fn move_kept(
    env: &Env,
    from: &Path,
    to: &Path,
    moved: &mut dyn FnMut(&str, &str),
) -> Result<bool, FileError> {
    let mut is_moved = false;
    for kind in KEPT_DIRS {
        is_moved |= move_files(env, kind, from, to, moved)?;
    }
    Ok(is_moved)
}

/// Moves the files of one directory of a state directory to another one; false if there are none.
pub fn move_files(
    env: &Env,
    kind: &str,
    from: &Path,
    to: &Path,
    moved: &mut dyn FnMut(&str, &str),
) -> Result<bool, FileError> {
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
pub fn entries(dir: &Path) -> Vec<String> {
    let entries = dir.read_dir().into_iter().flatten().filter_map(Result::ok);
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}
