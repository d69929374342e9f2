//! Where a repository is shared.

use crate::repo::Repo;
use crate::run::{RunError, answer};

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
        let listed = answer(command, self.top())?.unwrap_or_default();
        // Of several addresses the first one is fetched from.
        let first = listed.split(|&byte| byte == 0).find(|url| !url.is_empty());
        Ok(first.map(|url| String::from_utf8_lossy(url).into_owned()))
    }
}
