use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::Path;
use std::time::{Duration, SystemTime};

use rustix::buffer::spare_capacity;
use rustix::fs::{AtFlags, FileType, Mode, OFlags, fstat, open, openat, statat};
use rustix::io::{read, retry_on_intr};

use crate::limit::check_len;

/// The minimum buffer growth when the rest of a file is read.
const MIN_GROWTH: usize = 32 * 1024;

/// A file to be read.
#[derive(Clone, Copy)]
pub(crate) struct ScanEntry<'a> {
    pub(crate) name: &'a str,
    pub(crate) kind: EntryType,
}

/// The type of an entry according to the listing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryType {
    Regular,
    /// A directory, device, pipe or socket.
    Special,
    /// A symlink, or a file system that does not report types.
    Unknown,
}

/// An open directory; its files are opened relative to it.
pub(crate) struct ScanDir {
    dir: OwnedFd,
}

impl ScanDir {
    pub(crate) fn open(dir: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::DIRECTORY;
        Ok(Self { dir: open(dir, flags, Mode::empty())? })
    }

    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.dir.as_fd()
    }

    /// Opens a file without blocking, and checks its type if the listing does not have it.
    pub(crate) fn open_file(&self, entry: ScanEntry<'_>) -> io::Result<OwnedFd> {
        if entry.kind == EntryType::Special {
            return Err(not_a_file());
        }
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = openat(&self.dir, entry.name, flags, Mode::empty())?;
        if entry.kind == EntryType::Unknown
            && FileType::from_raw_mode(fstat(&file)?.st_mode) != FileType::RegularFile
        {
            return Err(not_a_file());
        }
        Ok(file)
    }

    /// Returns whether the name exists, even as a dangling symlink.
    pub(crate) fn has(&self, entry: ScanEntry<'_>) -> bool {
        statat(&self.dir, entry.name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    /// Returns the modification time of the file.
    pub(crate) fn mtime(&self, name: &str) -> io::Result<SystemTime> {
        let stat = statat(&self.dir, name, AtFlags::empty())?;
        let seconds = u64::try_from(stat.st_mtime).unwrap_or_default();
        let nanos = u32::try_from(stat.st_mtime_nsec).unwrap_or_default();
        Ok(SystemTime::UNIX_EPOCH + Duration::new(seconds, nanos))
    }
}

fn not_a_file() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")
}

/// Two buffers, reused for every file.
pub(crate) struct Buffers {
    head: Vec<u8>,
    whole: Vec<u8>,
}

impl Buffers {
    pub(crate) fn new(first: usize) -> Self {
        Self { head: Vec::with_capacity(first.max(1)), whole: Vec::new() }
    }

    /// Reads the first page in one call; a short read is the whole file.
    pub(crate) fn read_head(&mut self, file: &OwnedFd) -> io::Result<(&[u8], bool)> {
        self.head.clear();
        let got = retry_on_intr(|| read(file, spare_capacity(&mut self.head)))?;
        Ok((&self.head, got < self.head.capacity()))
    }

    /// Reads from the end of the first page to the end of the file.
    pub(crate) fn read_rest(&mut self, file: &OwnedFd) -> io::Result<&[u8]> {
        self.whole.clear();
        // Reserve everything at once: growing a large buffer costs more than reading.
        let size = u64::try_from(fstat(file)?.st_size).unwrap_or_default();
        check_len(size)?;
        self.whole.reserve(usize::try_from(size).unwrap_or_default().saturating_add(1));
        self.whole.extend_from_slice(&self.head);
        loop {
            if self.whole.len() == self.whole.capacity() {
                self.whole.reserve(MIN_GROWTH.max(self.whole.len()));
            }
            let room = self.whole.capacity() - self.whole.len();
            let got = retry_on_intr(|| read(file, spare_capacity(&mut self.whole)))?;
            if got < room {
                return Ok(&self.whole);
            }
        }
    }
}
