//! Checks the owners of stores, as git's `safe.directory` does.

use std::path::{Path, PathBuf};

use skein_store::owner;

use crate::env::Env;
use crate::settings::Settings;

/// The users whose stores may be read and written, and the directories exempt from the check.
///
/// Another user can create a store in a shared parent directory. Its content would reach the user's agents, and the user's comments
/// would be written there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Owners {
    users: Vec<u32>,
    safe: Vec<String>,
}

impl Owners {
    pub(crate) fn new(env: &Env, settings: &Settings) -> Self {
        Self { users: env.users.clone(), safe: settings.safe_directories().to_vec() }
    }

    /// Returns whether all `parts` of a store belong to one of the users, or `root` is exempt.
    ///
    /// A missing part is ignored. For a symbolic link both the link and its target are checked.
    pub(crate) fn own(&self, root: &Path, parts: &[PathBuf]) -> bool {
        let is_own = |uid: u32| self.users.contains(&uid);
        let owned = |part: &PathBuf| {
            part.symlink_metadata().is_ok_and(|meta| is_own(owner(&meta)))
                && part.metadata().map_or(true, |meta| is_own(owner(&meta)))
        };
        let mut there = parts.iter().filter(|part| part.symlink_metadata().is_ok());
        there.all(owned) || self.is_safe(root)
    }

    fn is_safe(&self, root: &Path) -> bool {
        self.safe.iter().any(|safe| safe == "*" || Path::new(safe) == root)
    }
}
