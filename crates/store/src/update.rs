use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::create::{CreateError, create_new};
use crate::fs::{EntryKind, Fs, Meta};
use crate::limit::check_len;
use crate::lock::DirLock;
use crate::read::ReadError;
use crate::remove::{RemoveError, remove};
use crate::replace::{ReplaceError, replace_exact};
use crate::retry::{QUIESCENT_AFTER, age};
use crate::revision::Revision;
use crate::stage;

/// How often other programs may change the document between our reading and our writing of it.
const MAX_RETRIES: usize = 100;

/// How long a document that keeps changing is waited for.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// The pause between two looks at a document that another program may be writing.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Other programs changed the document every time, or are still writing it.
#[derive(Debug, thiserror::Error)]
#[error("another program keeps changing the file: {}", path.display())]
pub struct Busy {
    /// The document.
    pub path: PathBuf,
}

/// Merges the document with one that another program wrote at the same time; none where it cannot.
pub type Merge<'a> = &'a dyn Fn(&[u8], &[u8]) -> Option<Vec<u8>>;

/// What an operation wants done with the document that it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit<T> {
    /// The document stays as it is.
    Keep(T),
    /// The document is to hold these bytes.
    Write(Vec<u8>, T),
    /// The document is to be removed.
    Remove(T),
}

/// What an update did.
#[derive(Debug)]
pub struct Updated<T> {
    /// What the operation returned.
    pub value: T,
    /// The bytes that the operation was given.
    pub before: Option<Vec<u8>>,
    /// Where documents of other programs were kept that lost their name and could not be merged.
    pub displaced: Vec<PathBuf>,
}

/// The errors of the steps of an update, which the caller's own error must be able to hold.
pub trait UpdateFailure:
    From<Busy> + From<ReadError> + From<CreateError> + From<ReplaceError> + From<RemoveError>
{
}

impl<E> UpdateFailure for E where
    E: From<Busy> + From<ReadError> + From<CreateError> + From<ReplaceError> + From<RemoveError>
{
}

/// A document that is read, changed and written as one operation, beside programs that take no lock.
pub struct Update<'a, E> {
    /// The file system.
    pub fs: &'a dyn Fs,
    /// The lock of the store.
    pub guard: &'a DirLock,
    /// The document; a symlink is followed.
    pub path: &'a Path,
    /// The mode of a document that is created, less the umask.
    pub mode: u32,
    /// Returns whether these bytes can be a whole document.
    ///
    /// Asked only about a document that was written within the last second.
    pub is_complete: &'a dyn Fn(&[u8]) -> bool,
    /// Merges what two programs wrote.
    pub merge: Merge<'a>,
    /// Stores a document of another program that cannot be merged, and returns where it is then.
    pub keep: &'a dyn Fn(&[u8]) -> Result<PathBuf, E>,
}

impl<E: UpdateFailure> Update<'_, E> {
    /// Applies `operation` to the document as it is at this moment, and writes what it returns.
    ///
    /// The operation gets no bytes if there is no document. Where another program writes between our reading and
    /// our writing, the operation is applied again to what that program wrote. So it must tolerate
    /// to find itself applied already.
    ///
    /// A document that another program may still be writing is waited for: one that was written in place within the last
    /// second, or within the last second in any way and is not complete. It is accepted once it has not changed for a
    /// second. One that changes for longer than five seconds is an error, and nothing is written.
    ///
    /// Documents of other programs that were displaced by our write are merged, or kept and returned.
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

    /// Carries out an edit; none where the document has become another one.
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

    /// Brings the content of a displaced document back into the document, or keeps it.
    ///
    /// Merging may displace another document when other programs go on writing.
    fn recover(&self, stray: Option<PathBuf>, displaced: &mut Vec<PathBuf>) -> Result<(), E> {
        let Self { fs, guard, path, .. } = *self;
        let mut strays: Vec<PathBuf> = stray.into_iter().collect();
        for _ in 0..MAX_RETRIES {
            let Some(stray) = strays.pop() else { return Ok(()) };
            let Some(theirs) = self.load(&stray)? else { continue };
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
                            strays.extend(kept);
                            strays.push(stray);
                            continue;
                        }
                        Err(error) => return Err(error.into()),
                    }
                }
                _ => displaced.push((self.keep)(&theirs)?),
            }
            match remove(fs, guard, &stray, &Revision::from_bytes(&theirs)) {
                Ok(()) => {}
                // Another program wrote into it once more.
                Err(RemoveError::Conflict { found, kept, .. }) => {
                    strays.extend(kept.or(found.map(|_| stray)));
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

/// Reads a document once no other program seems to be writing it; none if there is none.
///
/// It waits as [`Update::run`] does. What it returns need not be complete.
pub fn read_written<E: From<Busy> + From<ReadError>>(
    fs: &dyn Fs,
    path: &Path,
    is_complete: &dyn Fn(&[u8]) -> bool,
) -> Result<Option<Vec<u8>>, E> {
    let start = Instant::now();
    let mut last: Option<Look> = None;
    let mut unchanged_since = start;
    loop {
        let Some(look) = Look::at(fs, path)? else { return Ok(None) };
        if !look.may_be_in_writing(is_complete) {
            return Ok(Some(look.bytes));
        }
        if last.as_ref() != Some(&look) {
            unchanged_since = Instant::now();
        } else if unchanged_since.elapsed() >= QUIESCENT_AFTER {
            return Ok(Some(look.bytes));
        }
        if start.elapsed() >= MAX_WAIT {
            return Err(Busy { path: path.to_owned() }.into());
        }
        last = Some(look);
        thread::sleep(POLL_INTERVAL);
    }
}

/// A document as it was at one moment.
#[derive(PartialEq)]
struct Look {
    meta: Meta,
    bytes: Vec<u8>,
}

impl Look {
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
            Ok(Some(look)) => Ok(Some(look)),
            Ok(None) => Err(ReadError::NotAFile { path: path.to_owned() }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(ReadError::Io { path: path.to_owned(), source }),
        }
    }

    /// Returns whether another program may be in the middle of writing the document.
    ///
    /// Documents that a program put in place as a whole are older than their last change: a rename changes the file, but
    /// not its data, and the staged files of this crate are dated back.
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
    use crate::lock::lock;
    use crate::real::RealFs;

    /// Returns whether a complete document seems to be in the middle of being written.
    fn is_waited_for(path: &Path) -> bool {
        let look = Look::at(&RealFs, path).unwrap().unwrap();
        assert_eq!(look.may_be_in_writing(&|_| false), age(look.meta.mtime) < QUIESCENT_AFTER);
        look.may_be_in_writing(&|_| true)
    }

    #[test]
    fn a_document_that_was_put_in_place_as_a_whole_is_not_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        let guard = lock(&RealFs, dir.path(), Duration::ZERO).unwrap();
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
