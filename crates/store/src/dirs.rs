use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::ensure::{EnsureDirError, ensure_dir};
use crate::fs::Fs;
use crate::revision::Revision;

const MODE: u32 = 0o700;
const MAX_SLUG_LEN: usize = 40;
const KEY_DIGITS: usize = 16;

/// The user's state and cache directories.
///
/// State is not derived from other files and is written durably; anything in the cache may be
/// deleted at any time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dirs {
    /// The state directory.
    pub state: PathBuf,
    /// The cache directory.
    pub cache: PathBuf,
    /// The user's state directory, if it is read-only and `state` is a replacement.
    pub read_only: Option<PathBuf>,
}

/// The state and cache directories of one root; they may not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootDirs {
    /// The state directory of the root.
    pub state: PathBuf,
    /// The cache directory of the root.
    pub cache: PathBuf,
}

impl Dirs {
    /// Uses these directories, which the caller gets from the environment.
    pub fn new(state_base: impl Into<PathBuf>, cache_base: impl Into<PathBuf>) -> Self {
        Self { state: state_base.into(), cache: cache_base.into(), read_only: None }
    }

    /// Returns the user's state directory, even if it is read-only.
    pub fn user_state(&self) -> &Path {
        self.read_only.as_deref().unwrap_or(&self.state)
    }

    /// Returns the directories of one root, which must be canonical; creates nothing.
    ///
    /// Their name is the last component of the root, for readability, and a hash of the whole path,
    /// so that two roots never share a directory.
    pub fn for_root(&self, canonical_root: &Path) -> RootDirs {
        let hash = Revision::from_bytes(canonical_root.as_os_str().as_bytes()).to_string();
        let key: String = hash.chars().take(KEY_DIGITS).collect();
        let name = format!("{}-{key}", slug(canonical_root));
        RootDirs { state: self.state.join(&name), cache: self.cache.join(name) }
    }
}

impl RootDirs {
    /// Creates the state directory, readable by its owner alone, and returns it.
    pub fn ensure_state(&self, fs: &dyn Fs) -> Result<&Path, EnsureDirError> {
        ensure_dir(fs, &self.state, MODE)?;
        Ok(&self.state)
    }

    /// Creates the cache directory, readable by its owner alone, and returns it.
    pub fn ensure_cache(&self, fs: &dyn Fs) -> Result<&Path, EnsureDirError> {
        ensure_dir(fs, &self.cache, MODE)?;
        Ok(&self.cache)
    }
}

/// Returns the last component in lower-case ASCII, with other characters replaced by single
/// hyphens.
fn slug(root: &Path) -> String {
    let name = root.file_name().unwrap_or_default().to_string_lossy();
    let mut slug = String::new();
    for character in name.chars() {
        if character.is_ascii_alphanumeric() {
            slug.push(character.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
        if slug.len() == MAX_SLUG_LEN {
            break;
        }
    }
    match slug.trim_end_matches('-') {
        "" => "root".to_owned(),
        trimmed => trimmed.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::Dirs;
    use std::path::Path;

    #[track_caller]
    fn check(root: &str, expected: &str) {
        let dirs = Dirs::new("/state", "/cache").for_root(Path::new(root));
        assert_eq!(dirs.state, Path::new("/state").join(expected));
        assert_eq!(dirs.cache, Path::new("/cache").join(expected));
    }

    #[test]
    fn folders_have_a_slug_and_a_hash() {
        check("/", "root-8a5edab282632443");
        check("/home/me/My  Project!", "my-project-b4ac1fd828f56b94");
        check("/home/me/проект", "root-e5f78e8f42dd4535");
    }
}
