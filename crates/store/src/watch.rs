mod event_filter;
mod registry;
mod target_table;

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, RwLock};
use std::time::{Duration, Instant};

use self::event_filter::{EventBatch, EventFilter, Signal};
use self::registry::WatchRegistry;
use self::target_table::TargetTable;
use notify::{Config, EventKindMask, RecommendedWatcher, Watcher as _};
use tracing::debug;

/// Changes that follow each other more closely are reported together.
const DEBOUNCE: Duration = Duration::from_millis(10);
/// The longest that steady writing can delay a report.
const MAX_DELAY: Duration = Duration::from_millis(150);

/// A directory to watch; those below it are not watched.
#[derive(Clone, Debug)]
pub struct Target<T> {
    /// The directory, which need not exist yet.
    pub dir: PathBuf,
    /// What its files are to the caller.
    pub tag: T,
    /// Which file names count.
    pub accepts: fn(&str) -> bool,
    /// Whether it is left out where the system does not let all directories be watched.
    pub is_optional: bool,
}

/// Something that happened to a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change<T> {
    /// The tag of the target.
    pub tag: T,
    /// The file; the directory in case of [`ChangeKind::Rescan`].
    pub path: PathBuf,
    /// What happened.
    pub kind: ChangeKind,
}

/// What happened to a file, as far as it matters to a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    /// It has another content or other permissions, or was created.
    Written,
    /// It was removed.
    Removed,
    /// Events were lost, or the directory itself was created or removed: everything may have changed.
    Rescan,
}

/// What a wait ended with.
#[derive(Debug, PartialEq, Eq)]
pub enum WaitOutcome<T> {
    /// These files changed; none where the wait was ended by a [`Waker`].
    ///
    /// A file appears at most once for each tag, with its last change, in the order of tag and path.
    Changes(Vec<Change<T>>),
    /// Nothing changed that is watched.
    Nothing,
    /// The watch failed. Changes may have been missed, and the targets must be set again.
    Lost,
}

/// Watches directories as far as the system allows it.
///
/// Changes are held back until nothing has happened for 10 ms, but for no longer than 150 ms under steady writing. A
/// directory that does not exist is waited for.
pub struct DirWatcher<T> {
    watch: Option<Watch<T>>,
    targets: BTreeSet<(T, PathBuf)>,
    /// Whether the system refused some of the targets.
    is_partial: bool,
}

impl<T> Default for DirWatcher<T> {
    fn default() -> Self {
        Self { watch: None, targets: BTreeSet::new(), is_partial: false }
    }
}

impl<T: Copy + Ord + Send + Sync + 'static> DirWatcher<T> {
    /// Watches these directories; returns whether some of them were not watched before.
    ///
    /// What was watched before is watched without a gap.
    pub fn set_targets(&mut self, targets: Vec<Target<T>>) -> bool {
        let wanted: BTreeSet<_> =
            targets.iter().map(|target| (target.tag, target.dir.clone())).collect();
        if wanted == self.targets && self.watch.is_some() {
            return false;
        }
        let is_more = !wanted.is_subset(&self.targets);
        self.targets = wanted;
        if self.watch.is_none() {
            self.watch = match Watch::start() {
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
            // The system limits how many directories a user may watch: leave some to other programs.
            drop(watch.registry.set(essential));
            self.is_partial = true;
        }
        let partly = if self.is_partial { ", not all of them" } else { "" };
        debug!("watch {} directories{partly}", self.targets.len());
        is_more
    }

    /// Watches more directories.
    pub fn add_targets(&mut self, targets: Vec<Target<T>>) {
        self.targets.extend(targets.iter().map(|target| (target.tag, target.dir.clone())));
        let done = self.watch.as_mut().map(|watch| watch.registry.add(targets));
        self.is_partial |= matches!(done, Some(Err(_)));
    }

    /// Returns whether some directories are not watched, so that the caller must look by itself.
    pub fn is_polling(&self) -> bool {
        self.watch.is_none() || self.is_partial
    }

    /// Returns what ends a wait from another thread; none where nothing is watched.
    pub fn waker(&self) -> Option<Waker> {
        self.watch.as_ref().map(|watch| Waker { sender: watch.sender.clone() })
    }

    /// Returns after some time, or when something was written, or when a [`Waker`] is used.
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
#[derive(Clone)]
pub struct Waker {
    sender: Sender<Signal>,
}

impl Waker {
    /// Ends the wait at once, or the next one.
    pub fn wake(&self) {
        // Where the watcher is gone, there is no wait to end.
        match self.sender.send(Signal::Woken) {
            Ok(()) | Err(_) => {}
        }
    }
}

/// Why the watch does not work.
#[derive(Debug, thiserror::Error)]
enum WatchError {
    /// The system does not let anything be watched.
    #[error("cannot watch for changes")]
    Start {
        /// What the system said.
        source: notify::Error,
    },
    /// One directory cannot be watched.
    #[error("cannot watch {}", dir.display())]
    Dir {
        /// The directory, or the ancestor that is watched while it does not exist.
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

/// A watch that the system allowed; it ends when dropped.
struct Watch<T> {
    registry: WatchRegistry<T>,
    signals: Receiver<Signal>,
    sender: Sender<Signal>,
}

impl<T: Copy + Ord + Send + Sync + 'static> Watch<T> {
    fn start() -> Result<Self, WatchError> {
        let (sender, signals) = mpsc::channel();
        let table = Arc::new(RwLock::new(TargetTable::new(Vec::new())));
        let filter = EventFilter::new(Arc::clone(&table));
        let events = sender.clone();
        let handle = move |event| {
            if let Some(signal) = filter.signal(event) {
                // The receiver is gone while the watch is being dropped.
                match events.send(signal) {
                    Ok(()) | Err(_) => {}
                }
            }
        };
        // A program that reads all files would cause an event for each, and the system would lose others.
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

    /// Collects what follows `first` closely.
    fn gather(&self, first: Signal) -> Result<EventBatch, WatchError> {
        let latest = Instant::now() + MAX_DELAY;
        let mut batch = EventBatch::default();
        batch.add(first)?;
        loop {
            // A wait that is ended by a waker reports what is there already.
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
