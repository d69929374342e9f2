mod event_filter;
mod registry;
mod target_table;

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, RwLock};
use std::time::{Duration, Instant};

use self::event_filter::{EventBatch, EventFilter, Signal};
use self::registry::WatchRegistry;
use self::target_table::TargetTable;
use notify::{Config, EventKindMask, RecommendedWatcher, Watcher as _};
use tracing::debug;

/// Changes with less time between them are reported together.
const DEBOUNCE: Duration = Duration::from_millis(10);
/// The maximum delay of a report under continuous writing.
const MAX_DELAY: Duration = Duration::from_millis(150);

/// A directory to watch, without its subdirectories.
#[derive(Clone, Debug)]
pub struct Target<T> {
    /// The directory, which may not exist yet.
    pub dir: PathBuf,
    /// An identifier chosen by the caller.
    pub tag: T,
    /// Returns whether changes of a file with this name are reported.
    pub accepts: fn(&str) -> bool,
    /// Whether it is dropped if the system does not allow watching all directories.
    pub is_optional: bool,
}

/// A change of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change<T> {
    /// The tag of the target.
    pub tag: T,
    /// The file; for [`ChangeKind::Rescan`] the directory.
    pub path: PathBuf,
    /// The kind of change.
    pub kind: ChangeKind,
}

/// The kind of change of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    /// It was created, or its content or permissions changed.
    Written,
    /// It was removed.
    Removed,
    /// Events were lost, or the directory itself was created or removed: everything may have changed.
    Rescan,
}

/// The result of a wait.
#[derive(Debug, PartialEq, Eq)]
pub enum WaitOutcome<T> {
    /// These files changed; empty if the wait was ended by a [`Waker`].
    ///
    /// A file appears at most once per tag, with its last change, sorted by tag and path.
    Changes(Vec<Change<T>>),
    /// No watched file changed.
    Nothing,
    /// The watch failed. Changes may have been missed, and the targets must be set again.
    Lost,
}

/// Counts changes, so that a reader can tell without a wait whether there was one.
///
/// A [`DirWatcher`] counts an event as soon as the system reports it, before a wait returns it.
#[derive(Clone, Debug, Default)]
pub struct ChangeCounter(Arc<AtomicU64>);

impl ChangeCounter {
    /// Returns the number of changes so far.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }

    /// Counts a change.
    pub fn add(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// Watches directories as far as the system allows it.
///
/// Changes are reported when there were none for 10 ms, but after 150 ms at the latest under
/// continuous writing. A directory may be created after the watch starts.
pub struct DirWatcher<T> {
    watch: Option<Watch<T>>,
    targets: BTreeSet<(T, PathBuf)>,
    /// Whether the system refused some of the targets.
    is_partial: bool,
    counter: ChangeCounter,
}

impl<T> Default for DirWatcher<T> {
    fn default() -> Self {
        Self::with_counter(ChangeCounter::default())
    }
}

impl<T> DirWatcher<T> {
    /// Creates a watcher that counts the events of its directories.
    pub fn with_counter(counter: ChangeCounter) -> Self {
        Self { watch: None, targets: BTreeSet::new(), is_partial: false, counter }
    }
}

impl<T: Copy + Ord + Send + Sync + 'static> DirWatcher<T> {
    /// Watches these directories instead of the previous ones; returns whether some are new.
    ///
    /// Directories in both sets are watched without a gap.
    pub fn set_targets(&mut self, targets: Vec<Target<T>>) -> bool {
        let wanted: BTreeSet<_> =
            targets.iter().map(|target| (target.tag, target.dir.clone())).collect();
        if wanted == self.targets && self.watch.is_some() {
            return false;
        }
        let is_more = !wanted.is_subset(&self.targets);
        self.targets = wanted;
        if self.watch.is_none() {
            self.watch = match Watch::start(self.counter.clone()) {
                Ok(watch) => Some(watch),
                Err(error) => {
                    debug!("no watch, files are polled: {error}");
                    None
                }
            };
        }
        let essential = targets.iter().filter(|target| !target.is_optional).cloned().collect();
        self.is_partial = false;
        if let Some(watch) = &mut self.watch
            && watch.registry.set(targets).is_err()
        {
            // The system limits the number of watches per user: leave some to other programs.
            drop(watch.registry.set(essential));
            self.is_partial = true;
        }
        let partly = if self.is_partial { ", not all of them" } else { "" };
        debug!("watch {} directories{partly}", self.targets.len());
        is_more
    }

    /// Watches additional directories.
    pub fn add_targets(&mut self, targets: Vec<Target<T>>) {
        self.targets.extend(targets.iter().map(|target| (target.tag, target.dir.clone())));
        let done = self.watch.as_mut().map(|watch| watch.registry.add(targets));
        self.is_partial |= matches!(done, Some(Err(_)));
    }

    /// Returns whether some directories are not watched, so that the caller must poll.
    pub fn is_polling(&self) -> bool {
        self.watch.is_none() || self.is_partial
    }

    /// Returns the interval at which the caller should rescan: the system may miss changes.
    pub fn rescan_interval(&self) -> Duration {
        Duration::from_secs(if self.is_polling() { 1 } else { 5 })
    }

    /// Returns a [`Waker`] for another thread; `None` if nothing is watched.
    pub fn waker(&self) -> Option<Waker> {
        self.watch.as_ref().map(|watch| Waker { sender: watch.sender.clone() })
    }

    /// Waits for a change, a [`Waker`], or the timeout.
    pub fn wait(&mut self, timeout: Duration) -> WaitOutcome<T> {
        match self.watch.as_mut().map(|watch| watch.recv(timeout)) {
            Some(Ok(Some(changes))) => {
                for change in &changes {
                    debug!("{:?} {}", change.kind, change.path.display());
                }
                WaitOutcome::Changes(changes)
            }
            Some(Ok(None)) => WaitOutcome::Nothing,
            Some(Err(error)) => {
                debug!("the watch is lost: {error}");
                self.watch = None;
                WaitOutcome::Lost
            }
            None => {
                std::thread::park_timeout(timeout);
                WaitOutcome::Nothing
            }
        }
    }
}

/// Ends the wait of a [`DirWatcher`] from another thread.
#[derive(Clone, Debug)]
pub struct Waker {
    sender: Sender<Signal>,
}

impl Waker {
    /// Ends the current wait, or the next one.
    pub fn wake(&self) {
        // If the watcher was dropped, there is no wait to end.
        match self.sender.send(Signal::Woken) {
            Ok(()) | Err(_) => {}
        }
    }
}

/// Why the watch failed.
#[derive(Debug, thiserror::Error)]
enum WatchError {
    /// The system does not allow watching.
    #[error("cannot watch for changes")]
    Start {
        /// The underlying error.
        source: notify::Error,
    },
    /// One directory cannot be watched.
    #[error("cannot watch {}", dir.display())]
    Dir {
        /// The directory, or the ancestor that is watched while it does not exist.
        dir: PathBuf,
        /// The underlying error.
        source: notify::Error,
    },
    /// The system stopped reporting.
    #[error("the watch for changes has ended")]
    Ended {
        /// The underlying error.
        source: io::Error,
    },
    /// The system reported an error instead of a change.
    #[error("the watch for changes failed")]
    Failed {
        /// The underlying error.
        source: notify::Error,
    },
}

/// A running watch; it ends when dropped.
struct Watch<T> {
    registry: WatchRegistry<T>,
    signals: Receiver<Signal>,
    sender: Sender<Signal>,
}

impl<T: Copy + Ord + Send + Sync + 'static> Watch<T> {
    fn start(counter: ChangeCounter) -> Result<Self, WatchError> {
        let (sender, signals) = mpsc::channel();
        let table = Arc::new(RwLock::new(TargetTable::new(Vec::new())));
        let filter = EventFilter::new(Arc::clone(&table));
        let events = sender.clone();
        let handle = move |event| {
            if let Some(signal) = filter.signal(event) {
                counter.add();
                // The receiver does not exist while the watch is being dropped.
                match events.send(signal) {
                    Ok(()) | Err(_) => {}
                }
            }
        };
        // A program that reads all files would cause an event for each, and other events would be
        // lost.
        let wanted = EventKindMask::CORE | EventKindMask::ACCESS_CLOSE;
        let config = Config::default().with_event_kinds(wanted);
        let watcher = RecommendedWatcher::new(handle, config)
            .map_err(|source| WatchError::Start { source })?;
        Ok(Self { registry: WatchRegistry::new(watcher, table), signals, sender })
    }

    /// Waits for changes; `None` when there were none within `timeout`.
    fn recv(&mut self, timeout: Duration) -> Result<Option<Vec<Change<T>>>, WatchError> {
        let deadline = Instant::now() + timeout;
        loop {
            let Some(first) = self.next(deadline)? else {
                return Ok(None);
            };
            let batch = self.gather(first)?;
            let woken = batch.woken;
            let changes = self.registry.report(batch)?;
            if woken || !changes.is_empty() {
                return Ok(Some(changes));
            }
        }
    }

    /// Collects the signals that follow `first` closely.
    fn gather(&self, first: Signal) -> Result<EventBatch, WatchError> {
        let latest = Instant::now() + MAX_DELAY;
        let mut batch = EventBatch::default();
        batch.add(first)?;
        loop {
            // A wait that is ended by a waker reports only pending changes.
            let quiet = if batch.woken { Duration::ZERO } else { DEBOUNCE };
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
