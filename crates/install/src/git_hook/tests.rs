use std::ffi::OsString;
use std::fs;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use skein_store::RealFs;
use skein_store::{LockHandle, Meta, NewFile};

use super::*;
use crate::agent;
use crate::own_files;
use crate::program::HookProgram;

/// A file system on which some operations that change names fail.
struct Failing {
    steps: AtomicUsize,
    fails: Box<dyn Fn(usize) -> bool + Send + Sync>,
    exchanges: bool,
}

impl Failing {
    fn new(exchanges: bool, fails: impl Fn(usize) -> bool + Send + Sync + 'static) -> Self {
        Self { steps: AtomicUsize::new(0), fails: Box::new(fails), exchanges }
    }

    fn step(&self) -> io::Result<()> {
        match (self.fails)(self.steps.fetch_add(1, Ordering::SeqCst)) {
            true => Err(io::Error::other("broken")),
            false => Ok(()),
        }
    }
}

impl Fs for Failing {
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
        self.step().and_then(|()| RealFs.create(path, mode))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.step().and_then(|()| RealFs.rename(from, to))
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.step().and_then(|()| RealFs.rename_new(from, to))
    }

    fn exchange(&self, a: &Path, b: &Path) -> io::Result<()> {
        if !self.exchanges {
            return Err(ErrorKind::Unsupported.into());
        }
        self.step().and_then(|()| RealFs.exchange(a, b))
    }

    fn unlink(&self, path: &Path) -> io::Result<()> {
        self.step().and_then(|()| RealFs.unlink(path))
    }

    fn make_dir(&self, path: &Path, mode: u32) -> io::Result<()> {
        self.step().and_then(|()| RealFs.make_dir(path, mode))
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        self.step().and_then(|()| RealFs.sync_dir(dir))
    }

    fn try_lock(&self, dir: &Path) -> io::Result<LockHandle> {
        RealFs.try_lock(dir)
    }
}

const THEIRS: &str = "#!/bin/sh\n# theirs\n";

fn ours() -> String {
    let git = agent("git").unwrap();
    own_files::text(git, &git.files[0].content, &HookProgram::OnPath).unwrap()
}

/// Replaces a hook on a file system and returns whether that succeeded. The hook of the user must
/// still run in any case.
#[track_caller]
#[expect(clippy::disallowed_methods, reason = "acts as the user who wrote the hook")]
fn check(fs: &Failing) -> bool {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("post-commit");
    fs::write(&path, THEIRS).unwrap();
    let done = replace_hook(fs, &path, ours().as_bytes()).is_ok();
    let (there, before) = (fs::read_to_string(&path), fs::read_to_string(renamed_path(&path)));
    match there.unwrap().as_str() {
        THEIRS => assert!(!done),
        there => assert_eq!((there, before.unwrap().as_str()), (ours().as_str(), THEIRS)),
    }
    // The leftover does not block the next install or uninstall.
    remove_leftover(&RealFs, &path).unwrap();
    let bytes = fs::read(&path).unwrap();
    must_rename(&path, Some(&bytes)).unwrap();
    done
}

#[test]
fn a_crash_at_any_step_leaves_their_hook_running() {
    let ends = (0..20).position(|end| check(&Failing::new(true, move |step| step >= end)));
    assert!(ends.is_some_and(|end| end > 2), "{ends:?}");
}

#[test]
fn an_error_at_any_step_leaves_their_hook_running() {
    for exchanges in [true, false] {
        for bad in 0..20 {
            check(&Failing::new(exchanges, move |step| step == bad));
        }
        assert!(check(&Failing::new(exchanges, |_| false)));
    }
}
