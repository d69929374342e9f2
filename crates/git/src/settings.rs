//! Reads the configuration of git, and changes that of a repository.

use std::path::{Path, PathBuf};

use crate::command::command;
use crate::platform::path_from_bytes;
use crate::repo::Repo;
use crate::run::{RunError, run, split, text};

/// Returns the `user.name` that git would sign a commit in `dir` with.
///
/// `None` when it is not set, and when git cannot be asked: the caller has other ways to name an
/// author.
pub fn user_name(dir: &Path) -> Option<String> {
    let name = text(&run(dir, ["config", "--get", "user.name"]).ok()?);
    let name = name.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

impl Repo {
    /// Returns the value of `key` that counts in this repository, wherever it is set.
    pub fn config_get(&self, key: &str) -> Result<Option<String>, RunError> {
        let stdout = self.answer(&["config", "--get", "-z", "--end-of-options", key])?;
        Ok(stdout.map(|value| text(value.strip_suffix(b"\0").unwrap_or(&value))))
    }

    /// Returns the address of `origin`, as the configuration has it.
    ///
    /// It may hold credentials.
    pub fn remote_url(&self) -> Result<Option<String>, RunError> {
        let listed = self.answer(&["config", "-z", "--get-all", "remote.origin.url"])?;
        // Of several addresses the first one is fetched from.
        Ok(split(&listed.unwrap_or_default()).next().map(text))
    }

    /// Returns the directory in which git looks for hooks, wherever it is set; it may not exist.
    pub fn hooks_dir(&self) -> Result<PathBuf, RunError> {
        // Not by `Repo::git`, which disables hooks.
        let mut command = command(self.top());
        command.args(["rev-parse", "--git-path", "hooks"]);
        let stdout = self.finish(command)?;
        let path = stdout.strip_suffix(b"\n").unwrap_or(&stdout);
        Ok(self.top().join(path_from_bytes(path)))
    }

    /// Returns the directory of hooks that belongs to this clone alone.
    pub fn own_hooks_dir(&self) -> PathBuf {
        self.common_dir().join("hooks")
    }

    /// Sets `key` in the configuration that all worktrees share, in place of all its values there.
    pub fn config_set_local(&self, key: &str, value: &str) -> Result<(), RunError> {
        let args = ["config", "--local", "--replace-all", "--end-of-options", key, value];
        self.output(&args, &[]).map(drop)
    }

    /// Takes a section such as `merge.name` with all its keys out of the configuration that all
    /// worktrees share, and says whether it was there.
    pub fn config_remove_section_local(&self, section: &str) -> Result<bool, RunError> {
        let args = ["config", "--local", "--remove-section", "--end-of-options", section];
        match self.output(&args, &[]) {
            Ok(_) => Ok(true),
            // There is no exit code of its own for this.
            Err(RunError::Failed { stderr, .. }) if stderr.contains("no such section") => Ok(false),
            Err(error) => Err(error),
        }
    }
}
