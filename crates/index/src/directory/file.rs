use std::fmt;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::sync::{Mutex, PoisonError};

use tantivy::HasLen;
use tantivy::directory::{FileHandle, OwnedBytes};

use crate::checksum::{BLOCK, checksums};

/// What the snapshot knows of a file: enough to tell whether it is still what was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sealed {
    pub(crate) name: String,
    pub(crate) length: u64,
    /// One for each block.
    pub(crate) sums: Vec<u32>,
}

/// A file that is read by blocks, each of which is compared with its checksum.
///
/// It is not mapped into memory, where a file that is cut short kills the process.
pub(crate) struct CheckedFile {
    file: File,
    sealed: Sealed,
    length: usize,
    /// How many blocks are read at least.
    ahead: usize,
    /// The last bytes that were read, and where they start. What is read lies close together.
    last: Mutex<(usize, OwnedBytes)>,
}

impl CheckedFile {
    /// Takes an open file; an error if its length is not the one that was written.
    pub(crate) fn new(file: File, sealed: Sealed, ahead: usize) -> io::Result<Self> {
        let length = usize::try_from(sealed.length).map_err(|_| damaged(&sealed.name))?;
        if file.metadata()?.len() != sealed.length || sealed.sums.len() != length.div_ceil(BLOCK) {
            return Err(damaged(&sealed.name));
        }
        Ok(Self { file, sealed, length, ahead, last: Mutex::new((0, OwnedBytes::empty())) })
    }

    /// Returns what the snapshot is to know of the file.
    pub(crate) fn sealed(&self) -> &Sealed {
        &self.sealed
    }

    fn remembered(&self, range: &Range<usize>) -> Option<OwnedBytes> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let start = range.start.checked_sub(last.0)?;
        let end = range.end.checked_sub(last.0)?;
        (end <= last.1.len()).then(|| last.1.slice(start..end))
    }

    fn read_blocks(&self, blocks: Range<usize>) -> io::Result<OwnedBytes> {
        let start = blocks.start * BLOCK;
        let end = self.length.min(blocks.end * BLOCK);
        let mut bytes = vec![0; end - start];
        self.file.read_exact_at(&mut bytes, start as u64)?;
        let sums = self.sealed.sums.get(blocks).ok_or_else(|| damaged(&self.sealed.name))?;
        if !checksums(&bytes).eq(sums.iter().copied()) {
            return Err(damaged(&self.sealed.name));
        }
        Ok(OwnedBytes::new(bytes))
    }
}

impl FileHandle for CheckedFile {
    fn read_bytes(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        if range.is_empty() {
            return Ok(OwnedBytes::empty());
        }
        if range.end > self.length {
            return Err(damaged(&self.sealed.name));
        }
        if let Some(bytes) = self.remembered(&range) {
            return Ok(bytes);
        }
        let first = range.start / BLOCK;
        let last = range.end.div_ceil(BLOCK).max(first + self.ahead).min(self.sealed.sums.len());
        let bytes = self.read_blocks(first..last)?;
        let base = first * BLOCK;
        let asked = bytes.slice(range.start - base..range.end - base);
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = (base, bytes);
        Ok(asked)
    }
}

impl HasLen for CheckedFile {
    fn len(&self) -> usize {
        self.length
    }
}

impl fmt::Debug for CheckedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CheckedFile").field("name", &self.sealed.name).finish_non_exhaustive()
    }
}

fn damaged(name: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("not what was written: {name}"))
}
