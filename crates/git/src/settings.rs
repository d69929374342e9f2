//! Reads the configuration of git, and changes that of a repository.

use crate::repo::Repo;
use crate::run::RunError;

impl Repo {
    /// Returns the value of `key` that counts in this repository, wherever it is set.
    ///
    /// # Errors
    ///
    /// When git cannot be run, or the configuration cannot be read.
    pub fn config_get(&self, key: &str) -> Result<Option<String>, RunError> {
        let mut command = self.git();
        command.args(["config", "--get", "-z", "--end-of-options", key]);
        let stdout = self.answer(command)?;
        Ok(stdout.map(|value| {
            let value = value.strip_suffix(b"\0").unwrap_or(&value);
            String::from_utf8_lossy(value).into_owned()
        }))
    }

    /// Sets `key` in the configuration that all worktrees share, in place of all its values there.
    ///
    /// # Errors
    ///
    /// When git cannot be run, or the configuration cannot be written.
    pub fn config_set_local(&self, key: &str, value: &str) -> Result<(), RunError> {
        let mut command = self.git();
        command.args(["config", "--local", "--replace-all", "--end-of-options", key, value]);
        self.finish(command)?;
        Ok(())
    }

    /// Takes a section such as `merge.name` with all its keys out of the configuration that all
    /// worktrees share, and says whether it was there.
    ///
    /// # Errors
    ///
    /// When git cannot be run, or the configuration cannot be written.
    pub fn config_remove_section_local(&self, section: &str) -> Result<bool, RunError> {
        let mut command = self.git();
        command.args(["config", "--local", "--remove-section", "--end-of-options", section]);
        match self.finish(command) {
            Ok(_) => Ok(true),
            // There is no exit code of its own for this.
            Err(RunError::Failed { stderr, .. }) if stderr.contains("no such section") => Ok(false),
            Err(error) => Err(error),
        }
    }
}
