//! Where a repository is shared.

use crate::repo::Repo;
use crate::run::{RunError, split, text};

impl Repo {
    /// Returns the address of `origin`, as the configuration has it.
    ///
    /// It may hold credentials.
    ///
    /// # Errors
    ///
    /// When git cannot be run, or the configuration cannot be read.
    pub fn remote_url(&self) -> Result<Option<String>, RunError> {
        let mut command = self.git();
        command.args(["config", "-z", "--get-all", "remote.origin.url"]);
        let listed = self.answer(command)?.unwrap_or_default();
        // Of several addresses the first one is fetched from.
        Ok(split(&listed).next().map(text))
    }
}
