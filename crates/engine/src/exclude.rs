//! The repository's own ignore file, which keeps a store out of commits.

use std::path::Path;
use std::time::Duration;

use skein_git::Layout;
use skein_store::{RealFs, create_new, ensure_dir, lock, remove, remove_empty_dir, replace};

use crate::review::WriteError;

const PATIENCE: Duration = Duration::from_secs(5);

/// Lists a directory, and returns the line if it was not there; nothing is done outside of the worktree.
///
/// The path must be canonical as far as the worktree goes.
pub(crate) fn hide(git: &Layout, dir: &Path) -> Result<Option<String>, WriteError> {
    let Some(line) = line(git, dir) else {
        return Ok(None);
    };
    let changed = rewrite(git, &|old| {
        if lines(old).any(|one| one.trim_ascii() == line.as_bytes()) {
            return old.to_vec();
        }
        let gap: &[u8] = if old.is_empty() || old.ends_with(b"\n") { b"" } else { b"\n" };
        [old, gap, line.as_bytes(), b"\n"].concat()
    })?;
    Ok(changed.then_some(line))
}

/// Takes the line out again; true when it was there.
pub(crate) fn show(git: &Layout, dir: &Path) -> Result<bool, WriteError> {
    let Some(line) = line(git, dir) else {
        return Ok(false);
    };
    let other = |one: &&[u8]| one.trim_ascii() != line.as_bytes();
    rewrite(git, &|old| lines(old).filter(other).collect::<Vec<_>>().concat())
}

/// Splits the file, which git reads as bytes, into lines with their ends.
pub(crate) fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n')
}

/// Returns the line that hides a directory.
fn line(git: &Layout, dir: &Path) -> Option<String> {
    let below = dir.strip_prefix(git.top.as_deref()?).ok()?.to_str()?;
    Some(format!("/{}/", escape(below)))
}

/// Takes the meaning from characters that a pattern would read as its own.
pub(crate) fn escape(path: &str) -> String {
    let special = |c: char| matches!(c, '*' | '?' | '[' | '\\');
    path.chars().fold(String::new(), |mut text, c| {
        if special(c) {
            text.push('\\');
        }
        text.push(c);
        text
    })
}

/// Replaces what the repository's own ignore file says; true when that is something else.
pub(crate) fn rewrite(git: &Layout, edit: &dyn Fn(&[u8]) -> Vec<u8>) -> Result<bool, WriteError> {
    let path = git.exclude_file();
    let dir = path.parent().unwrap_or(&git.common_dir);
    ensure_dir(&RealFs, dir, 0o777)?;
    let guard = lock(&RealFs, dir, PATIENCE)?;
    let old = match skein_store::read(&path) {
        Ok(snapshot) => Some(snapshot),
        Err(skein_store::ReadError::NotFound { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let there = old.as_ref().map_or(&[][..], |old| old.bytes.as_slice());
    let edited = edit(there);
    if edited == there {
        return Ok(false);
    }
    match old {
        Some(old) => replace(&RealFs, &guard, &path, &old.revision, &edited).map(drop)?,
        None => create_new(&RealFs, &guard, &path, &edited, 0o666).map(drop)?,
    }
    Ok(true)
}

/// Removes an ignore file that says nothing, which git takes for none.
pub(crate) fn drop_empty(git: &Layout) -> Result<(), WriteError> {
    let path = git.exclude_file();
    let dir = path.parent().unwrap_or(&git.common_dir);
    let guard = lock(&RealFs, dir, PATIENCE)?;
    let old = skein_store::read(&path)?;
    if old.bytes.is_empty() {
        remove(&RealFs, &guard, &path, &old.revision)?;
        drop(guard);
        // A folder that holds something else stays.
        remove_empty_dir(dir).unwrap_or(false);
    }
    Ok(())
}
