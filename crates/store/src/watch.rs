mod arm;
mod sift;

use std::io;
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use self::arm::Arms;
use self::sift::{Batch, Sifter, Signal};

/// The longest that steady writing can put a report off.
const LONGEST_DELAY: Duration = Duration::from_millis(150);

/// The kinds of threads whose files can be watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A discussion pinned to lines of code.
    Review,
    /// The map of agent sessions.
    Session,
    /// The state of a piece of work.
    Checkpoint,
}

/// A directory to watch; those below it are not.
#[derive(Clone, Debug)]
pub struct Target {
    /// The directory, which need not exist yet.
    pub dir: PathBuf,
    /// What its files are.
    pub kind: Kind,
    /// Which file names count.
    pub accepts: fn(&str) -> bool,
}

/// Something that happened to a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// What the file is.
    pub kind: Kind,
    /// The file; the directory in case of [`What::Rescan`].
    pub path: PathBuf,
    /// What happened.
    pub what: What,
}

/// What happened to a file, as far as it matters to a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// It has another content, or exists at last.
    Written,
    /// It is gone.
    Removed,
    /// Events were lost, or the directory itself came or went: everything may have changed.
    Rescan,
}

/// Why the watch does not work.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// The system grants no watches at all.
    #[error("cannot watch for changes")]
    Start {
        /// What the system said.
        source: notify::Error,
    },
    /// One directory cannot be watched.
    #[error("cannot watch {}", dir.display())]
    Dir {
        /// The directory, or the ancestor that stands in for it while it does not exist.
        dir: PathBuf,
        /// What the system said.
        source: notify::Error,
    },
    /// The system stopped reporting.
    #[error("the watch for changes has ended")]
    Ended {
        /// What the system said.
        source: io::Error,
    },
    /// The system reported an error instead of a change.
    #[error("the watch for changes failed")]
    Failed {
        /// What the system said.
        source: notify::Error,
    },
}

/// A watch on some directories; it ends when dropped.
pub struct Watch {
    arms: Arms,
    signals: Receiver<Signal>,
    quiet: Duration,
}

/// Starts to watch; what happens from here on is reported by [`Watch::recv`].
///
/// Changes are held back until nothing has happened for `quiet`, but for no longer than 150 ms
/// under steady writing. A directory that does not exist is waited for.
pub fn watch(targets: Vec<Target>, quiet: Duration) -> Result<Watch, WatchError> {
    let (sender, signals) = mpsc::channel();
    let sifter = Sifter::new(targets.clone());
    let watcher = notify::recommended_watcher(move |event| {
        if let Some(signal) = sifter.sift(event) {
            // The receiver is gone when the watch is being dropped; nobody is left to tell.
            match sender.send(signal) {
                Ok(()) | Err(_) => {}
            }
        }
    })
    .map_err(|source| WatchError::Start { source })?;
    let arms = Arms::new(watcher, targets)?;
    Ok(Watch { arms, signals, quiet })
}

impl Watch {
    /// Waits for changes; `None` when there were none within `timeout`.
    ///
    /// A file appears at most once in a report, with what became of it in the end. Reports are
    /// in the order of kind and path.
    pub fn recv(&mut self, timeout: Duration) -> Result<Option<Vec<Change>>, WatchError> {
        let deadline = Instant::now() + timeout;
        loop {
            let Some(first) = self.next(deadline)? else {
                return Ok(None);
            };
            let batch = self.gather(first)?;
            let changes = self.arms.report(batch)?;
            if !changes.is_empty() {
                return Ok(Some(changes));
            }
        }
    }

    /// Collects what follows `first` closely.
    fn gather(&self, first: Signal) -> Result<Batch, WatchError> {
        let latest = Instant::now() + LONGEST_DELAY;
        let mut batch = Batch::default();
        batch.add(first)?;
        while let Some(signal) = self.next(latest.min(Instant::now() + self.quiet))? {
            batch.add(signal)?;
            if Instant::now() >= latest {
                break;
            }
        }
        Ok(batch)
    }

    fn next(&self, deadline: Instant) -> Result<Option<Signal>, WatchError> {
        match self.signals.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(signal) => Ok(Some(signal)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => {
                Err(WatchError::Ended { source: io::ErrorKind::BrokenPipe.into() })
            }
        }
    }
}
