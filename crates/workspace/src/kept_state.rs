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

/// Moves drafts and deleted files from one state directory to another.
pub fn move_kept(env: &Env, from: &Path, to: &Path) -> Result<(), FileError> {
    for kind in KEPT_DIRS {
        move_files(env, kind, from, to)?;
    }
    Ok(())
}

/// Moves the files of one directory of a state directory to another one.
pub fn move_files(env: &Env, kind: &str, from: &Path, to: &Path) -> Result<(), FileError> {
    let (dir, to) = (from.join(kind), to.join(kind));
    let mut files = entries(&dir);
    files.retain(|name| dir.join(name).is_file());
    if files.is_empty() {
        return Ok(());
    }
    let guard = lock(&*env.fs, &dir, LOCK_TIMEOUT)?;
    ensure_dir(&*env.fs, &to, 0o700)?;
    for name in files {
        relocate(&*env.fs, &guard, &dir.join(&name), &to.join(&name))?;
    }
    Ok(())
}

/// Returns the names in a directory.
pub fn entries(dir: &Path) -> Vec<String> {
    let entries = dir.read_dir().into_iter().flatten().filter_map(Result::ok);
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}
