//! The ignore file `.git/info/exclude`, which keeps a store out of commits.

use std::path::Path;
use std::time::Duration;

use skein_git::RepoDirs;
use skein_store::{Edit, ensure_dir, lock, remove_empty_dir};

use crate::env::Env;
use crate::file_error::FileError;
use crate::update::Document;

const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// Adds a directory, and returns the line if it is new; does nothing outside the worktree.
///
/// The top of the worktree must be a literal prefix of the path.
pub fn add(env: &Env, git: &RepoDirs, dir: &Path) -> Result<Option<String>, FileError> {
    let Some(line) = line(git, dir) else { return Ok(None) };
    let changed = rewrite(env, git, &|old| with(old, &line))?;
    Ok(changed.then_some(line))
}

/// Removes the line; returns whether it was there.
pub fn remove(env: &Env, git: &RepoDirs, dir: &Path) -> Result<bool, FileError> {
    let Some(line) = line(git, dir) else { return Ok(false) };
    rewrite(env, git, &|old| without(old, &|one| one == line.as_bytes()))
}

/// Appends a line, unless the file has it.
///
/// If the last line has no line end, neither does the new one, so that removing it restores the original bytes.
pub fn with(old: &[u8], line: &str) -> Vec<u8> {
    if lines(old).any(|one| one.trim_ascii() == line.as_bytes()) {
        return old.to_vec();
    }
    match old.is_empty() || old.ends_with(b"\n") {
        true => [old, line.as_bytes(), b"\n"].concat(),
        false => [old, b"\n", line.as_bytes()].concat(),
    }
}

/// Removes lines; `is_gone` gets them without surrounding white space.
pub fn without(old: &[u8], is_gone: &dyn Fn(&[u8]) -> bool) -> Vec<u8> {
    let stays = |one: &&[u8]| !is_gone(one.trim_ascii());
    let mut left = lines(old).filter(stays).collect::<Vec<_>>().concat();
    if left.len() < old.len() && !old.ends_with(b"\n") && left.ends_with(b"\n") {
        left.pop();
    }
    left
}

/// Splits the file into lines with their ends; bytes, as git reads it.
pub fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n')
}

/// Returns the line that excludes a directory.
fn line(git: &RepoDirs, dir: &Path) -> Option<String> {
    let below = dir.strip_prefix(git.top.as_deref()?).ok()?.to_str()?;
    Some(format!("/{}/", escape(below)))
}

/// Escapes the special characters of a pattern.
pub fn escape(path: &str) -> String {
    let special = |c: char| matches!(c, '*' | '?' | '[' | '\\');
    path.chars().fold(String::new(), |mut text, c| {
        if special(c) {
            text.push('\\');
        }
        text.push(c);
        text
    })
}

/// Rewrites the ignore file; returns whether it changed.
pub fn rewrite(
    env: &Env,
    git: &RepoDirs,
    edit: &dyn Fn(&[u8]) -> Vec<u8>,
) -> Result<bool, FileError> {
    let path = git.exclude_file();
    let dir = path.parent().unwrap_or(&git.common_dir);
    ensure_dir(&*env.fs, dir, 0o777)?;
    let guard = lock(&*env.fs, dir, LOCK_TIMEOUT)?;
    let updated = Document::new(&guard, &path, 0o666).update(env, |old| {
        let old = old.unwrap_or_default();
        let edited = edit(old);
        Ok::<_, FileError>(match edited == old {
            true => Edit::Keep(false),
            false => Edit::Write(edited, true),
        })
    })?;
    Ok(updated.value)
}

/// Removes an empty ignore file, which git treats like a missing one.
pub fn drop_empty(env: &Env, git: &RepoDirs) -> Result<(), FileError> {
    let path = git.exclude_file();
    let dir = path.parent().unwrap_or(&git.common_dir);
    let guard = lock(&*env.fs, dir, LOCK_TIMEOUT)?;
    let old = skein_store::read(&path)?;
    if old.bytes.is_empty() {
        skein_store::remove(&*env.fs, &guard, &path, &old.revision)?;
        drop(guard);
        // A directory that is not empty is kept.
        remove_empty_dir(dir).unwrap_or(false);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removing_added_lines_restores_the_file() {
        for old in ["", "a", "a\n", "a\r\nb", "\n", "# note\n\n", "a\nb  "] {
            let with =
                ["/x", "/y"].iter().fold(old.as_bytes().to_vec(), |old, line| with(&old, line));
            for order in [["/x", "/y"], ["/y", "/x"]] {
                let left = order
                    .iter()
                    .fold(with.clone(), |old, line| without(&old, &|one| one == line.as_bytes()));
                assert_eq!(left, old.as_bytes(), "{old:?}");
            }
            let both = without(&with, &|one| one.starts_with(b"/"));
            assert_eq!(both, old.as_bytes(), "{old:?}");
        }
    }
}
