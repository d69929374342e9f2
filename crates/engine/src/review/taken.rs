//! What is taken back of a setup, or would be.

use std::path::Path;

use skein_git::{Repo, RunError};
use skein_store::{Edit, Guard};

use super::share::SetupError;
use super::write_error::WriteError;
use crate::env::Env;
use crate::update::{Document, NEVER_MERGE};

/// What was taken back, each in a line for the user.
pub(crate) struct Taken {
    /// Whether to tell and not to write.
    pub(crate) dry_run: bool,
    pub(crate) done: Vec<String>,
}

impl Taken {
    /// Says that something is gone, or would be.
    pub(crate) fn removed(&mut self, what: &str) {
        let verb = if self.dry_run { "Would remove" } else { "Removed" };
        self.done.push(format!("{verb} {what}"));
    }

    /// Takes a merge driver out of git's configuration; true when it was there.
    pub(crate) fn driver(&self, repo: &Repo, driver: &str) -> Result<bool, RunError> {
        match self.dry_run {
            true => Ok(repo.config_get(&format!("{driver}.driver"))?.is_some()),
            false => repo.config_remove_section_local(driver),
        }
    }

    /// Takes a text of ours out of a file; true when it is not there any more.
    ///
    /// What is committed is the repository's, and so everybody's who works on it: it stays.
    pub(crate) fn file(
        &mut self,
        env: &Env,
        guard: &Guard,
        (path, text): (&Path, &str),
        (repo, below): &(Option<&Repo>, String),
        shown: &str,
    ) -> Result<bool, SetupError> {
        if !holds(path, text) {
            return Ok(false);
        }
        if let Some(repo) = repo
            && repo.is_tracked(below)?
        {
            self.done.push(format!(
                "{shown} stays: it is committed; `git rm` it if nobody is to share threads any more"
            ));
            return Ok(false);
        }
        if !self.dry_run && !take(env, guard, path, text)? {
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

/// Removes a file that says nothing but this, or takes this out of what it says.
pub(super) fn take(env: &Env, guard: &Guard, path: &Path, text: &str) -> Result<bool, WriteError> {
    if path.is_symlink() {
        return Ok(false);
    }
    let document =
        Document { guard, path, mode: 0o666, is_complete: &|_| true, merge: NEVER_MERGE };
    let updated = document.update(env, |old| {
        let Some(old) = old else { return Ok(Edit::Keep(false)) };
        if old == text.as_bytes() {
            return Ok(Edit::Remove(true));
        }
        let Some(at) = position(old, text) else { return Ok(Edit::Keep(false)) };
        let mut rest = old.to_vec();
        rest.drain(at..at + text.len());
        Ok::<_, WriteError>(Edit::Write(rest, true))
    })?;
    Ok(updated.value)
}

/// Returns where a text begins in what need not be text itself.
pub(super) fn position(bytes: &[u8], text: &str) -> Option<usize> {
    bytes.windows(text.len()).position(|window| window == text.as_bytes())
}
