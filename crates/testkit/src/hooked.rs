//! A file system with another program that acts between two operations.

use std::any::Any;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use skein_store::{Fs, LockHandle, Meta, NewFile, RealFs};

/// A moment at which a [`HookedFs`] calls its hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookPoint {
    /// The operation with this number is about to be done.
    Operation(usize),
    /// A file is about to be read.
    Read,
    /// The lock of a directory was just taken.
    Locked,
    /// The lock of a directory was just released.
    Unlocked,
}

type Hook = Arc<dyn Fn(HookPoint, &Path) + Send + Sync>;

/// A file system that calls a hook, so that a test can act as another program at that moment.
///
/// The operations on a directory that is held count like the others.
#[derive(Clone)]
pub struct HookedFs {
    fs: Arc<dyn Fs>,
    hook: Hook,
    count: Arc<AtomicUsize>,
}

impl fmt::Debug for HookedFs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HookedFs")
    }
}

impl HookedFs {
    pub fn new(fs: Arc<dyn Fs>, hook: impl Fn(HookPoint, &Path) + Send + Sync + 'static) -> Self {
        Self { fs, hook: Arc::new(hook), count: Arc::default() }
    }

    /// Returns the real file system, on which another program acts before the operation with a number.
    pub fn acting_before(number: usize, act: impl Fn() + Send + Sync + 'static) -> Self {
        Self::new(Arc::new(RealFs), move |point, _| {
            if point == HookPoint::Operation(number) {
                act();
            }
        })
    }

    /// Returns the number of operations so far.
    pub fn operations(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    fn before(&self, path: &Path) -> &dyn Fs {
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        (self.hook)(HookPoint::Operation(number), path);
        &*self.fs
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
        let fs = self.before(path);
        (self.hook)(HookPoint::Read, path);
        fs.read(path)
    }

    fn holds(&self, path: &Path, bytes: &[u8]) -> io::Result<bool> {
        self.before(path).holds(path, bytes)
    }

    fn metadata(&self, path: &Path) -> io::Result<Meta> {
        self.before(path).metadata(path)
    }

    fn canonicalize(&self, path: &Path) -> io::Result<PathBuf> {
        self.before(path).canonicalize(path)
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<OsString>> {
        self.before(dir).list(dir)
    }

    fn create(&self, path: &Path, mode: u32) -> io::Result<Box<dyn NewFile>> {
        self.before(path).create(path, mode)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.before(from).rename(from, to)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.before(from).rename_new(from, to)
    }

    fn exchange(&self, a: &Path, b: &Path) -> io::Result<()> {
        self.before(a).exchange(a, b)
    }

    fn unlink(&self, path: &Path) -> io::Result<()> {
        self.before(path).unlink(path)
    }

    fn make_dir(&self, path: &Path, mode: u32) -> io::Result<()> {
        self.before(path).make_dir(path, mode)
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        self.before(dir).sync_dir(dir)
    }

    fn holding(&self, root: &Path, below: &Path) -> io::Result<Option<Box<dyn Fs>>> {
        let held = self.before(root).holding(root, below)?;
        let hooked = |fs| Box::new(Self { fs: Arc::from(fs), ..self.clone() }) as Box<dyn Fs>;
        Ok(held.map(hooked))
    }

    fn try_lock(&self, dir: &Path) -> io::Result<LockHandle> {
        let held = self.before(dir).try_lock(dir)?;
        (self.hook)(HookPoint::Locked, dir);
        let (dir, hook) = (dir.to_owned(), self.hook.clone());
        let lock: Box<dyn Any + Send + Sync> = Box::new(HookedLock { held: Some(held), dir, hook });
        Ok(lock)
    }
}
