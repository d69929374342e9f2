//! The path of the session map.

use std::io;
use std::path::{Path, PathBuf};

use skein_format::session::FILE_NAME;
use skein_store::{EntryKind, Fs};

/// The path of a session map, and whether symbolic links on the way to it are followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapPath {
    path: PathBuf,
    /// The repository whose settings contain the path.
    repository: Option<PathBuf>,
}

impl MapPath {
    /// Returns the path of a map given by the user; links are followed.
    pub fn named(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), repository: None }
    }

    /// Returns the path of a map from the settings of a repository.
    ///
    /// The repository may be untrusted, so a link below `top` is refused: it could point to any file of the user.
    pub fn in_repository(top: &Path, path: &str) -> Self {
        Self { path: top.join(path), repository: Some(top.to_owned()) }
    }

    /// Returns the path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the first symbolic link on the way to a map of a repository, if any.
    pub fn find_link(&self, fs: &dyn Fs) -> Result<Option<PathBuf>, (PathBuf, io::Error)> {
        let Some(top) = &self.repository else { return Ok(None) };
        let Ok(below) = self.path.strip_prefix(top) else { return Ok(Some(self.path.clone())) };
        let mut path = top.clone();
        for part in below {
            path.push(part);
            match fs.metadata(&path) {
                Ok(meta) if meta.kind == EntryKind::Symlink => return Ok(Some(path)),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err((path, error)),
            }
        }
        Ok(None)
    }
}

/// Returns the path of the map defined by the format: below the home directory, independent of variables.
///
/// It is in `~/.config/opencode`, unless only `~/.opencode` exists. Nothing is created.
pub fn map_path(home: &Path) -> PathBuf {
    let primary = home.join(".config").join("opencode");
    let fallback = home.join(".opencode");
    let dir = if !primary.is_dir() && fallback.is_dir() { fallback } else { primary };
    dir.join(FILE_NAME)
}
