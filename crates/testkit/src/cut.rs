//! A real directory tree with simulated power cuts.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::SystemTime;

use skein_store::{Fs, LockHandle, Meta, NewFile, RealFs};

/// The error of every operation after the power cut.
const EIO: i32 = 5;

/// The real file system, with changes that are lost unless they are synced.
///
/// For use cases that also run git and read files directly, which a file system in memory cannot
/// support. It cuts the power after a number of operations; [`CutFs::lose_unsynced`] then undoes
/// the changes that were not synced. Clones share their state.
#[derive(Clone, Default)]
pub struct CutFs(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    operations: usize,
    cut: Option<usize>,
    /// The changes that are not on disk yet, in order.
    unsynced: Vec<Change>,
}

/// A change of the tree that a power cut may undo.
enum Change {
    /// The data of a written file, and whether it was synced since.
    Data(PathBuf, Arc<AtomicBool>),
    Created(PathBuf),
    MadeDir(PathBuf),
    /// A renamed file, and the previous content at the new name.
    Renamed {
        from: PathBuf,
        to: PathBuf,
        before: Option<Vec<u8>>,
    },
    Exchanged(PathBuf, PathBuf),
    Removed(PathBuf, Vec<u8>),
}

impl CutFs {
    /// Cuts the power after operation `number`: all that follow fail and change nothing.
    pub fn cut_after(number: usize) -> Self {
        let state = State { cut: Some(number), ..State::default() };
        Self(Arc::new(Mutex::new(state)))
    }

    /// Returns the number of operations so far.
    pub fn operations(&self) -> usize {
        self.state().operations
    }

    /// Undoes every change that was not synced, in reverse order.
    pub fn lose_unsynced(&self) {
        let changes = std::mem::take(&mut self.state().unsynced);
        for change in changes.into_iter().rev() {
            change.undo().expect("the tree is only changed through this file system");
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("no operation panics while it holds the state")
    }

    fn step(&self) -> io::Result<MutexGuard<'_, State>> {
        let mut state = self.state();
        state.operations += 1;
        if state.cut.is_some_and(|cut| state.operations > cut) {
            return Err(io::Error::from_raw_os_error(EIO));
        }
        Ok(state)
    }
}

impl Change {
    /// Returns whether syncing `dir` makes the change durable.
    fn is_in(&self, dir: &Path) -> bool {
        let inside = |path: &Path| path.parent() == Some(dir);
        match self {
            // Data is synced separately.
            Self::Data(..) => false,
            Self::Created(path) | Self::MadeDir(path) | Self::Removed(path, _) => inside(path),
            Self::Renamed { from, to, .. } | Self::Exchanged(from, to) => {
                inside(from) || inside(to)
            }
        }
    }

    #[expect(clippy::disallowed_methods, reason = "plays the disk after a power cut")]
    fn undo(self) -> io::Result<()> {
        match self {
            Self::Data(_, synced) if synced.load(Ordering::Relaxed) => Ok(()),
            Self::Data(path, _) => match fs::read(&path) {
                Ok(bytes) => fs::write(&path, bytes.get(..bytes.len() / 2).unwrap_or_default()),
                // It was renamed or removed.
                Err(_) => Ok(()),
            },
            Self::Created(path) => fs::remove_file(path),
            Self::MadeDir(path) => fs::remove_dir(path),
            Self::Renamed { from, to, before } => {
                fs::rename(&to, from)?;
                before.map_or(Ok(()), |bytes| fs::write(to, bytes))
            }
            Self::Exchanged(a, b) => RealFs.exchange(&a, &b),
            Self::Removed(path, bytes) => {
                // Its directory may have been removed after it.
                path.parent().map_or(Ok(()), fs::create_dir_all)?;
                fs::write(path, bytes)
            }
        }
    }
}

impl Fs for CutFs {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        drop(self.step()?);
        RealFs.read(path)
    }

    fn metadata(&self, path: &Path) -> io::Result<Meta> {
        drop(self.step()?);
        RealFs.metadata(path)
    }

    fn canonicalize(&self, path: &Path) -> io::Result<PathBuf> {
        drop(self.step()?);
        RealFs.canonicalize(path)
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<OsString>> {
        drop(self.step()?);
        RealFs.list(dir)
    }

    fn create(&self, path: &Path, mode: u32) -> io::Result<Box<dyn NewFile>> {
        let mut state = self.step()?;
        let file = RealFs.create(path, mode)?;
        let synced = Arc::new(AtomicBool::new(true));
        state.unsynced.push(Change::Created(path.to_owned()));
        state.unsynced.push(Change::Data(path.to_owned(), Arc::clone(&synced)));
        Ok(Box::new(CutFile { fs: self.clone(), file, synced }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.step()?;
        let before = fs::read(to).ok();
        RealFs.rename(from, to)?;
        state.unsynced.push(Change::Renamed { from: from.to_owned(), to: to.to_owned(), before });
        Ok(())
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.step()?;
        RealFs.rename_new(from, to)?;
        let (from, to) = (from.to_owned(), to.to_owned());
        state.unsynced.push(Change::Renamed { from, to, before: None });
        Ok(())
    }

    fn exchange(&self, a: &Path, b: &Path) -> io::Result<()> {
        let mut state = self.step()?;
        RealFs.exchange(a, b)?;
        state.unsynced.push(Change::Exchanged(a.to_owned(), b.to_owned()));
        Ok(())
    }

    fn unlink(&self, path: &Path) -> io::Result<()> {
        let mut state = self.step()?;
        let bytes = fs::read(path)?;
        RealFs.unlink(path)?;
        state.unsynced.push(Change::Removed(path.to_owned(), bytes));
        Ok(())
    }

    fn make_dir(&self, path: &Path, mode: u32) -> io::Result<()> {
        let mut state = self.step()?;
        RealFs.make_dir(path, mode)?;
        state.unsynced.push(Change::MadeDir(path.to_owned()));
        Ok(())
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        let mut state = self.step()?;
        state.unsynced.retain(|change| !change.is_in(dir));
        Ok(())
    }

    fn try_lock(&self, dir: &Path) -> io::Result<LockHandle> {
        drop(self.step()?);
        RealFs.try_lock(dir)
    }
}

struct CutFile {
    fs: CutFs,
    file: Box<dyn NewFile>,
    synced: Arc<AtomicBool>,
}

impl NewFile for CutFile {
    fn adopt(&mut self, like: &Meta) -> io::Result<()> {
        drop(self.fs.step()?);
        self.file.adopt(like)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        drop(self.fs.step()?);
        self.synced.store(false, Ordering::Relaxed);
        self.file.write(bytes)
    }

    fn date_back(&mut self) -> io::Result<()> {
        drop(self.fs.step()?);
        self.file.date_back()
    }

    fn set_modified(&mut self, mtime: SystemTime) -> io::Result<()> {
        drop(self.fs.step()?);
        self.file.set_modified(mtime)
    }

    fn sync(&mut self) -> io::Result<()> {
        drop(self.fs.step()?);
        self.synced.store(true, Ordering::Relaxed);
        Ok(())
    }
}
