use std::io;
use std::path::{Path, PathBuf};

use crate::fs::{EntryKind, Fs, Meta};
use crate::lock::DirLock;
use crate::revision::Revision;
use crate::stage::{self, Access, Durability};
use crate::temp;

/// Why a document was not replaced.
#[derive(Debug, thiserror::Error)]
pub enum ReplaceError {
    /// The file has changed since the caller read it; it contains none of the new bytes.
    #[error("{} was changed by another program{}", path.display(), stage::kept_note(kept.as_ref()))]
    Conflict {
        /// The file, as the caller named it.
        path: PathBuf,
        /// The revision found instead; `None` if the file does not exist.
        found: Option<Revision>,
        /// The path of a document that another program wrote in the meantime and that was
        /// displaced; the caller should merge it before removing it.
        kept: Option<PathBuf>,
    },
    /// The path is a directory, a device, a pipe or a socket.
    #[error("not a regular file: {}", path.display())]
    NotAFile {
        /// The path, as the caller named it.
        path: PathBuf,
    },
    /// A step failed; the old document is unchanged.
    #[error("cannot write {}{}", path.display(), stage::kept_note(kept.as_ref()))]
    Failed {
        /// The file, as the caller named it.
        path: PathBuf,
        /// The path of a document that another program wrote in the meantime and that was
        /// displaced.
        kept: Option<PathBuf>,
        /// The underlying error.
        source: io::Error,
    },
    /// The document was replaced, but a power cut may still restore the old one.
    #[error("cannot confirm that {} is on disk{}", path.display(), stage::kept_note(kept.as_ref()))]
    Unconfirmed {
        /// The file, as the caller named it.
        path: PathBuf,
        /// The path of the displaced document, if it could not be restored.
        kept: Option<PathBuf>,
        /// The underlying error.
        source: io::Error,
    },
}

/// Replaces the document at `path` atomically and durably, if it still has the `expected` revision.
///
/// The target of a symlink is replaced. Mode, owner and group are kept as far as permitted; access
/// control lists and extended attributes are lost. If the document already contains `bytes`,
/// nothing is written.
///
/// A crash leaves the old or the new document, complete, and perhaps a temp file; after `Ok` it is
/// the new one. If the system can exchange two names, the displaced file is checked afterwards, so
/// that a program that takes no lock loses nothing that it wrote before the check; otherwise the
/// file is compared right before the rename.
pub fn replace(
    fs: &dyn Fs,
    _guard: &DirLock,
    path: &Path,
    expected: &Revision,
    bytes: &[u8],
) -> Result<(), ReplaceError> {
    replace_staged(fs, None, path, expected, bytes)
}

/// Replaces the document at `path` like [`replace`], if it still contains the `expected` bytes.
///
/// This avoids a copy and a hash of the file. The document is compared only after the new one is
/// written.
pub fn replace_exact(
    fs: &dyn Fs,
    _guard: &DirLock,
    path: &Path,
    expected: &[u8],
    bytes: &[u8],
) -> Result<(), ReplaceError> {
    let (target, meta) = find(fs, path)?;
    let swap = Swap { fs, path, target: &target, old: expected, bytes };
    if expected == bytes { swap.check_target() } else { swap.run(&meta) }
}

/// Replaces the document at `path` like [`replace`]; the temp file is in another directory.
///
/// For files of the user: a crash leaves no temp file next to them. If `stage_dir` is on another
/// file system, the temp file is next to the document.
pub fn replace_from(
    fs: &dyn Fs,
    guard: &DirLock,
    stage_dir: &Path,
    path: &Path,
    expected: &Revision,
    bytes: &[u8],
) -> Result<(), ReplaceError> {
    let is_elsewhere = |error: &ReplaceError| {
        matches!(error, ReplaceError::Failed { source, kept: None, .. }
            if source.kind() == io::ErrorKind::CrossesDevices)
    };
    match replace_staged(fs, Some(stage_dir), path, expected, bytes) {
        Err(error) if is_elsewhere(&error) => replace(fs, guard, path, expected, bytes),
        done => done,
    }
}

fn replace_staged(
    fs: &dyn Fs,
    stage_dir: Option<&Path>,
    path: &Path,
    expected: &Revision,
    bytes: &[u8],
) -> Result<(), ReplaceError> {
    let (target, meta) = find(fs, path)?;
    let mut swap = Swap { fs, path, target: &target, old: &[], bytes };
    let old = swap.read_target()?;
    let found = Revision::from_bytes(&old);
    if found != *expected {
        return Err(swap.conflict(Some(found), None));
    }
    if old == bytes {
        return Ok(());
    }
    swap.old = &old;
    match stage_dir {
        Some(dir) => swap.run_staged(&meta, dir.join(temp::name())),
        None => swap.run(&meta),
    }
}

fn find(fs: &dyn Fs, path: &Path) -> Result<(PathBuf, Meta), ReplaceError> {
    match stage::follow(fs, path) {
        Ok((target, meta)) if meta.kind == EntryKind::File => Ok((target, meta)),
        Ok(_) => Err(ReplaceError::NotAFile { path: path.to_owned() }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(ReplaceError::Conflict { path: path.to_owned(), found: None, kept: None })
        }
        Err(source) => Err(ReplaceError::Failed { path: path.to_owned(), kept: None, source }),
    }
}

/// One replacement in progress.
struct Swap<'a> {
    fs: &'a dyn Fs,
    /// The file as the caller named it.
    path: &'a Path,
    /// The file itself, with symlinks resolved.
    target: &'a Path,
    /// The old content; comparing bytes is faster than hashing them again.
    old: &'a [u8],
    /// The new content.
    bytes: &'a [u8],
}

impl Swap<'_> {
    /// Writes the new document to a temp file and moves it into place.
    fn run(&self, meta: &Meta) -> Result<(), ReplaceError> {
        self.run_staged(meta, temp::beside(self.target))
    }

    fn run_staged(&self, meta: &Meta, temp: PathBuf) -> Result<(), ReplaceError> {
        let (fs, target) = (self.fs, self.target);
        let staged = stage::stage_at(fs, temp, &Access::Like(meta), self.bytes, Durability::Synced);
        let temp = staged.map_err(|source| self.failed(source))?;
        // Writing and syncing take the longest; a change during that time is detected before the
        // exchange.
        if let Err(error) = self.check_target() {
            stage::discard(fs, &temp);
            return Err(error);
        }
        match fs.exchange(&temp, target) {
            Ok(()) => self.settle(&temp)?,
            Err(error) if error.kind() == io::ErrorKind::Unsupported => self.overwrite(&temp)?,
            Err(error) => {
                stage::discard(fs, &temp);
                return Err(self.missing_or_failed(error));
            }
        }
        Ok(())
    }

    fn read_target(&self) -> Result<Vec<u8>, ReplaceError> {
        self.fs.read(self.target).map_err(|error| self.missing_or_failed(error))
    }

    fn check_target(&self) -> Result<(), ReplaceError> {
        match self.fs.holds(self.target, self.old) {
            Ok(true) => Ok(()),
            Ok(false) => Err(self.conflict(self.found(), None)),
            Err(error) => Err(self.missing_or_failed(error)),
        }
    }

    /// Confirms an exchange, or undoes it if it displaced something other than expected.
    fn settle(&self, temp: &Path) -> Result<(), ReplaceError> {
        // Once immediately, so that no program uses a document that is about to be withdrawn, and
        // once after the sync, which takes the longest, to detect later writes to the displaced
        // file.
        self.check_displaced(temp)?;
        if let Err(source) = self.fs.sync_dir(stage::parent(self.target)) {
            return Err(self.undo_failure(temp, source));
        }
        self.check_displaced(temp)?;
        stage::discard(self.fs, temp);
        Ok(())
    }

    fn check_displaced(&self, temp: &Path) -> Result<(), ReplaceError> {
        match self.fs.holds(temp, self.old) {
            Ok(true) => Ok(()),
            Ok(false) => Err(match self.undo(temp) {
                Ok(kept) => self.conflict(self.found(), kept),
                Err(source) => self.unconfirmed(Some(temp.to_owned()), source),
            }),
            Err(source) => Err(self.undo_failure(temp, source)),
        }
    }

    /// Undoes the exchange because of `source`, which remains the error to report.
    fn undo_failure(&self, temp: &Path, source: io::Error) -> ReplaceError {
        match self.undo(temp) {
            Ok(kept) => ReplaceError::Failed { path: self.path.to_owned(), kept, source },
            Err(_) => self.unconfirmed(Some(temp.to_owned()), source),
        }
    }

    /// Exchanges the names back; returns the temp file if it contains anything but our bytes.
    fn undo(&self, temp: &Path) -> io::Result<Option<PathBuf>> {
        match self.fs.exchange(temp, self.target) {
            // Another program removed our file: there is nothing to exchange with.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.fs.rename_new(temp, self.target)?;
                self.fs.sync_dir(stage::parent(self.target))?;
                return Ok(None);
            }
            done => done?,
        }
        self.fs.sync_dir(stage::parent(self.target))?;
        match self.fs.holds(temp, self.bytes) {
            Ok(true) => {
                stage::discard(self.fs, temp);
                Ok(None)
            }
            // Another program wrote into our file, or may have: it must not be deleted.
            Ok(false) | Err(_) => Ok(Some(temp.to_owned())),
        }
    }

    /// Renames over the target, for systems that cannot exchange names.
    fn overwrite(&self, temp: &Path) -> Result<(), ReplaceError> {
        let renamed = self.fs.rename(temp, self.target);
        renamed.map_err(|source| {
            stage::discard(self.fs, temp);
            self.failed(source)
        })?;
        self.fs
            .sync_dir(stage::parent(self.target))
            .map_err(|source| self.unconfirmed(None, source))
    }

    /// Returns the revision of the file, if it can be read.
    fn found(&self) -> Option<Revision> {
        self.fs.read(self.target).ok().map(|bytes| Revision::from_bytes(&bytes))
    }

    fn missing_or_failed(&self, error: io::Error) -> ReplaceError {
        if error.kind() == io::ErrorKind::NotFound {
            self.conflict(None, None)
        } else {
            self.failed(error)
        }
    }

    fn conflict(&self, found: Option<Revision>, kept: Option<PathBuf>) -> ReplaceError {
        ReplaceError::Conflict { path: self.path.to_owned(), found, kept }
    }

    fn failed(&self, source: io::Error) -> ReplaceError {
        ReplaceError::Failed { path: self.path.to_owned(), kept: None, source }
    }

    fn unconfirmed(&self, kept: Option<PathBuf>, source: io::Error) -> ReplaceError {
        ReplaceError::Unconfirmed { path: self.path.to_owned(), kept, source }
    }
}
