//! What lies open before a reviewer, kept current.
//!
//! Requests are answered from memory. One thread watches the files, takes in what changes, and then tells of it. It
//! does as little as it can: a thread file that changed is read and placed alone, and a file under review moves only the
//! threads whose code is or was in it. Where nobody tells, as where the system grants no watch, stamps of files are
//! compared instead.

mod branches;
mod card;
mod checkpoint_refs;
mod diffs;
mod event;
mod folders;
mod known;
mod ledger;
mod news;
mod others;
mod past;
mod pile;
mod roll;
mod shared;
mod shelf;
mod splice;
pub(crate) mod targets;
mod text;
mod threads;
mod timeline;
mod watching;
mod work;

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use skein_catalog::OtherWorktree;
use skein_model::view::Diff;
use skein_review::{ChangesError, ChangesQuery, PlaceError};
use skein_workspace::{Env, Workspace};

use news::News;
use shared::Shared;
use watching::Watching;

pub use checkpoint_refs::CheckpointRefs;
pub use event::Event;
pub use roll::Roll;
pub use text::Text;
pub use threads::Threads;
pub use timeline::{Entry, Timeline};

/// The threads, the changes and the files under review as they are at each moment.
///
/// It may be asked from many threads at once. Whatever changes is told by [`Desk::changed`].
pub struct Desk {
    shared: Arc<Shared>,
    watching: Option<JoinHandle<()>>,
}

impl Desk {
    /// Finds the workspace and begins to watch it, until the desk is dropped.
    pub fn open(env: Arc<Env>) -> Self {
        Self::new(env, false)
    }

    /// Does the same, and writes nothing.
    pub fn open_read_only(env: Arc<Env>) -> Self {
        Self::new(env, true)
    }

    fn new(env: Arc<Env>, is_read_only: bool) -> Self {
        let shared = Arc::new(Shared::new(env, is_read_only));
        let watching = Watching::new(shared.clone());
        let watching = std::thread::spawn(move || watching.run());
        Self { shared, watching: Some(watching) }
    }

    /// Returns where things are.
    pub fn workspace(&self) -> Arc<Workspace> {
        self.shared.workspace()
    }

    /// Returns the threads at the places where their code is.
    pub fn threads(&self) -> Arc<Threads> {
        self.shared.threads()
    }

    /// Returns the checkpoints, the last made first.
    pub fn timeline(&self) -> Arc<Timeline> {
        self.shared.timeline()
    }

    /// Returns the sessions of the map.
    pub fn sessions(&self) -> Arc<Roll> {
        self.shared.sessions()
    }

    /// Returns the other worktrees of the repository in which something is open.
    pub fn other_worktrees(&self) -> Arc<Vec<OtherWorktree>> {
        self.shared.other_worktrees()
    }

    /// Compares files as asked; the diff has no threads.
    pub fn changes(&self, query: &ChangesQuery) -> Result<Arc<Diff>, ChangesError> {
        self.shared.changes(query)
    }

    /// Returns the new side of a file that differs; none where it is missing, binary or too large.
    pub fn text(&self, query: &ChangesQuery, path: &str) -> Option<Arc<Text>> {
        self.shared.text(query, path)
    }

    /// Returns a file of the worktree as it is, by its path from the root of the reviews.
    pub fn file(&self, path: &str) -> Result<Arc<Text>, PlaceError> {
        self.shared.file(path)
    }

    /// Returns the paths of all files that git does not ignore, from the root of the reviews; none outside of a repository.
    pub fn paths(&self) -> Vec<String> {
        let workspace = self.workspace();
        let found = workspace.repo().and_then(|repo| repo.files(&workspace.own_paths()).ok());
        let prefix = workspace.prefix();
        let below = |path: String| path.strip_prefix(&prefix).map(str::to_owned);
        found.unwrap_or_default().into_iter().filter_map(below).collect()
    }

    /// Names what a file of the worktree holds, be it text or not; none where it is too large or cannot be read.
    pub fn content(&self, path: &str) -> Option<String> {
        text::content(&self.workspace(), path)
    }

    /// Takes in what was just written, without waiting until it is noticed.
    pub fn wrote(&self) {
        let news = self.shared.glance();
        self.shared.take_in(news, &mut |paths| paths.clone());
    }

    /// Takes in what was just written to checkpoints or sessions, without waiting until it is noticed.
    pub fn wrote_work(&self) {
        let news = News { any_checkpoint: true, is_own: true, sessions: true, ..News::default() };
        self.shared.take_in(news, &mut |paths| paths.clone());
    }

    /// Returns the number of the last event.
    pub fn latest(&self) -> u64 {
        self.shared.log.last()
    }

    /// Returns the number of the last event, once everything is read that later events are compared with.
    ///
    /// A change after this call has an event with a greater number. Before that, what is read for the first time may have changed
    /// without an event.
    pub fn listen(&self) -> u64 {
        self.shared.listen()
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
        self.shared.wake();
        if let Some(watching) = self.watching.take() {
            watching.thread().unpark();
            // It ends whether it panicked or not.
            drop(watching.join());
        }
    }
}

/// Takes a lock; what a thread that panicked left behind is whole, because each step is.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
