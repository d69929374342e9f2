use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::fs::{Fs, LockHandle};

/// Holds the lock of a directory; released on drop.
///
/// The lock is an advisory `flock` on the directory itself. It creates no file, and the system
/// releases it when the process ends for any reason.
#[must_use = "the lock is released as soon as the guard is dropped"]
pub struct DirLock {
    dir: PathBuf,
    _held: LockHandle,
}

impl DirLock {
    /// Returns the directory that is locked.
    pub fn dir(&self) -> &Path {
        &self.dir
    }
}

/// Why a directory could not be locked.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process held the lock until the timeout.
    #[error("another program is writing in {}", dir.display())]
    Held {
        /// The directory whose lock is held.
        dir: PathBuf,
    },
    /// The directory is missing, or its file system has no locks.
    #[error("cannot lock {}", dir.display())]
    Io {
        /// The directory that was to be locked.
        dir: PathBuf,
        /// The underlying error.
        source: io::Error,
    },
}

const MIN_RETRY_DELAY: Duration = Duration::from_millis(1);
const MAX_RETRY_DELAY: Duration = Duration::from_millis(20);

/// Takes the lock of `dir`, and retries for about `timeout`.
pub fn lock(fs: &dyn Fs, dir: &Path, timeout: Duration) -> Result<DirLock, LockError> {
    let held = retry(dir, timeout, || fs.try_lock(dir))?;
    Ok(DirLock { dir: dir.to_owned(), _held: held })
}

/// Tries to take the lock of `dir` until another process has released it.
pub(crate) fn retry(
    dir: &Path,
    timeout: Duration,
    mut try_lock: impl FnMut() -> io::Result<LockHandle>,
) -> Result<LockHandle, LockError> {
    let mut delay = MIN_RETRY_DELAY;
    let mut waited = Duration::ZERO;
    loop {
        match try_lock() {
            Ok(held) => return Ok(held),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(source) => {
                return Err(LockError::Io { dir: dir.to_owned(), source });
            }
        }
        if waited >= timeout {
            return Err(LockError::Held { dir: dir.to_owned() });
        }
        thread::sleep(delay);
        waited += delay;
        delay = (delay * 2).min(MAX_RETRY_DELAY);
    }
}
