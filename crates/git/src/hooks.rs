//! Where git looks for hooks.

use std::path::PathBuf;

use crate::command::command;
use crate::platform::path_from_bytes;
use crate::repo::Repo;
use crate::run::RunError;

impl Repo {
    /// Returns the directory in which git looks for hooks, wherever it is set; it needs not exist.
    ///
    /// # Errors
    ///
    /// When git cannot be run, or does not answer.
    pub fn hooks_dir(&self) -> Result<PathBuf, RunError> {
        // Not by `Repo::git`, which tells git to look nowhere.
        let mut command = command(self.top());
        command.args(["rev-parse", "--git-path", "hooks"]);
        let stdout = self.finish(command)?;
        let path = stdout.strip_suffix(b"\n").unwrap_or(&stdout);
        Ok(self.top().join(path_from_bytes(path)))
    }

    /// Returns the directory of hooks that belongs to this clone alone.
    #[must_use]
    pub fn own_hooks_dir(&self) -> PathBuf {
        self.common_dir().join("hooks")
    }
}
