use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::BorrowedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags, mkdirat, openat, renameat, unlinkat};

use super::{RealFile, RealFs, not_a_file, rename};
use crate::fs::{Fs, LockHandle, Meta, NewFile};
use crate::limit::check_len;
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

    /// Opens a file for reading without following a link, and without waiting for the writer of a pipe.
    fn open(&self, path: &Path) -> io::Result<File> {
        let (dir, name) = self.at(path);
        let flags = ENTRY | OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        Ok(openat(dir, name, flags, Mode::empty())?.into())
    }
}

impl Fs for HeldDirFs {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        // Not only entries: the file that an exchange has displaced is whatever another program put in its place.
        let mut file = self.open(path)?;
        let meta = file.metadata()?;
        if !meta.is_file() {
            return Err(not_a_file(path));
        }
        check_len(meta.len())?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
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
        if dir != self.0.path() {
            return RealFs.list(dir);
        }
        let mut names = Vec::new();
        for entry in Dir::read_from(self.0.as_fd())? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." {
                names.push(OsStr::from_bytes(name).to_owned());
            }
        }
        Ok(names)
    }

    fn create(&self, path: &Path, mode: u32) -> io::Result<Box<dyn NewFile>> {
        let (dir, name) = self.at(path);
        let flags = ENTRY | OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        let file = openat(dir, name, flags, permissions(mode))?;
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
        let (dir, name) = self.at(path);
        Ok(mkdirat(dir, name, permissions(mode))?)
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        if dir == self.0.path() { self.0.sync() } else { RealFs.sync_dir(dir) }
    }

    fn try_lock(&self, dir: &Path) -> io::Result<LockHandle> {
        RealFs.try_lock(dir)
    }
}

/// Returns the permission bits of a mode.
fn permissions(mode: u32) -> Mode {
    // The type of a mode has 16 bits on some systems.
    let bits = u16::try_from(mode & 0o7777).unwrap_or(0o600);
    Mode::from_bits_truncate(bits.into())
}
