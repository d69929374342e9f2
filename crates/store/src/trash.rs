use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::create::{CreateError, create_unlocked};
use crate::ensure::{EnsureDirError, ensure_dir};
use crate::fs::Fs;
use crate::lock::DirLock;
use crate::remove::{self, RemoveError};
use crate::revision::Revision;

/// Why a file was not moved to the trash.
#[derive(Debug, thiserror::Error)]
pub enum TrashError {
    /// The file cannot be read; nothing was written.
    #[error("cannot move {} to the trash", path.display())]
    Read {
        /// The file that was to be moved.
        path: PathBuf,
        /// Why it cannot be read.
        source: RemoveError,
    },
    /// The trash cannot be created; the file was not moved.
    #[error("cannot move {} to the trash", path.display())]
    Dir {
        /// The file that was to be moved.
        path: PathBuf,
        /// Why the trash cannot be created.
        source: EnsureDirError,
    },
    /// The copy cannot be created; the file was not moved.
    #[error("cannot move {} to the trash", path.display())]
    Copy {
        /// The file that was to be moved.
        path: PathBuf,
        /// Why it was not copied.
        source: CreateError,
    },
    /// The file was copied but not removed; the copy remains.
    #[error("copied {} to the trash, but did not remove it", path.display())]
    Remove {
        /// The file that was to be moved.
        path: PathBuf,
        /// The copy in the trash.
        copy: PathBuf,
        /// Why the file was not removed.
        source: Box<RemoveError>,
    },
}

/// Moves a file into the trash and returns its path there.
///
/// The copy is named `<stamp>-<name>`, or `<stamp>.2-<name>` and so on if that exists, and is
/// durable before the file is removed: a crash leaves the file, the copy, or both. `guard` is the
/// lock of the store of the file.
pub fn move_to_trash(
    fs: &dyn Fs,
    guard: &DirLock,
    trash_dir: &Path,
    path: &Path,
    stamp: &str,
) -> Result<PathBuf, TrashError> {
    let owned = || path.to_owned();
    let bytes = remove::read_document(fs, path)
        .map_err(|source| TrashError::Read { path: owned(), source })?;
    let (copy, revision) = copy_into(fs, trash_dir, path, stamp, &bytes)?;
    match remove::remove(fs, guard, path, &revision) {
        Ok(()) => Ok(copy),
        Err(source) => Err(TrashError::Remove { path: owned(), copy, source: Box::new(source) }),
    }
}

/// Copies a document that is about to change into the trash, and returns the path there.
///
/// `bytes` is the content of the file at `path`. The copy is named as in [`move_to_trash`], and
/// durable on return.
pub fn copy_to_trash(
    fs: &dyn Fs,
    trash_dir: &Path,
    path: &Path,
    bytes: &[u8],
    stamp: &str,
) -> Result<PathBuf, TrashError> {
    copy_into(fs, trash_dir, path, stamp, bytes).map(|(copy, _)| copy)
}

fn copy_into(
    fs: &dyn Fs,
    trash_dir: &Path,
    path: &Path,
    stamp: &str,
    bytes: &[u8],
) -> Result<(PathBuf, Revision), TrashError> {
    ensure_dir(fs, trash_dir, 0o700)
        .map_err(|source| TrashError::Dir { path: path.to_owned(), source })?;
    // A file that was read has a name: only `/` and a final `..` have none.
    let name = path.file_name().unwrap_or_default();
    let mut number = 1_u64;
    loop {
        let mut copy = OsString::from(match number {
            1 => format!("{stamp}-"),
            _ => format!("{stamp}.{number}-"),
        });
        copy.push(name);
        let copy = trash_dir.join(copy);
        match create_unlocked(fs, &copy, bytes, 0o600) {
            Ok(revision) => return Ok((copy, revision)),
            Err(CreateError::Exists { .. }) => number += 1,
            Err(source) => {
                return Err(TrashError::Copy { path: path.to_owned(), source });
            }
        }
    }
}
