//! Whose stores are used: as with git's `safe.directory`, those of the user alone.

use std::path::{Path, PathBuf};

use skein_store::owner;

use crate::env::Env;
use crate::settings::Settings;

/// The users whose stores may be read and written, and the directories that are exempt from the check.
///
/// Another user can put a store into a shared parent directory. What it says would reach the user's agents, and what the
/// user writes would end up in that directory.
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
    /// A part that does not exist is passed over. Of a symbolic link both the link and its target count.
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
