pub(crate) mod file;
mod sink;

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tantivy::Directory;
use tantivy::directory::error::{DeleteError, OpenReadError, OpenWriteError};
use tantivy::directory::{FileHandle, WatchCallback, WatchHandle, WritePtr};

use crate::directory::file::{CheckedFile, Sealed};
use crate::directory::sink::Sink;
use crate::writer::PRIVATE_FILE;

/// How many blocks are read at once where a file is read from its beginning to its end.
pub(crate) const STREAM: usize = 64;
/// How many blocks are read at once where a query asks for a few places.
pub(crate) const SPOT: usize = 1;
const WRITE_BUFFER: usize = 64 * 1024;

/// The files of one segment, as the library sees them.
///
/// Files are open from the start, so that a writer which removes a segment takes nothing from a
/// reader. The notes that the library keeps on segments stay in memory: the snapshot says what
/// there is, and it alone is replaced when the index changes.
#[derive(Clone)]
pub(crate) struct SegmentFiles {
    dir: Arc<Path>,
    ahead: usize,
    held: Arc<Mutex<Held>>,
}

#[derive(Default)]
struct Held {
    files: BTreeMap<PathBuf, Arc<CheckedFile>>,
    notes: BTreeMap<PathBuf, Vec<u8>>,
}

impl SegmentFiles {
    /// Returns a segment without files, which are to be created in `dir`.
    pub(crate) fn create(dir: &Path, ahead: usize) -> Self {
        Self { dir: dir.into(), ahead, held: Arc::default() }
    }

    /// Opens files that exist; an error if one is missing or has another length.
    pub(crate) fn open(dir: &Path, sealed: &[Sealed], ahead: usize) -> io::Result<Self> {
        let files = Self::create(dir, ahead);
        for sealed in sealed {
            let file =
                CheckedFile::new(File::open(dir.join(&sealed.name))?, sealed.clone(), ahead)?;
            files.keep(PathBuf::from(&sealed.name), file);
        }
        Ok(files)
    }

    /// Returns what the snapshot is to know of the files that were written.
    pub(crate) fn sealed(&self) -> Vec<Sealed> {
        self.held().files.values().map(|file| file.sealed().clone()).collect()
    }

    pub(crate) fn keep(&self, name: PathBuf, file: CheckedFile) {
        self.held().files.insert(name, Arc::new(file));
    }

    pub(crate) fn ahead(&self) -> usize {
        self.ahead
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Directory for SegmentFiles {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        match self.held().files.get(path) {
            Some(file) => Ok(file.clone()),
            None => Err(OpenReadError::FileDoesNotExist(path.to_owned())),
        }
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.held().files.remove(path);
        std::fs::remove_file(self.dir.join(path)).map_err(|error| DeleteError::IoError {
            io_error: Arc::new(error),
            filepath: path.to_owned(),
        })
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        let held = self.held();
        Ok(held.files.contains_key(path) || held.notes.contains_key(path))
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .mode(PRIVATE_FILE)
            .open(self.dir.join(path))
            .map_err(|error| OpenWriteError::wrap_io_error(error, path.to_owned()))?;
        let sink = Box::new(Sink::new(self.clone(), path.to_owned(), file));
        Ok(WritePtr::with_capacity(WRITE_BUFFER, sink))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        let held = self.held();
        let note = held.notes.get(path).cloned();
        note.ok_or_else(|| OpenReadError::FileDoesNotExist(path.to_owned()))
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        self.held().notes.insert(path.to_owned(), data.to_owned());
        Ok(())
    }

    fn sync_directory(&self) -> io::Result<()> {
        // The index is a cache: what a power cut takes is noticed by its checksum.
        Ok(())
    }

    fn watch(&self, _: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }
}

impl fmt::Debug for SegmentFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SegmentFiles").field("dir", &self.dir).finish_non_exhaustive()
    }
}
