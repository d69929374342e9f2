//! What lies open before a reviewer, kept current.

mod event;
mod text;
mod threads;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::discover::{Workspace, discover};
use crate::env::Env;
use crate::review::{ChangesError, ChangesQuery, PlaceError, compare};
use crate::view::Diff;
use event::Log;

pub use event::Event;
pub use text::Text;
pub use threads::Threads;

/// How often one looks for changes.
const PAUSE: Duration = Duration::from_millis(100);

/// The threads, the changes and the files under review as they are at each moment.
///
/// It may be asked from many threads at once. Whatever changes is told by [`Desk::changed`].
pub struct Desk {
    shared: Arc<Shared>,
    watching: Option<JoinHandle<()>>,
}

struct Shared {
    env: Arc<Env>,
    current: Mutex<Current>,
    log: Log,
    closed: AtomicBool,
}

struct Current {
    workspace: Arc<Workspace>,
    threads: Arc<Threads>,
}

impl Desk {
    /// Finds the workspace and begins to watch it, until the desk is dropped.
    pub fn open(env: Arc<Env>) -> Self {
        let workspace = Arc::new(discover(&env));
        let start = u64::try_from(env.clock.now().as_millis()).unwrap_or(0).saturating_mul(1000);
        let threads = Threads { version: start, ..Threads::load(&workspace, &env) };
        let current = Mutex::new(Current { workspace, threads: Arc::new(threads) });
        let closed = AtomicBool::new(false);
        let shared = Arc::new(Shared { env, current, log: Log::new(start), closed });
        let eyes = Arc::clone(&shared);
        let watching = std::thread::spawn(move || {
            while !eyes.closed.load(Ordering::Relaxed) {
                eyes.look();
                std::thread::park_timeout(PAUSE);
            }
        });
        Self { shared, watching: Some(watching) }
    }

    /// Returns where things are.
    pub fn workspace(&self) -> Arc<Workspace> {
        self.shared.current().workspace.clone()
    }

    /// Returns the threads at the places where their code is.
    pub fn threads(&self) -> Arc<Threads> {
        self.shared.current().threads.clone()
    }

    /// Compares files as asked; the diff has no threads.
    pub fn changes(&self, query: &ChangesQuery) -> Result<Arc<Diff>, ChangesError> {
        Ok(Arc::new(compare(&self.workspace(), &self.shared.env, query)?.0))
    }

    /// Returns the new side of a file that differs; none where it is missing, binary or too large.
    pub fn text(&self, query: &ChangesQuery, path: &str) -> Option<Arc<Text>> {
        let workspace = self.workspace();
        let (diff, side) = compare(&workspace, &self.shared.env, query).ok()?;
        diff.files.iter().find(|file| file.path == path && !file.binary)?;
        text::of_side(&workspace, &side, path).map(Arc::new)
    }

    /// Returns a file of the worktree as it is, by its path from the root of the reviews.
    pub fn file(&self, path: &str) -> Result<Arc<Text>, PlaceError> {
        text::of_file(&self.workspace(), path).map(Arc::new)
    }

    /// Takes in what was just written, without waiting until it is noticed.
    pub fn wrote(&self) {
        self.shared.look();
    }

    /// Returns the number of the last event.
    pub fn latest(&self) -> u64 {
        self.shared.log.last()
    }

    /// Returns the events after a number, waiting for the first; none when there was none in time.
    ///
    /// The last 256 events are kept. After a number that is not among them there is one event, which says that
    /// everything may have changed.
    pub fn changed(&self, after: u64, timeout: Duration) -> Vec<Event> {
        self.shared.log.after(after, timeout)
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        self.shared.closed.store(true, Ordering::Relaxed);
        if let Some(watching) = self.watching.take() {
            watching.thread().unpark();
            // It ends whether it panicked or not.
            drop(watching.join());
        }
    }
}

impl Shared {
    fn current(&self) -> std::sync::MutexGuard<'_, Current> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in what changed.
    fn look(&self) {
        let workspace = Arc::new(discover(&self.env));
        let mut current = self.current();
        let threads = Threads::load(&workspace, &self.env);
        current.workspace = workspace;
        let changed = current.threads.changed(&threads);
        if !changed.is_empty() {
            let version = self.log.add(Event { threads: changed, ..Event::default() });
            current.threads = Arc::new(Threads { version, ..threads });
        }
    }
}
