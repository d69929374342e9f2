//! The file of a map: where it really is, and what it holds at this moment.

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

use super::error::SessionError;

/// Many writers may stand in line, each for some milliseconds.
const LOCK_TIMEOUT: Duration = Duration::from_secs(60);

/// A document, and what is wrong with its file.
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

    /// Refuses a map of a version that is not known.
    fn check_version(&self, path: &Path) -> Result<(), SessionError> {
        if self.doc.soundness() == MapValidity::UnknownVersion {
            return Err(SessionError::UnknownVersion { path: path.to_owned(), why: self.why() });
        }
        Ok(())
    }

    /// Says what makes the file unusable.
    pub(super) fn why(&self) -> String {
        self.found.first().map_or_else(String::new, |first| first.message.clone())
    }

    /// Returns what can be saved of a damaged file.
    ///
    /// Of a map of another version nothing is, and it may not be written: a program that knows it may own the file.
    pub(super) fn saved(&self, path: &Path, now: Time) -> Result<Salvage, SessionError> {
        let saved = salvage(self.doc.to_bytes(), now);
        if saved.doc.soundness() == MapValidity::UnknownVersion {
            let why = format!("{}, and its version is not known", self.why());
            return Err(SessionError::UnknownVersion { path: path.to_owned(), why });
        }
        Ok(saved)
    }

    /// Returns the document of a sound map.
    pub(super) fn sound(self, path: &Path) -> Result<SessionMapDoc, SessionError> {
        if self.is_corrupt() {
            return Err(SessionError::Corrupt { path: path.to_owned(), why: self.why() });
        }
        Ok(self.doc)
    }
}

/// Returns the file itself, behind a symlink; it needs not exist, but if it does it is a regular file.
///
/// A link on the way to a map that a repository named is refused.
pub(super) fn real(fs: &dyn Fs, map: &MapPath) -> Result<PathBuf, SessionError> {
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

/// Reads what is there, a corrupt file included; none where there is no file.
pub(super) fn read(fs: &dyn Fs, real: &Path) -> Result<Option<LoadedMap>, SessionError> {
    let held = read_settled(fs, real, &LoadedMap::parse, &|held| !held.is_corrupt());
    known(real, held, |held| held)
}

/// Reads what is there, with the bytes of the file.
pub(super) fn read_with_bytes(
    fs: &dyn Fs,
    real: &Path,
) -> Result<Option<(LoadedMap, Vec<u8>)>, SessionError> {
    let make = |bytes: Vec<u8>| {
        let file = bytes.clone();
        (LoadedMap::parse(bytes), file)
    };
    known(real, read_settled(fs, real, &make, &|(held, _)| !held.is_corrupt()), |(held, _)| held)
}

fn known<T>(
    real: &Path,
    read: Result<T, ReadError>,
    held: fn(&T) -> &LoadedMap,
) -> Result<Option<T>, SessionError> {
    match read {
        Ok(read) => held(&read).check_version(real).map(|()| Some(read)),
        Err(ReadError::NotFound { .. }) => Ok(None),
        Err(error) => Err(denied(real, error)),
    }
}

/// Takes the lock of a map, which is that of its directory.
pub(super) fn hold(fs: &dyn Fs, real: &Path) -> Result<DirLock, SessionError> {
    Ok(lock(fs, dir(real), LOCK_TIMEOUT)?)
}

/// Does the same, and creates the directory for its owner alone where there is none.
pub(super) fn hold_new(fs: &dyn Fs, real: &Path) -> Result<DirLock, SessionError> {
    ensure_dir(fs, dir(real), 0o700)?;
    hold(fs, real)
}

/// Applies `operation` to the map that is there at this moment; none where there is no file.
///
/// A version that is not known is refused. Where another program wrote in between, the operation is applied to what it
/// wrote. What a program writes into a file that has lost its name is merged into the map, or set aside.
pub(super) fn update<T>(
    fs: &dyn Fs,
    guard: &DirLock,
    real: &Path,
    now: Time,
    mut operation: impl FnMut(Option<(LoadedMap, &[u8])>) -> Result<Edit<T>, SessionError>,
) -> Result<T, SessionError> {
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
        keep: &|bytes| Ok(set_aside(fs, guard, real, bytes, now)?),
    };
    let updated = update.run(|bytes| {
        let held = bytes.map(|bytes| (LoadedMap::parse(bytes.to_vec()), bytes));
        if let Some((held, _)) = &held {
            held.check_version(real)?;
        }
        operation(held)
    });
    updated.map(|updated| updated.value).map_err(|error| error.in_dir(dir(real)))
}

/// Returns the directory that holds the file.
pub(super) fn dir(real: &Path) -> &Path {
    match real.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        _ => Path::new("."),
    }
}

/// Says why a file cannot be looked at.
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

/// Copies the bytes of a damaged map durably to `<file>.corrupt-<time>`, and returns where that is.
///
/// The original stays; the caller may write or remove it once the copy is durable. A copy that is there
/// already serves again, so that a second try after a crash leaves no second one.
pub(super) fn set_aside(
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
        // The copy is for its owner alone: what it holds is not known.
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
