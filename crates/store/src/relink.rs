use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::fs::Fs as _;
use crate::lock::DirLock;
use crate::real::RealFs;
use crate::{stage, temp};

/// A second name of a document could not be set again; the document itself is as it should be.
#[derive(Debug, thiserror::Error)]
#[error("cannot link {} to {}", mirror.display(), path.display())]
pub struct RelinkError {
    /// The document.
    pub path: PathBuf,
    /// Its second name, which has the old content.
    pub mirror: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

/// Makes `mirror` a hard link to the document at `path` again, after the document was replaced.
///
/// A replacement gives the document a new inode, so that its other names keep the old one. Readers of `mirror` see the old
/// document or the new one, whole. A crash may leave the old one there, and a temp file beside it.
pub fn relink(_guard: &DirLock, path: &Path, mirror: &Path) -> Result<(), RelinkError> {
    let temp = temp::beside(mirror);
    let done = fs::hard_link(path, &temp).and_then(|()| {
        RealFs.rename(&temp, mirror).inspect_err(|_| stage::discard(&RealFs, &temp))
    });
    done.map_err(|source| RelinkError { path: path.to_owned(), mirror: mirror.to_owned(), source })
}
