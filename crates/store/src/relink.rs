use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::fs::Fs as _;
use crate::lock::DirLock;
use crate::real::RealFs;
use crate::{stage, temp};

/// A hard link to a document could not be restored; the document itself was written.
#[derive(Debug, thiserror::Error)]
#[error("cannot link {} to {}", mirror.display(), path.display())]
pub struct RelinkError {
    /// The document.
    pub path: PathBuf,
    /// The hard link, which has the old content.
    pub mirror: PathBuf,
    /// The underlying error.
    pub source: io::Error,
}

/// Makes `mirror` a hard link to the document at `path` again, after the document was replaced.
///
/// A replacement gives the document another inode, so other hard links keep the old content.
/// Readers of `mirror` see the old or the new document, complete. A crash may leave the old one
/// there, and a temp file.
pub fn relink(_guard: &DirLock, path: &Path, mirror: &Path) -> Result<(), RelinkError> {
    let temp = temp::beside(mirror);
    let done = fs::hard_link(path, &temp).and_then(|()| {
        RealFs.rename(&temp, mirror).inspect_err(|_| stage::discard(&RealFs, &temp))
    });
    done.map_err(|source| RelinkError { path: path.to_owned(), mirror: mirror.to_owned(), source })
}
