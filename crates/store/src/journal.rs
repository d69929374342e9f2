use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::fs::{Fs, NewFile};
use crate::lock::DirLock;
use crate::stage;
use crate::temp;

/// A file of lines to which one process appends, and that survives a power cut.
///
/// The file begins with the lines that were passed to [`Self::start`]. After a power cut the last
/// line may be cut off; every line whose [`Self::append`] returned is complete.
pub struct Journal {
    path: PathBuf,
    file: Box<dyn NewFile>,
    start_size: u64,
    size: u64,
}

/// A journal could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}", path.display())]
pub struct JournalError {
    /// The file, as the caller named it.
    pub path: PathBuf,
    /// The underlying error.
    pub source: io::Error,
}

impl Journal {
    /// Replaces the file by a new one that begins with `lines`, which must end with a line break.
    ///
    /// Readers, also after a power cut, see the old file or the new one. Only the owner can read it.
    pub fn start(
        fs: &dyn Fs,
        _guard: &DirLock,
        path: &Path,
        lines: &[u8],
    ) -> Result<Self, JournalError> {
        let begin = || {
            let temp = temp::beside(path);
            let mut file = fs.create(&temp, 0o600)?;
            let renamed = file
                .write(lines)
                .and_then(|()| file.sync())
                .and_then(|()| fs.rename(&temp, path))
                .inspect_err(|_| stage::discard(fs, &temp));
            renamed.and_then(|()| fs.sync_dir(stage::parent(path)))?;
            Ok(file)
        };
        match begin() {
            Ok(file) => {
                let start_size = length(lines);
                Ok(Self { path: path.to_owned(), file, start_size, size: start_size })
            }
            Err(source) => Err(JournalError { path: path.to_owned(), source }),
        }
    }

    /// Appends `lines`, which must end with a line break, and makes them durable.
    pub fn append(&mut self, lines: &[u8]) -> Result<(), JournalError> {
        let error = |source| JournalError { path: self.path.clone(), source };
        self.file.write(lines).and_then(|()| self.file.sync()).map_err(error)?;
        self.size = self.size.saturating_add(length(lines));
        Ok(())
    }

    /// Returns the number of bytes in the file.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns the number of bytes that it was started with.
    pub fn start_size(&self) -> u64 {
        self.start_size
    }
}

impl fmt::Debug for Journal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Journal").field("path", &self.path).field("size", &self.size).finish()
    }
}

fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}
