//! Sets up and removes the merge drivers: files in the repository, and git's configuration.

use std::path::Path;

use skein_git::{Repo, RunError};
use skein_store::{DirLock, Edit};

use crate::env::Env;
use crate::file_error::{FileError, wrap_file_errors};
use crate::update::Document;

/// If the program is missing or fails, git's own merge writes conflict markers instead of one side alone.
const COMMAND: &str = "s=2; command -v skein >/dev/null 2>&1 && { skein merge-driver -- %O %A %B %P; s=$?; }; \
                       [ $s -le 1 ] && exit $s; git merge-file -L ours -L base -L theirs %A %O %B";

/// Why git was not set up.
#[derive(Debug, thiserror::Error)]
pub enum GitSetupError {
    /// Git failed.
    #[error("git could not be set up")]
    Git(#[from] RunError),
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

wrap_file_errors!(GitSetupError);

/// The removed parts, one line each for the user.
#[derive(Debug, Default)]
pub struct SetupRemoval {
    /// Whether to report without writing.
    pub dry_run: bool,
    /// What was removed, or would be, and what is kept.
    pub done: Vec<String>,
    /// Whether anything was removed, or would be.
    pub has_removed: bool,
}

impl SetupRemoval {
    /// Records that something was removed, or would be.
    pub fn removed(&mut self, what: &str) {
        let verb = if self.dry_run { "Would remove" } else { "Removed" };
        self.done.push(format!("{verb} {what}"));
        self.has_removed = true;
    }

    /// Removes a merge driver from git's configuration; returns whether it was there.
    pub fn driver(&self, repo: &Repo, driver: &str) -> Result<bool, RunError> {
        // Without it nothing is written, which may be impossible.
        let is_set = repo.config_get(&format!("{driver}.driver"))?.is_some();
        Ok(is_set && (self.dry_run || repo.config_remove_section_local(driver)?))
    }

    /// Removes Skein's text from a file; returns whether it was removed.
    ///
    /// A committed file is kept, because it is shared by all users of the repository.
    pub fn file(
        &mut self,
        env: &Env,
        guard: &DirLock,
        (path, text): (&Path, &str),
        (repo, below): &(Option<&Repo>, String),
        shown: &str,
    ) -> Result<bool, GitSetupError> {
        if !holds(path, text) {
            return Ok(false);
        }
        if let Some(repo) = repo
            && repo.is_tracked(below)?
        {
            self.done.push(format!(
                "{shown} stays: it is committed; `git rm` it to stop sharing threads"
            ));
            return Ok(false);
        }
        if !self.dry_run && !remove_text(env, guard, path, text)? {
            return Ok(false);
        }
        self.removed(shown);
        Ok(true)
    }
}

fn holds(path: &Path, text: &str) -> bool {
    let read = skein_store::read(path).ok().filter(|_| !path.is_symlink());
    read.is_some_and(|old| position(&old.bytes, text).is_some())
}

/// Removes the text from a file, or the file if it has nothing else.
pub fn remove_text(env: &Env, guard: &DirLock, path: &Path, text: &str) -> Result<bool, FileError> {
    if path.is_symlink() {
        return Ok(false);
    }
    let updated = Document::new(guard, path, 0o666).update(env, |old| {
        let Some(old) = old else { return Ok(Edit::Keep(false)) };
        if old == text.as_bytes() {
            return Ok(Edit::Remove(true));
        }
        let Some(at) = position(old, text) else { return Ok(Edit::Keep(false)) };
        let mut rest = old.to_vec();
        rest.drain(at..at + text.len());
        Ok::<_, FileError>(Edit::Write(rest, true))
    })?;
    Ok(updated.value)
}

/// Returns the position of a text in bytes that may not be valid text.
pub fn position(bytes: &[u8], text: &str) -> Option<usize> {
    bytes.windows(text.len()).position(|window| window == text.as_bytes())
}

/// Adds a merge driver to git's configuration; returns whether something changed.
pub fn configure(repo: &Repo, driver: &str, what: &str) -> Result<bool, RunError> {
    let mut changed = false;
    for (key, value) in [("name", what), ("driver", COMMAND)] {
        let key = format!("{driver}.{key}");
        if repo.config_get(&key)?.as_deref() != Some(value) {
            repo.config_set_local(&key, value)?;
            changed = true;
        }
    }
    Ok(changed)
}

/// Adds the text to a file, unless the file already has it.
pub fn put(env: &Env, guard: &DirLock, path: &Path, text: &str) -> Result<bool, FileError> {
    // A link in an untrusted repository could point to another file.
    if path.is_symlink() {
        return Err(FileError::Link { path: path.to_owned() });
    }
    let updated = Document::new(guard, path, 0o666).update(env, |old| {
        let old = old.unwrap_or_default();
        if position(old, text.trim_end()).is_some() {
            return Ok(Edit::Keep(false));
        }
        let gap: &[u8] = if old.is_empty() || old.ends_with(b"\n") { b"" } else { b"\n" };
        Ok::<_, FileError>(Edit::Write([old, gap, text.as_bytes()].concat(), true))
    })?;
    Ok(updated.value)
}
