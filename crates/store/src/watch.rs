mod arm;
mod sift;
mod table;

use std::io;
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, RwLock};
use std::time::{Duration, Instant};

use self::arm::Arms;
use self::sift::{Batch, Sifter, Signal};
use self::table::Table;
use notify::{Config, EventKindMask, RecommendedWatcher, Watcher as _};

/// The longest that steady writing can put a report off.
const LONGEST_DELAY: Duration = Duration::from_millis(150);

/// The kinds of files that can be watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A discussion pinned to lines of code.
    Review,
    /// The map of agent sessions.
    Session,
    /// The state of a piece of work.
    Checkpoint,
    /// A file under review.
    Source,
    /// What a repository has checked out, staged and named.
    Repository,
    /// What somebody has set.
    Settings,
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
    sender: Sender<Signal>,
    quiet: Duration,
}

/// Ends the wait of a [`Watch`] from another thread.
#[derive(Clone)]
pub struct Waker {
    sender: Sender<Signal>,
}

impl Waker {
    /// Lets the watch report at once, or as soon as it is asked.
    pub fn wake(&self) {
        // Nobody waits any more where the watch is gone.
        match self.sender.send(Signal::Woken) {
            Ok(()) | Err(_) => {}
        }
    }
}

/// Starts to watch; what happens from here on is reported by [`Watch::recv`].
///
/// Changes are held back until nothing has happened for `quiet`, but for no longer than 150 ms
/// under steady writing. A directory that does not exist is waited for.
pub fn watch(targets: Vec<Target>, quiet: Duration) -> Result<Watch, WatchError> {
    let (sender, signals) = mpsc::channel();
    let table = Arc::new(RwLock::new(Table::new(targets)));
    let sifter = Sifter::new(Arc::clone(&table));
    let events = sender.clone();
    let handle = move |event| {
        if let Some(signal) = sifter.sift(event) {
            // The receiver is gone when the watch is being dropped; nobody is left to tell.
            match events.send(signal) {
                Ok(()) | Err(_) => {}
            }
        }
    };
    // Whoever reads all files would be told of each, and the system loses what happens meanwhile.
    let wanted = EventKindMask::CORE | EventKindMask::ACCESS_CLOSE;
    let config = Config::default().with_event_kinds(wanted);
    let watcher =
        RecommendedWatcher::new(handle, config).map_err(|source| WatchError::Start { source })?;
    let arms = Arms::new(watcher, table)?;
    Ok(Watch { arms, signals, sender, quiet })
}

impl Watch {
    /// Waits for changes; `None` when there were none within `timeout`.
    ///
    /// A file appears at most once for each kind in a report, with what became of it in the end.
    /// Reports are in the order of kind and path. Whoever was woken gets a report at once, which may
    /// be empty.
    pub fn recv(&mut self, timeout: Duration) -> Result<Option<Vec<Change>>, WatchError> {
        let deadline = Instant::now() + timeout;
        loop {
            let Some(first) = self.next(deadline)? else {
                return Ok(None);
            };
            let batch = self.gather(first)?;
            let woken = batch.woken;
            let changes = self.arms.report(batch)?;
            if woken || !changes.is_empty() {
                return Ok(Some(changes));
            }
        }
    }

    /// Watches other targets than before; what is in both is watched without a gap.
    ///
    /// After an error some of the targets are not watched.
    pub fn set(&mut self, targets: Vec<Target>) -> Result<(), WatchError> {
        self.arms.set(targets)
    }

    /// Watches more targets.
    ///
    /// After an error some of them are not watched.
    pub fn add(&mut self, targets: Vec<Target>) -> Result<(), WatchError> {
        self.arms.add(targets)
    }

    /// Returns what ends a wait from another thread.
    pub fn waker(&self) -> Waker {
        Waker { sender: self.sender.clone() }
    }

    /// Collects what follows `first` closely.
    fn gather(&self, first: Signal) -> Result<Batch, WatchError> {
        let latest = Instant::now() + LONGEST_DELAY;
        let mut batch = Batch::default();
        batch.add(first)?;
        loop {
            // Whoever woke us wants no more than what is there already.
            let quiet = if batch.woken { Duration::ZERO } else { self.quiet };
            let Some(signal) = self.next(latest.min(Instant::now() + quiet))? else { break };
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
