use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, openat, renameat, unlinkat};

use super::{RealFile, RealFs, rename};
use crate::fs::{Fs, LockHandle, Meta, NewFile};
use crate::open_dir::OpenDir;

/// The real file system, in which the entries of one directory are reached through its handle.
///
/// Operations on them stay in this directory, also if another program replaces it, or one of its
/// parents, by a symlink. An entry that is a symlink is an error.
pub(super) struct HeldDirFs(OpenDir);

const ENTRY: OFlags = OFlags::CLOEXEC.union(OFlags::NOFOLLOW);

impl HeldDirFs {
    pub(super) fn new(dir: OpenDir) -> Self {
        Self(dir)
    }

    /// Returns a path as the system gets it: an entry of the directory by its name and the handle.
    fn at<'a>(&'a self, path: &'a Path) -> (BorrowedFd<'a>, &'a Path) {
        match path.file_name().filter(|_| self.is_entry(path)) {
            Some(name) => (self.0.as_fd(), Path::new(name)),
            None => (CWD, path),
        }
    }

    fn is_entry(&self, path: &Path) -> bool {
        path.parent() == Some(self.0.path())
    }

    /// Opens an entry of the directory for reading.
    fn open(&self, path: &Path) -> io::Result<File> {
        let (dir, name) = self.at(path);
        let flags = ENTRY | OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        Ok(openat(dir, name, flags, Mode::empty())?.into())
    }
}

impl Fs for HeldDirFs {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if !self.is_entry(path) {
            return RealFs.read(path);
        }
        let mut bytes = Vec::new();
        io::Read::read_to_end(&mut self.open(path)?, &mut bytes)?;
        Ok(bytes)
    }

    fn metadata(&self, path: &Path) -> io::Result<Meta> {
        if !self.is_entry(path) {
            return RealFs.metadata(path);
        }
        Ok(Meta::from(&self.open(path)?.metadata()?))
    }

    fn canonicalize(&self, path: &Path) -> io::Result<PathBuf> {
        RealFs.canonicalize(path)
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<OsString>> {
        RealFs.list(dir)
    }

    fn create(&self, path: &Path, mode: u32) -> io::Result<Box<dyn NewFile>> {
        let (dir, name) = self.at(path);
        let flags = ENTRY | OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        // The type of a mode has 16 bits on some systems.
        let mode = u16::try_from(mode & 0o7777).unwrap_or(0o600);
        let file = openat(dir, name, flags, Mode::from_bits_truncate(mode.into()))?;
        Ok(Box::new(RealFile(file.into())))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let ((from_dir, from), (to_dir, to)) = (self.at(from), self.at(to));
        Ok(renameat(from_dir, from, to_dir, to)?)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        rename::no_replace(self.at(from), self.at(to))
    }

    fn exchange(&self, a: &Path, b: &Path) -> io::Result<()> {
        rename::exchange(self.at(a), self.at(b))
    }

    fn unlink(&self, path: &Path) -> io::Result<()> {
        let (dir, name) = self.at(path);
        Ok(unlinkat(dir, name, AtFlags::empty())?)
    }

    fn make_dir(&self, path: &Path, mode: u32) -> io::Result<()> {
        RealFs.make_dir(path, mode)
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        if dir == self.0.path() { self.0.sync() } else { RealFs.sync_dir(dir) }
    }

    fn try_lock(&self, dir: &Path) -> io::Result<LockHandle> {
        RealFs.try_lock(dir)
    }
}
