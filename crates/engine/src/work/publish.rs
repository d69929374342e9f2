//! The writes of a checkpoint, one after the other.
//!
//! The thread comes first, then the pointer to it: a crash leaves a thread without a pointer, never a pointer that leads
//! nowhere. What can be made again from the threads comes last.

use std::path::{Path, PathBuf};

use skein_format::checkpoint::{CheckpointDoc, HandoffDoc, Pointer};
use skein_format::id::CheckpointId;
use skein_store::{
    CreateError, Fs, Guard, ReplaceError, Revision, Snapshot, create_new, replace, write_derived,
};

use super::error::WorkError;
use super::index_files::Tables;

/// How many checkpoints of one second may be called the same.
const MOST_OF_A_NAME: u32 = 10_000;
/// How often another program may be faster.
const TRIES: usize = 100;

/// Puts a file with these bytes aside.
pub(super) type Keep<'a> = &'a dyn Fn(&Path, &[u8]) -> Result<(), WorkError>;

/// Creates a checkpoint under the first of the ids that is free: the one that is wanted, then with a number.
pub(super) fn create(
    fs: &dyn Fs,
    guard: &Guard,
    wanted: &CheckpointId,
    make: &dyn Fn(&CheckpointId) -> Result<CheckpointDoc, WorkError>,
) -> Result<(CheckpointId, PathBuf, CheckpointDoc), WorkError> {
    let mut id = wanted.clone();
    for count in 1..MOST_OF_A_NAME {
        let path = file(guard.dir(), &id);
        let doc = make(&id)?;
        match create_new(fs, guard, &path, doc.to_bytes(), 0o666) {
            Ok(_) => return Ok((id, path, doc)),
            Err(CreateError::Exists { .. }) => id = wanted.numbered(count),
            Err(error) => return Err(error.into()),
        }
    }
    Err(WorkError::Busy { path: file(guard.dir(), wanted) })
}

/// Lets the pointer lead to a checkpoint; what else it says stays.
///
/// One that holds no JSON object is written anew; `keep` is asked to put it aside before.
pub(super) fn point(
    fs: &dyn Fs,
    guard: &Guard,
    pointer: &Pointer,
    keep: Keep<'_>,
) -> Result<PathBuf, WorkError> {
    let path = guard.dir().join(HandoffDoc::FILE_NAME);
    for _ in 0..TRIES {
        let written = match read(fs, &path)? {
            None => match create_new(fs, guard, &path, &pointer.to_bytes(), 0o666) {
                Err(CreateError::Exists { .. }) => false,
                done => done.map(|_| true)?,
            },
            Some(old) => {
                let bytes = pointer.set_in(&old.bytes);
                if bytes.is_none() {
                    keep(&path, &old.bytes)?;
                }
                let bytes = bytes.unwrap_or_else(|| pointer.to_bytes());
                match replace(fs, guard, &path, &old.revision, &bytes) {
                    Err(ReplaceError::Conflict { kept: None, .. }) => false,
                    done => done.map(|()| true)?,
                }
            }
        };
        if written {
            return Ok(path);
        }
    }
    Err(WorkError::Busy { path })
}

/// Puts the tables beside the threads.
pub(super) fn tables(
    fs: &dyn Fs,
    guard: &Guard,
    dir: &Path,
    tables: &Tables,
) -> Result<(), skein_store::DerivedError> {
    write_derived(fs, guard, &dir.join("INDEX.md"), tables.index.as_bytes())?;
    write_derived(fs, guard, &dir.join("recent.md"), tables.recent.as_bytes())
}

fn read(fs: &dyn Fs, path: &Path) -> Result<Option<Snapshot>, WorkError> {
    match fs.read(path) {
        Ok(bytes) => Ok(Some(Snapshot { revision: Revision::of(&bytes), bytes })),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(skein_store::ReadError::Io { path: path.to_owned(), source }.into()),
    }
}

fn file(dir: &Path, id: &CheckpointId) -> PathBuf {
    dir.join(format!("{id}.json"))
}
