//! The real file system with another program that acts between two operations.

use std::any::Any;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use skein_store::{Fs, LockHandle, Meta, NewFile, RealFs};

/// A moment at which a [`HookedFs`] calls its hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookPoint {
    /// A file is about to be read.
    Read,
    /// The lock of a directory was just taken.
    Locked,
    /// The lock of a directory was just released.
    Unlocked,
}

type Hook = Arc<dyn Fn(HookPoint, &Path) + Send + Sync>;

/// The real file system, which calls a hook so that a test can act as another program at that moment.
#[derive(Clone)]
pub struct HookedFs {
    hook: Hook,
}

impl fmt::Debug for HookedFs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HookedFs")
    }
}

impl HookedFs {
    pub fn new(hook: impl Fn(HookPoint, &Path) + Send + Sync + 'static) -> Self {
        Self { hook: Arc::new(hook) }
    }
}

/// A held lock; it reports its release.
struct HookedLock {
    held: Option<LockHandle>,
    dir: PathBuf,
    hook: Hook,
}

impl Drop for HookedLock {
    fn drop(&mut self) {
        drop(self.held.take());
        (self.hook)(HookPoint::Unlocked, &self.dir);
    }
}

impl Fs for HookedFs {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        (self.hook)(HookPoint::Read, path);
        RealFs.read(path)
    }

    fn holds(&self, path: &Path, bytes: &[u8]) -> io::Result<bool> {
        RealFs.holds(path, bytes)
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
        RealFs.create(path, mode)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        RealFs.rename(from, to)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        RealFs.rename_new(from, to)
    }

    fn exchange(&self, a: &Path, b: &Path) -> io::Result<()> {
        RealFs.exchange(a, b)
    }

    fn unlink(&self, path: &Path) -> io::Result<()> {
        RealFs.unlink(path)
    }

    fn make_dir(&self, path: &Path, mode: u32) -> io::Result<()> {
        RealFs.make_dir(path, mode)
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        RealFs.sync_dir(dir)
    }

    fn try_lock(&self, dir: &Path) -> io::Result<LockHandle> {
        let held = RealFs.try_lock(dir)?;
        (self.hook)(HookPoint::Locked, dir);
        let (dir, hook) = (dir.to_owned(), self.hook.clone());
        let lock: Box<dyn Any + Send + Sync> = Box::new(HookedLock { held: Some(held), dir, hook });
        Ok(lock)
    }
}
