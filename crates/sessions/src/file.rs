//! The file of a session map.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use skein_format::diagnostic::Diagnostic;
use skein_format::session::{MapValidity, Salvage, SessionMapDoc, salvage};
use skein_format::time::Time;
use skein_store::{
    CreateError, DirLock, Edit, EntryKind, Fs, ReadError, Update, create_new, ensure_dir, lock,
    read_settled,
};
use skein_workspace::session_map_path::MapPath;

use super::error::{SessionError, SessionResult};

/// Many writers may wait, each for some milliseconds.
const LOCK_TIMEOUT: Duration = Duration::from_secs(60);

/// A document with the diagnostics of its file.
pub(super) struct LoadedMap {
    pub(super) doc: SessionMapDoc,
    pub(super) found: Vec<Diagnostic>,
}

impl LoadedMap {
    pub(super) fn parse(bytes: Vec<u8>) -> Self {
        let (doc, found) = SessionMapDoc::parse(bytes);
        Self { doc, found }
    }

    pub(super) fn is_corrupt(&self) -> bool {
        self.doc.soundness() == MapValidity::Corrupt
    }

    /// Refuses a map of an unknown version.
    fn check_version(&self, path: &Path) -> SessionResult {
        if self.doc.soundness() == MapValidity::UnknownVersion {
            return Err(SessionError::UnknownVersion {
                path: path.to_owned(),
                reason: self.reason(),
            });
        }
        Ok(())
    }

    /// Returns why the file is unusable.
    pub(super) fn reason(&self) -> String {
        self.found.first().map_or_else(String::new, |first| first.message.clone())
    }

    /// Returns the entries that can be recovered from a damaged file.
    ///
    /// Another version is an error, because a program that knows the version may own the file.
    pub(super) fn recover(&self, path: &Path, now: Time) -> SessionResult<Salvage> {
        let saved = salvage(self.doc.to_bytes(), now);
        if saved.doc.soundness() == MapValidity::UnknownVersion {
            let reason = format!("{}, and its version is not known", self.reason());
            return Err(SessionError::UnknownVersion { path: path.to_owned(), reason });
        }
        Ok(saved)
    }

    /// Returns the document, unless it is damaged.
    pub(super) fn into_valid(self, path: &Path) -> SessionResult<SessionMapDoc> {
        if self.is_corrupt() {
            return Err(SessionError::Corrupt { path: path.to_owned(), reason: self.reason() });
        }
        Ok(self.doc)
    }
}

/// Returns the target of the map path, which may be a symlink. It is a regular file or does not exist.
///
/// A link on the way to a map from the settings of a repository is refused.
pub(super) fn resolve(fs: &dyn Fs, map: &MapPath) -> SessionResult<PathBuf> {
    match map.find_link(fs) {
        Ok(None) => {}
        Ok(Some(path)) => return Err(SessionError::Link { path }),
        Err((path, error)) => return Err(unread(&path, error)),
    }
    let path = map.path();
    let owned = || path.to_owned();
    let unread = |source| unread(path, source);
    let mut target = owned();
    let mut meta = match fs.metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(target),
        meta => meta.map_err(unread)?,
    };
    if meta.kind == EntryKind::Symlink {
        target = match fs.canonicalize(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(SessionError::Dangling { path: owned() });
            }
            target => target.map_err(unread)?,
        };
        meta = fs.metadata(&target).map_err(unread)?;
    }
    let what = match meta.kind {
        EntryKind::File => return Ok(target),
        EntryKind::Dir => "a directory",
        EntryKind::Symlink => "a link",
        EntryKind::Other => "a device, a pipe or a socket",
    };
    Err(SessionError::NotAFile { path: owned(), what })
}

/// Reads the file, even if it is damaged; none if it does not exist.
pub(super) fn read(fs: &dyn Fs, real: &Path) -> SessionResult<Option<LoadedMap>> {
    match read_settled(fs, real, &LoadedMap::parse, &|held| !held.is_corrupt()) {
        Ok(held) => held.check_version(real).map(|()| Some(held)),
        Err(ReadError::NotFound { .. }) => Ok(None),
        Err(error) => Err(denied(real, error)),
    }
}

/// Locks the directory of a map.
pub(super) fn lock_dir(fs: &dyn Fs, real: &Path) -> SessionResult<DirLock> {
    Ok(lock(fs, dir(real), LOCK_TIMEOUT)?)
}

/// Locks the directory of a map; creates it, with access only for its owner, if it does not exist.
pub(super) fn lock_new_dir(fs: &dyn Fs, real: &Path) -> SessionResult<DirLock> {
    ensure_dir(fs, dir(real), 0o700)?;
    lock_dir(fs, real)
}

/// Applies `operation` to the current map, which is none if there is no file.
///
/// An unknown version is refused. If another program writes in between, the operation is applied again. Writes of other programs into
/// the replaced file are merged into the map, or copied to a backup.
pub(super) fn update<T>(
    fs: &dyn Fs,
    guard: &DirLock,
    real: &Path,
    now: Time,
    mut operation: impl FnMut(Option<LoadedMap>) -> SessionResult<Edit<T>>,
) -> SessionResult<T> {
    let update = Update {
        fs,
        guard,
        path: real,
        mode: 0o600,
        is_complete: &|bytes| !LoadedMap::parse(bytes.to_vec()).is_corrupt(),
        merge: &|ours, theirs| {
            let (ours, theirs) =
                (LoadedMap::parse(ours.to_vec()), LoadedMap::parse(theirs.to_vec()));
            if ours.is_corrupt() || theirs.is_corrupt() {
                return None;
            }
            let mut merged = ours.doc;
            merged.merge(&theirs.doc, now).ok()?;
            Some(merged.to_bytes().to_vec())
        },
        keep: &|bytes| Ok(copy_damaged(fs, guard, real, bytes, now)?),
    };
    let updated = update.run(|bytes| {
        let held = bytes.map(|bytes| LoadedMap::parse(bytes.to_vec()));
        held.as_ref().map_or(Ok(()), |held| held.check_version(real))?;
        operation(held)
    });
    updated.map(|updated| updated.value).map_err(|error| error.in_dir(dir(real)))
}

pub(super) fn dir(real: &Path) -> &Path {
    match real.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        _ => Path::new("."),
    }
}

/// Returns the error for a file that cannot be read.
pub(super) fn unread(path: &Path, source: io::Error) -> SessionError {
    denied(path, ReadError::Io { path: path.to_owned(), source })
}

fn denied(path: &Path, error: ReadError) -> SessionError {
    match error {
        ReadError::Io { source, .. } if source.kind() == io::ErrorKind::PermissionDenied => {
            SessionError::Denied { path: path.to_owned(), source }
        }
        error => error.into(),
    }
}

/// Copies a damaged map durably to `<file>.corrupt-<time>`, and returns the path.
///
/// The caller may write or remove the original once the copy is durable. An existing copy with the same bytes is used, so that
/// a second attempt after a crash leaves no second copy.
pub(super) fn copy_damaged(
    fs: &dyn Fs,
    guard: &DirLock,
    real: &Path,
    bytes: &[u8],
    now: Time,
) -> Result<PathBuf, CreateError> {
    let name = real.file_name().unwrap_or_default().to_os_string();
    let mut number = 1_u32;
    loop {
        let mut copy = name.clone();
        copy.push(format!(".corrupt-{}", now.compact()));
        if number > 1 {
            copy.push(format!("-{number}"));
        }
        let copy = dir(real).join(copy);
        // Only the owner can read the copy, because its content is unknown.
        match create_new(fs, guard, &copy, bytes, 0o600) {
            Ok(_) => return Ok(copy),
            Err(CreateError::Exists { path }) if fs.holds(&path, bytes).unwrap_or(false) => {
                return Ok(copy);
            }
            Err(CreateError::Exists { .. }) if number < u32::MAX => number += 1,
            Err(error) => return Err(error),
        }
    }
}
