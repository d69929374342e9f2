//! The real file system with one writable directory.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use skein_store::{Fs, LockHandle, Meta, NewFile, RealFs};

/// The error of a read-only file system.
const EROFS: i32 = 30;

/// The real file system with one writable directory, as in the sandbox of an agent.
///
/// Permissions are no substitute in tests, because they do not apply to root.
#[derive(Clone, Debug)]
pub struct ReadOnlyFs {
    writable: PathBuf,
}

impl ReadOnlyFs {
    /// Refuses every write outside of `writable`.
    pub fn except(writable: &Path) -> Self {
        Self { writable: writable.to_owned() }
    }

    fn check(&self, paths: &[&Path]) -> io::Result<()> {
        let refused = paths.iter().any(|path| !path.starts_with(&self.writable));
        if refused { Err(io::Error::from_raw_os_error(EROFS)) } else { Ok(()) }
    }
}

impl Fs for ReadOnlyFs {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        RealFs.read(path)
    }

    fn metadata(&self, path: &Path) -> io::Result<Meta> {
        RealFs.metadata(path)
    }

    fn canonicalize(&self, path: &Path) -> io::Result<PathBuf> {
        RealFs.canonicalize(path)
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<OsString>> {
        RealFs.list(dir)
    }

    fn create(&self, path: &Path, mode: u32) -> io::Result<Box<dyn NewFile>> {
        self.check(&[path])?;
        RealFs.create(path, mode)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.check(&[from, to])?;
        RealFs.rename(from, to)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.check(&[from, to])?;
        RealFs.rename_new(from, to)
    }

    fn exchange(&self, a: &Path, b: &Path) -> io::Result<()> {
        self.check(&[a, b])?;
        RealFs.exchange(a, b)
    }

    fn unlink(&self, path: &Path) -> io::Result<()> {
        self.check(&[path])?;
        RealFs.unlink(path)
    }

    fn make_dir(&self, path: &Path, mode: u32) -> io::Result<()> {
        self.check(&[path])?;
        RealFs.make_dir(path, mode)
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        RealFs.sync_dir(dir)
    }

    fn can_write(&self, dir: &Path) -> bool {
        self.check(&[dir]).is_ok() && RealFs.can_write(dir)
    }

    fn try_lock(&self, dir: &Path) -> io::Result<LockHandle> {
        RealFs.try_lock(dir)
    }
}
