use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::create::{CreateError, create_new};
use crate::fs::{EntryKind, Fs, Meta};
use crate::limit::check_len;
use crate::lock::{DirLock, LockError, lock};
use crate::read::ReadError;
use crate::remove::{RemoveError, remove};
use crate::replace::{ReplaceError, replace_exact};
use crate::retry::{QUIESCENT_AFTER, age};
use crate::revision::Revision;
use crate::stage;

/// The maximum number of retries if other programs change the document between reading and writing.
const MAX_RETRIES: usize = 100;

/// The maximum time to wait for a document that keeps changing.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// The delay between reads of a document that another program may be writing.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Other programs keep changing the document.
#[derive(Debug, thiserror::Error)]
#[error("another program keeps changing the file: {}", path.display())]
pub struct Busy {
    /// The document.
    pub path: PathBuf,
}

/// Merges the document with one that another program wrote at the same time; `None` if that is not
/// possible.
pub type Merge<'a> = &'a dyn Fn(&[u8], &[u8]) -> Option<Vec<u8>>;

/// The change that an operation requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit<T> {
    /// No change.
    Keep(T),
    /// Write these bytes.
    Write(Vec<u8>, T),
    /// Remove the document.
    Remove(T),
}

/// The result of an update.
#[derive(Debug)]
pub struct Updated<T> {
    /// The value that the operation returned.
    pub value: T,
    /// The bytes that the operation was given.
    pub before: Option<Vec<u8>>,
    /// The paths of displaced documents of other programs that could not be merged.
    pub displaced: Vec<PathBuf>,
}

/// An error type that can be converted from the errors of all steps of an update.
pub trait UpdateFailure:
    From<Busy> + From<ReadError> + From<CreateError> + From<ReplaceError> + From<RemoveError>
{
}

impl<E> UpdateFailure for E where
    E: From<Busy> + From<ReadError> + From<CreateError> + From<ReplaceError> + From<RemoveError>
{
}

/// Reads, changes and writes a document as one operation, even if other programs take no lock.
pub struct Update<'a, E> {
    /// The file system.
    pub fs: &'a dyn Fs,
    /// The lock of the store.
    pub guard: &'a DirLock,
    /// The document; a symlink is followed.
    pub path: &'a Path,
    /// The mode of a document that is created, minus the umask.
    pub mode: u32,
    /// Returns whether these bytes can be a complete document.
    ///
    /// Called only for a document that was modified within the last second.
    pub is_complete: &'a dyn Fn(&[u8]) -> bool,
    /// Merges the documents of two programs.
    pub merge: Merge<'a>,
    /// Stores a document of another program that cannot be merged, and returns its path.
    pub keep: &'a dyn Fn(&[u8]) -> Result<PathBuf, E>,
}

impl<E: UpdateFailure> Update<'_, E> {
    /// Applies `operation` to the current document, and writes the result.
    ///
    /// The operation gets `None` if there is no document. If another program writes between our
    /// read and our write, the operation is applied again to the new document, so it must accept a
    /// document to which it was already applied.
    ///
    /// Waits for a document that another program may still be writing: one that was written in
    /// place within the last second, or one modified within the last second that is not complete.
    /// It is accepted once it has not changed for a second. If it changes for more than five
    /// seconds, that is an error, and nothing is written.
    ///
    /// Documents of other programs that were displaced by our write are merged, or stored and
    /// returned.
    pub fn run<T>(
        &self,
        mut operation: impl FnMut(Option<&[u8]>) -> Result<Edit<T>, E>,
    ) -> Result<Updated<T>, E> {
        let mut displaced = Vec::new();
        for _ in 0..MAX_RETRIES {
            let before = self.load(self.path)?;
            let edit = operation(before.as_deref())?;
            if let Some(value) = self.write(before.as_deref(), edit, &mut displaced)? {
                return Ok(Updated { value, before, displaced });
            }
        }
        Err(self.busy())
    }

    /// Performs an edit; `None` if the document has changed.
    fn write<T>(
        &self,
        before: Option<&[u8]>,
        edit: Edit<T>,
        displaced: &mut Vec<PathBuf>,
    ) -> Result<Option<T>, E> {
        let Self { fs, guard, path, .. } = *self;
        match (edit, before) {
            (Edit::Keep(value), _) | (Edit::Remove(value), None) => Ok(Some(value)),
            (Edit::Write(bytes, value), None) => {
                match create_new(fs, guard, path, &bytes, self.mode) {
                    Ok(_) => Ok(Some(value)),
                    Err(CreateError::Exists { .. }) => Ok(None),
                    Err(error) => Err(error.into()),
                }
            }
            (Edit::Write(bytes, value), Some(before)) => {
                match replace_exact(fs, guard, path, before, &bytes) {
                    Ok(()) => Ok(Some(value)),
                    Err(ReplaceError::Conflict { kept, .. }) => {
                        self.recover(kept, displaced).map(|()| None)
                    }
                    Err(error) => Err(error.into()),
                }
            }
            (Edit::Remove(value), Some(before)) => {
                match remove(fs, guard, path, &Revision::from_bytes(before)) {
                    Ok(()) => Ok(Some(value)),
                    Err(RemoveError::Conflict { kept, .. }) => {
                        self.recover(kept, displaced).map(|()| None)
                    }
                    Err(error) => Err(error.into()),
                }
            }
        }
    }

    /// Merges a displaced document into the current one, or stores it.
    ///
    /// Merging may displace further documents if other programs keep writing.
    fn recover(&self, kept: Option<PathBuf>, displaced: &mut Vec<PathBuf>) -> Result<(), E> {
        let Self { fs, guard, path, .. } = *self;
        let mut pending: Vec<PathBuf> = kept.into_iter().collect();
        for _ in 0..MAX_RETRIES {
            let Some(file) = pending.pop() else { return Ok(()) };
            let Some(theirs) = self.load(&file)? else { continue };
            let current = self.load(path)?;
            let merged = current.as_deref().and_then(|current| {
                if current == theirs {
                    Some(theirs.clone())
                } else {
                    (self.merge)(current, &theirs)
                }
            });
            match (current, merged) {
                (Some(current), Some(merged)) => {
                    match replace_exact(fs, guard, path, &current, &merged) {
                        Ok(()) => {}
                        Err(ReplaceError::Conflict { kept, .. }) => {
                            pending.extend(kept);
                            pending.push(file);
                            continue;
                        }
                        Err(error) => return Err(error.into()),
                    }
                }
                _ => displaced.push((self.keep)(&theirs)?),
            }
            match remove(fs, guard, &file, &Revision::from_bytes(&theirs)) {
                Ok(()) => {}
                // Another program wrote to it again.
                Err(RemoveError::Conflict { found, kept, .. }) => {
                    pending.extend(kept.or(found.map(|_| file)));
                }
                Err(error) => return Err(error.into()),
            }
        }
        Err(self.busy())
    }

    fn load(&self, path: &Path) -> Result<Option<Vec<u8>>, E> {
        read_written(self.fs, path, self.is_complete)
    }

    fn busy(&self) -> E {
        Busy { path: self.path.to_owned() }.into()
    }
}

/// Reads a document when no other program seems to be writing it; `None` if it does not exist.
///
/// It waits like [`Update::run`]. The result may be incomplete.
pub fn read_written<E: From<Busy> + From<ReadError>>(
    fs: &dyn Fs,
    path: &Path,
    is_complete: &dyn Fn(&[u8]) -> bool,
) -> Result<Option<Vec<u8>>, E> {
    Ok(wait_until_written::<E>(fs, path, is_complete)?.map(|state| state.bytes))
}

/// Takes the lock of `dir` when no other program seems to be writing `path`, a document in it.
///
/// It waits for the document like [`Update::run`], but without the lock: a document that another program writes again and again does
/// not keep others from writing their documents. `timeout` limits the wait for the lock.
pub fn lock_written<E: From<Busy> + From<ReadError> + From<LockError>>(
    fs: &dyn Fs,
    dir: &Path,
    path: &Path,
    is_complete: &dyn Fn(&[u8]) -> bool,
    timeout: Duration,
) -> Result<DirLock, E> {
    let start = Instant::now();
    loop {
        let written = wait_until_written::<E>(fs, path, is_complete)?;
        let guard = lock(fs, dir, timeout)?;
        let current = ReadState::at(fs, path)?;
        let is_in_writing =
            current.as_ref().is_some_and(|current| current.may_be_in_writing(is_complete));
        if !is_in_writing || current == written {
            return Ok(guard);
        }
        drop(guard);
        if start.elapsed() >= MAX_WAIT {
            return Err(Busy { path: path.to_owned() }.into());
        }
    }
}

/// Returns whether another program wrote a document in place, within this time.
///
/// This crate and programs that rename a new file into place leave a modification time that is before the change time.
pub fn was_written_in_place(fs: &dyn Fs, path: &Path, within: Duration) -> bool {
    let meta = stage::follow(fs, path).map(|(_, meta)| meta);
    meta.is_ok_and(|meta| meta.mtime >= meta.ctime && age(meta.mtime) < within)
}

fn wait_until_written<E: From<Busy> + From<ReadError>>(
    fs: &dyn Fs,
    path: &Path,
    is_complete: &dyn Fn(&[u8]) -> bool,
) -> Result<Option<ReadState>, E> {
    let start = Instant::now();
    let mut last: Option<ReadState> = None;
    let mut unchanged_since = start;
    loop {
        let Some(state) = ReadState::at(fs, path)? else { return Ok(None) };
        if !state.may_be_in_writing(is_complete) {
            return Ok(Some(state));
        }
        if last.as_ref() != Some(&state) {
            unchanged_since = Instant::now();
        } else if unchanged_since.elapsed() >= QUIESCENT_AFTER {
            return Ok(Some(state));
        }
        if start.elapsed() >= MAX_WAIT {
            return Err(Busy { path: path.to_owned() }.into());
        }
        last = Some(state);
        thread::sleep(POLL_INTERVAL);
    }
}

/// The metadata and content of a document at one time.
#[derive(PartialEq)]
struct ReadState {
    meta: Meta,
    bytes: Vec<u8>,
}

impl ReadState {
    fn at(fs: &dyn Fs, path: &Path) -> Result<Option<Self>, ReadError> {
        let read = stage::follow(fs, path).and_then(|(target, meta)| {
            if meta.kind == EntryKind::File {
                check_len(meta.len)?;
                Ok(Some(Self { bytes: fs.read(&target)?, meta }))
            } else {
                Ok(None)
            }
        });
        match read {
            Ok(Some(state)) => Ok(Some(state)),
            Ok(None) => Err(ReadError::NotAFile { path: path.to_owned() }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(ReadError::Io { path: path.to_owned(), source }),
        }
    }

    /// Returns whether another program may still be writing the document.
    ///
    /// A document that was renamed into place has a modification time before its change time: a
    /// rename changes only the latter, and this crate sets the former back.
    fn may_be_in_writing(&self, is_complete: &dyn Fn(&[u8]) -> bool) -> bool {
        age(self.meta.mtime) < QUIESCENT_AFTER
            && (self.meta.mtime >= self.meta.ctime || !is_complete(&self.bytes))
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write as _;
    use std::time::UNIX_EPOCH;

    use super::*;
    use crate::real::RealFs;

    /// Returns whether a complete document seems to be still being written.
    fn is_waited_for(path: &Path) -> bool {
        let state = ReadState::at(&RealFs, path).unwrap().unwrap();
        assert_eq!(state.may_be_in_writing(&|_| false), age(state.meta.mtime) < QUIESCENT_AFTER);
        state.may_be_in_writing(&|_| true)
    }

    #[test]
    fn a_document_that_was_renamed_into_place_is_not_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        let guard = lock(&RealFs, dir.path(), Duration::from_secs(10)).unwrap();
        create_new(&RealFs, &guard, &path, b"one", 0o644).unwrap();
        assert!(!is_waited_for(&path));
        replace_exact(&RealFs, &guard, &path, b"one", b"two").unwrap();
        assert!(!is_waited_for(&path));

        let mut file = File::options().append(true).open(&path).unwrap();
        file.write_all(b"three").unwrap();
        assert!(is_waited_for(&path));
        file.set_modified(UNIX_EPOCH).unwrap();
        assert!(!is_waited_for(&path));
    }
}
