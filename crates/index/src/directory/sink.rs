use std::fs::File;
use std::io::{self, Write};
use std::mem;
use std::path::PathBuf;

use tantivy::directory::{AntiCallToken, TerminatingWrite};

use crate::checksum::{BLOCK, block_checksum, checksums};
use crate::directory::SegmentFiles;
use crate::directory::file::{CheckedFile, Sealed};

/// A file that is being written; its checksums are taken on the way.
pub(crate) struct Sink {
    files: SegmentFiles,
    name: PathBuf,
    file: File,
    length: u64,
    sums: Vec<u32>,
    /// The bytes of a block that is not full yet.
    started: Vec<u8>,
}

impl Sink {
    pub(crate) fn new(files: SegmentFiles, name: PathBuf, file: File) -> Self {
        Self { files, name, file, length: 0, sums: Vec::new(), started: Vec::new() }
    }

    fn take_sums(&mut self, mut bytes: &[u8]) {
        if !self.started.is_empty() {
            let missing = BLOCK.saturating_sub(self.started.len()).min(bytes.len());
            let (head, tail) = bytes.split_at(missing);
            self.started.extend_from_slice(head);
            bytes = tail;
            if self.started.len() < BLOCK {
                return;
            }
            self.sums.push(block_checksum(&self.started));
            self.started.clear();
        }
        let (whole, rest) = bytes.split_at(bytes.len() - bytes.len() % BLOCK);
        self.sums.extend(checksums(whole));
        self.started.extend_from_slice(rest);
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write_all(bytes)?;
        self.take_sums(bytes);
        self.length += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl TerminatingWrite for Sink {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        if !self.started.is_empty() {
            self.sums.push(block_checksum(&self.started));
            self.started.clear();
        }
        let sealed = Sealed {
            name: self.name.to_string_lossy().into_owned(),
            length: self.length,
            sums: mem::take(&mut self.sums),
        };
        let file = CheckedFile::new(self.file.try_clone()?, sealed, self.files.ahead())?;
        self.files.keep(mem::take(&mut self.name), file);
        Ok(())
    }
}
