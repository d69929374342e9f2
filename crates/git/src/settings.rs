//! Reads the configuration of git, and changes that of a repository.

use std::path::{Path, PathBuf};

use crate::command::unguarded_command;
use crate::platform::path_from_bytes;
use crate::repo::Repo;
use crate::run::{RunError, run, split, text};

/// Returns the `user.name` that git uses for a commit in `dir`.
///
/// `None` if it is not set, or if git cannot be run: the caller has other ways to name an author.
pub fn user_name(dir: &Path) -> Option<String> {
    let name = text(&run(dir, ["config", "--get", "user.name"]).ok()?);
    let name = name.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

impl Repo {
    /// Returns the effective value of `key` in this repository.
    pub fn config_get(&self, key: &str) -> Result<Option<String>, RunError> {
        let mut command = self.git_with(["config", "--get", "-z"]);
        command.names([key]);
        let stdout = self.answer(command)?;
        Ok(stdout.map(|value| text(value.strip_suffix(b"\0").unwrap_or(&value))))
    }

    /// Returns the configured URL of `origin`.
    ///
    /// It may contain credentials.
    pub fn remote_url(&self) -> Result<Option<String>, RunError> {
        let listed =
            self.answer(self.git_with(["config", "-z", "--get-all", "remote.origin.url"]))?;
        // git fetches from the first of several URLs.
        Ok(split(&listed.unwrap_or_default()).next().map(text))
    }

    /// Returns the directory in which git looks for hooks; it may not exist.
    pub fn hooks_dir(&self) -> Result<PathBuf, RunError> {
        // Not with `Repo::git`, which disables hooks.
        let mut command = unguarded_command(self.top());
        command.args(["rev-parse", "--git-path", "hooks"]);
        let stdout = self.finish(command)?;
        let path = stdout.strip_suffix(b"\n").unwrap_or(&stdout);
        Ok(self.top().join(path_from_bytes(path)))
    }

    /// Returns the directory of hooks that belongs to this clone alone.
    pub fn own_hooks_dir(&self) -> PathBuf {
        self.common_dir().join("hooks")
    }

    /// Sets `key` in the configuration shared by all worktrees, replacing all its values there.
    pub fn config_set_local(&self, key: &str, value: &str) -> Result<(), RunError> {
        let mut command = self.git_with(["config", "--local", "--replace-all"]);
        command.names([key, value]);
        self.finish(command).map(drop)
    }

    /// Removes a section such as `merge.name` from the configuration shared by all worktrees, and
    /// returns whether it existed.
    pub fn config_remove_section_local(&self, section: &str) -> Result<bool, RunError> {
        let mut command = self.git_with(["config", "--local", "--remove-section"]);
        command.names([section]);
        match self.finish(command) {
            Ok(_) => Ok(true),
            // This case has no exit code of its own.
            Err(RunError::Failed { stderr, .. }) if stderr.contains("no such section") => Ok(false),
            Err(error) => Err(error),
        }
    }
}
