//! A workspace in memory, kept current.
//!
//! Requests are answered from memory. One thread watches the files, applies changes, and then reports them. It
//! does as little as it can: a thread file that changed is read and placed alone, and a file under review moves only the
//! threads whose code is or was in it. Where the system does not report changes, stamps of files are
//! compared instead.

mod branches;
pub(crate) mod change_set;
mod checkpoint_cache;
mod diff_cache;
mod event;
mod folders;
mod others;
pub(crate) mod placed_thread;
mod refresh_loop;
mod session_cache;
mod shared_state;
mod source_versions;
pub(crate) mod targets;
mod text;
mod thread_cache;
mod timeline;
mod unsaved_text;

use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use skein_catalog::rows::checkpoint::row_passes;
use skein_catalog::{OtherWorktree, has_thread, value_filter};
use skein_model::view::{Diff, ThreadView};
use skein_model::{Filter, Kind};
use skein_review::{ChangesError, ChangesQuery, LocationError};
use skein_store::Waker;
use skein_workspace::{Env, Workspace};

use change_set::ChangeSet;
use refresh_loop::RefreshLoop;
use shared_state::SharedState;

pub use event::ChangeEvent;
pub use session_cache::SessionList;
pub use text::FileText;
pub use thread_cache::ThreadSnapshot;
pub use timeline::{CheckpointRefs, HandoffTarget, Timeline, TimelineEntry};

/// The threads, the changes and the files under review as they are at each moment.
///
/// It may be asked from many threads at once. Changes are reported by [`LiveWorkspace::events_after`].
pub struct LiveWorkspace {
    shared: Arc<SharedState>,
    watching: Option<JoinHandle<()>>,
}

impl LiveWorkspace {
    /// Finds the workspace and watches it until the value is dropped.
    pub fn open(env: &Env) -> Self {
        Self::new(env, false)
    }

    /// Finds and watches the workspace without writing anything.
    pub fn open_read_only(env: &Env) -> Self {
        Self::new(env, true)
    }

    fn new(env: &Env, is_read_only: bool) -> Self {
        let shared = Arc::new(SharedState::new(env, is_read_only));
        let watching = RefreshLoop::new(shared.clone());
        let watching = std::thread::spawn(move || watching.run());
        Self { shared, watching: Some(watching) }
    }

    /// Returns the workspace.
    pub fn workspace(&self) -> Arc<Workspace> {
        self.shared.workspace()
    }

    /// Returns a number that is greater after each change of a directory of threads; none if changes
    /// of the directory are not reported.
    ///
    /// A change that the system does not report is counted by the next check of all files.
    pub fn dir_version(&self, dir: &Path) -> Option<u64> {
        self.shared.dir_version(dir)
    }

    /// Returns the threads, with the current locations of their code.
    pub fn threads(&self) -> Arc<ThreadSnapshot> {
        self.shared.threads()
    }

    /// Returns the threads and drafts whose code is in a file, placed in a text that is not in the file yet.
    pub fn threads_in(&self, path: &str, text: &str) -> Vec<Arc<ThreadView>> {
        unsaved_text::threads(self, path, text)
    }

    /// Returns the checkpoints, the last made first.
    pub fn timeline(&self) -> Arc<Timeline> {
        self.shared.timeline()
    }

    /// Returns the sessions of the map.
    pub fn sessions(&self) -> Arc<SessionList> {
        self.shared.sessions.get(&self.workspace())
    }

    /// Returns the other worktrees of the repository in which something is open.
    pub fn other_worktrees(&self) -> Arc<Vec<OtherWorktree>> {
        self.shared.others.get(&self.workspace())
    }

    /// Returns whether a thread of this worktree has this status, type or turn, even if the formats do
    /// not define it.
    pub fn occurs(&self, key: &str, value: &str) -> bool {
        let filter = value_filter(key, value);
        let is_review = |view: &Arc<ThreadView>| {
            let row = &view.row;
            row.usable && filter.passes(row.status.as_deref(), None) && filter.is_turn_in(row)
        };
        let is_checkpoint = |entry: &Arc<TimelineEntry>| {
            !entry.row.is_unreadable() && row_passes(&entry.row, &filter)
        };
        let of_sessions = Filter { kind: Some(Kind::Session), ..filter.clone() };
        filter.wants(Kind::Review) && self.threads().views.iter().any(is_review)
            || filter.wants(Kind::Checkpoint) && self.timeline().entries.iter().any(is_checkpoint)
            || filter.wants(Kind::Session) && has_thread(&self.workspace(), &of_sessions)
    }

    /// Compares files as asked; the diff has no threads.
    pub fn changes(&self, query: &ChangesQuery) -> Result<Arc<Diff>, ChangesError> {
        self.shared.changes(query)
    }

    /// Returns the new side of a file that differs; none if it is missing, binary or too large.
    pub fn text(&self, query: &ChangesQuery, path: &str) -> Option<Arc<FileText>> {
        let shared = &self.shared;
        shared.diffs.text(&self.workspace(), query, path, &|path| self.file(path).ok())
    }

    /// Returns a file of the worktree as it is, by its path from the root of the reviews.
    pub fn file(&self, path: &str) -> Result<Arc<FileText>, LocationError> {
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

    /// Returns the revision of a file of the worktree, text or not; none if it is too large or cannot be read.
    pub fn content(&self, path: &str) -> Option<String> {
        text::content(&self.workspace(), path)
    }

    /// Applies what the caller has just written, without waiting for the watcher.
    pub fn refresh_reviews(&self) {
        self.apply_own(self.shared.poll());
    }

    /// Applies what the caller has just written to checkpoints or sessions, without waiting for the watcher.
    pub fn refresh_checkpoints(&self) {
        let (any_checkpoint, sessions) = (true, true);
        self.apply_own(ChangeSet { any_checkpoint, sessions, ..ChangeSet::default() });
    }

    fn apply_own(&self, change_set: ChangeSet) {
        let change_set = ChangeSet { is_own: true, ..change_set };
        self.shared.apply_changes(change_set, &mut |paths| paths.clone());
    }

    /// Returns the number of the last event.
    pub fn last_event_number(&self) -> u64 {
        self.shared.log.last()
    }

    /// Returns the number of the last event, once everything is read that later events are compared with.
    ///
    /// A change after this call has an event with a greater number. Before that, what is read for the first time may have changed
    /// without an event.
    pub fn listen(&self) -> u64 {
        self.shared.listen()
    }

    /// Makes each event also end the wait of a watcher.
    pub(crate) fn wake_on_event(&self, waker: Option<Waker>) {
        self.shared.log.set_waker(waker);
    }

    /// Returns the events after a number, waiting for the first; none when there was none in time.
    ///
    /// The last 256 events are kept. After a number that is not among them there is one event, which says that
    /// everything may have changed.
    pub fn events_after(&self, after: u64, timeout: Duration) -> Vec<ChangeEvent> {
        self.shared.log.after(after, timeout)
    }
}

impl Drop for LiveWorkspace {
    fn drop(&mut self) {
        self.shared.closed.store(true, Ordering::Relaxed);
        self.shared.wake();
        if let Some(watching) = self.watching.take() {
            watching.thread().unpark();
            // A panic of the thread is ignored here.
            drop(watching.join());
        }
    }
}

/// Returns the folder of a path.
fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Takes a lock; a thread that panicked leaves consistent state, because each step is atomic.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
