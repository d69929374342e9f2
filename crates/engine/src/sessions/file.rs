//! The file of a map: where it really is, and what it holds at this moment.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use skein_format::diagnostic::Diagnostic;
use skein_format::session::{Salvage, SessionMapDoc, Soundness, salvage};
use skein_format::time::Time;
use skein_store::{
    EntryKind, Fs, Guard, ReadError, ReplaceError, Revision, ensure_dir, lock, read_settled,
    remove, replace_exact,
};

use super::error::SessionError;
use super::path::MapPath;

/// Many writers may stand in line, each for some milliseconds.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often another program may be faster.
pub(super) const TRIES: usize = 100;

/// A document, and what is wrong with its file.
pub(super) struct Held {
    pub(super) doc: SessionMapDoc,
    pub(super) found: Vec<Diagnostic>,
}

impl Held {
    pub(super) fn parse(bytes: Vec<u8>) -> Self {
        let (doc, found) = SessionMapDoc::parse(bytes);
        Self { doc, found }
    }

    pub(super) fn is_corrupt(&self) -> bool {
        self.doc.soundness() == Soundness::Corrupt
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
        if saved.doc.soundness() == Soundness::UnknownVersion {
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
    map.check_links(fs)?;
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
pub(super) fn read(fs: &dyn Fs, real: &Path) -> Result<Option<Held>, SessionError> {
    let held = read_settled(fs, real, &Held::parse, &|held| !held.is_corrupt());
    known(real, held, |held| held)
}

/// Does the same, and gives the bytes of the file besides, which a write expects.
pub(super) fn read_to_write(
    fs: &dyn Fs,
    real: &Path,
) -> Result<Option<(Held, Vec<u8>)>, SessionError> {
    let make = |bytes: Vec<u8>| {
        let (doc, found, file) = SessionMapDoc::parse_and_keep(bytes);
        (Held { doc, found }, file)
    };
    known(real, read_settled(fs, real, &make, &|(held, _)| !held.is_corrupt()), |(held, _)| held)
}

fn known<T>(
    real: &Path,
    read: Result<T, ReadError>,
    held: fn(&T) -> &Held,
) -> Result<Option<T>, SessionError> {
    match read {
        Ok(read) if held(&read).doc.soundness() == Soundness::UnknownVersion => {
            let why = held(&read).why();
            Err(SessionError::UnknownVersion { path: real.to_owned(), why })
        }
        Ok(read) => Ok(Some(read)),
        Err(ReadError::NotFound { .. }) => Ok(None),
        Err(error) => Err(denied(real, error)),
    }
}

/// Takes the lock of a map, which is that of its directory.
pub(super) fn hold(fs: &dyn Fs, real: &Path) -> Result<Guard, SessionError> {
    Ok(lock(fs, dir(real), PATIENCE)?)
}

/// Does the same, and creates the directory for its owner alone where there is none.
pub(super) fn hold_new(fs: &dyn Fs, real: &Path) -> Result<Guard, SessionError> {
    ensure_dir(fs, dir(real), 0o700)?;
    hold(fs, real)
}

/// Replaces the map that was read; false where it has become another one since.
pub(super) fn put(
    fs: &dyn Fs,
    guard: &Guard,
    real: &Path,
    expected: &[u8],
    bytes: &[u8],
    now: Time,
) -> Result<bool, SessionError> {
    match replace_exact(fs, guard, real, expected, bytes) {
        Ok(()) => Ok(true),
        Err(ReplaceError::Conflict { kept: None, .. }) => Ok(false),
        Err(ReplaceError::Conflict { kept: Some(kept), .. }) => {
            absorb(fs, guard, real, kept, now)?;
            Ok(false)
        }
        Err(error) => Err(error.into()),
    }
}

/// Takes over what another program wrote into a file that lost its name meanwhile.
///
/// The stray file goes only when all that it says is in the map; otherwise it stays beside it, where `doctor` finds
/// it. Where others go on writing there may be a second stray before the first one has its place.
fn absorb(
    fs: &dyn Fs,
    guard: &Guard,
    real: &Path,
    kept: PathBuf,
    now: Time,
) -> Result<(), SessionError> {
    let mut strays = vec![kept];
    for _ in 0..TRIES {
        let Some(stray) = strays.last() else {
            break;
        };
        match take_over(fs, guard, real, stray, now)? {
            Took::All => drop(strays.pop()),
            Took::Nothing { another } => strays.extend(another),
            Took::Unreadable => break,
        }
    }
    Ok(())
}

/// What came of a stray file.
enum Took {
    /// It is in the map, and gone.
    All,
    /// The map has changed again, which may have left another stray.
    Nothing { another: Option<PathBuf> },
    /// One of the two is no map.
    Unreadable,
}

fn take_over(
    fs: &dyn Fs,
    guard: &Guard,
    real: &Path,
    stray: &Path,
    now: Time,
) -> Result<Took, SessionError> {
    let both = (read_to_write(fs, stray)?, read_to_write(fs, real)?);
    let (Some((theirs, bytes)), Some((map, expected))) = both else {
        return Ok(Took::Unreadable);
    };
    if theirs.is_corrupt() || map.is_corrupt() {
        return Ok(Took::Unreadable);
    }
    let mut united = map.doc;
    united.merge(&theirs.doc, now)?;
    match replace_exact(fs, guard, real, &expected, united.to_bytes()) {
        Ok(()) => remove(fs, guard, stray, &Revision::of(&bytes))?,
        Err(ReplaceError::Conflict { kept, .. }) => return Ok(Took::Nothing { another: kept }),
        Err(error) => return Err(error.into()),
    }
    Ok(Took::All)
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
