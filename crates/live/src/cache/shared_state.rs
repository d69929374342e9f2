//! State that all callers of a live workspace share.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use skein_catalog::refresh_copies;
use skein_git::{CommitId, Head};
use skein_model::view::Diff;
use skein_review::{ChangesError, ChangesQuery, LocationError};
use skein_store::{ChangeCounter, Waker};
use skein_workspace::{Env, Workspace, discover};

use super::change_set::ChangeSet;
use super::checkpoint_cache::CheckpointCache;
use super::diff_cache::DiffCache;
use super::event::{ChangeEvent, EventLog};
use super::others::OtherWorktreesCache;
use super::session_cache::SessionCache;
use super::targets::{self, fingerprint};
use super::text::{FileCache, FileText};
use super::thread_cache::{ThreadCache, ThreadSnapshot, UpdateOutcome};
use super::timeline::Timeline;
use super::{folder, locked};

/// Maximum number of requested files whose folders are watched.
const MAX_WATCHED_FILES: usize = 1000;

/// Above this many files, an event only says that anything may have changed.
const MAX_CHANGED_FILES: usize = 1000;

/// State shared by all callers. Lock order is declaration order.
pub(super) struct SharedState {
    work: Mutex<Option<ThreadCache>>,
    repository: Mutex<Repository>,
    pub(super) diffs: DiffCache,
    texts: FileCache,
    checkpoints: CheckpointCache,
    pub(super) sessions: SessionCache,
    pub(super) others: OtherWorktreesCache,
    now: Mutex<Published>,
    /// The folders of requested files.
    requested: Mutex<BTreeSet<String>>,
    waker: Mutex<Option<Waker>>,
    pub(super) log: EventLog,
    /// Events of the watcher, and changes that were applied.
    pub(super) changes: ChangeCounter,
    /// Whether the system reports the changes of all stores.
    pub(super) is_watched: AtomicBool,
    /// Whether the watched directories must be determined again.
    pub(super) must_retarget: AtomicBool,
    wants_folders: AtomicBool,
    pub(super) closed: AtomicBool,
    /// Whether nothing may be written, not even what agents in sandboxes left for the store.
    pub(super) is_read_only: bool,
}

struct Published {
    workspace: Arc<Workspace>,
    threads: Option<Arc<ThreadSnapshot>>,
    version: u64,
}

/// What was last known of the repository.
struct Repository {
    head: Option<(Head, Option<CommitId>)>,
    fingerprint: u64,
}

impl Repository {
    fn read(workspace: &Workspace) -> Self {
        Self { fingerprint: fingerprint(workspace), head: head(workspace) }
    }
}

impl SharedState {
    pub(super) fn new(env: &Env, is_read_only: bool) -> Self {
        let workspace = Arc::new(discover(env));
        let repository = Repository::read(&workspace);
        let start = u64::try_from(env.clock.now().as_millis()).unwrap_or(0).saturating_mul(1000);
        Self {
            work: Mutex::default(),
            repository: Mutex::new(repository),
            diffs: DiffCache::default(),
            texts: FileCache::default(),
            checkpoints: CheckpointCache::default(),
            sessions: SessionCache::default(),
            others: OtherWorktreesCache::default(),
            now: Mutex::new(Published { workspace, threads: None, version: start }),
            requested: Mutex::default(),
            waker: Mutex::default(),
            log: EventLog::new(start),
            changes: ChangeCounter::default(),
            is_watched: AtomicBool::new(false),
            must_retarget: AtomicBool::new(false),
            wants_folders: AtomicBool::new(false),
            closed: AtomicBool::new(false),
            is_read_only,
        }
    }

    pub(super) fn workspace(&self) -> Arc<Workspace> {
        self.now().workspace.clone()
    }

    pub(super) fn threads(&self) -> Arc<ThreadSnapshot> {
        let known = || self.now().threads.clone();
        if let Some(threads) = known() {
            return threads;
        }
        let mut work = locked(&self.work);
        // Another thread may have loaded them.
        known().unwrap_or_else(|| self.load(&mut work))
    }

    /// Returns the number of changes so far; none if the changes of this directory are not reported.
    pub(super) fn dir_version(&self, dir: &Path) -> Option<u64> {
        let is_watched = self.is_watched.load(Ordering::SeqCst);
        let is_own = || targets::thread_dirs(&self.workspace()).iter().any(|own| own == dir);
        (is_watched && is_own()).then(|| self.changes.get())
    }

    pub(super) fn timeline(&self) -> Arc<Timeline> {
        self.checkpoints.get(&self.workspace())
    }

    /// Reads what was not read yet, and returns the number of the last event.
    pub(super) fn listen(&self) -> u64 {
        drop(self.threads());
        drop(self.timeline());
        self.sessions.observe(&self.workspace());
        self.log.last()
    }

    pub(super) fn changes(&self, query: &ChangesQuery) -> Result<Arc<Diff>, ChangesError> {
        let diff = self.diffs.get(&self.workspace(), query)?;
        if diff.is_worktree && !self.wants_folders.swap(true, Ordering::Relaxed) {
            self.retarget();
        }
        Ok(diff)
    }

    pub(super) fn file(&self, path: &str) -> Result<Arc<FileText>, LocationError> {
        let text = self.texts.get(&self.workspace(), path)?;
        let folder = folder(path);
        let mut requested = locked(&self.requested);
        if requested.len() < MAX_WATCHED_FILES && !requested.contains(folder) {
            requested.insert(folder.to_owned());
            drop(requested);
            self.retarget();
        }
        Ok(text)
    }

    /// Makes the watching thread watch what was requested.
    fn retarget(&self) {
        self.must_retarget.store(true, Ordering::Relaxed);
        self.wake();
    }

    pub(super) fn wake(&self) {
        if let Some(waker) = &*locked(&self.waker) {
            waker.wake();
        }
    }

    pub(super) fn set_waker(&self, waker: Option<Waker>) {
        *locked(&self.waker) = waker;
    }

    /// Returns whether any file matters: comparisons were requested, or lost code may be in any of them.
    pub(super) fn wants_folders(&self) -> bool {
        let lost = || locked(&self.work).as_ref().is_some_and(ThreadCache::has_lost);
        self.wants_folders.load(Ordering::Relaxed) || lost()
    }

    /// Returns the folders of requested files and of those that differ.
    pub(super) fn folders(&self) -> BTreeSet<String> {
        let mut folders = locked(&self.work).as_ref().map(ThreadCache::folders).unwrap_or_default();
        folders.extend(locked(&self.requested).iter().cloned());
        folders.extend(self.diffs.paths().iter().map(|path| folder(path).to_owned()));
        folders
    }

    /// Returns what may have changed without a report.
    pub(super) fn poll(&self) -> ChangeSet {
        let now = fingerprint(&self.workspace());
        let changed = std::mem::replace(&mut locked(&self.repository).fingerprint, now) != now;
        let (refs, index, submitted) = (changed, changed, changed);
        // What can be checked without git may have changed in any case.
        let (places, any_thread, any_known) = (true, true, true);
        let rest = ChangeSet::default();
        ChangeSet { refs, index, submitted, places, any_thread, any_known, ..rest }
    }

    /// Applies changes and reports them; `wanted` selects the paths that git does not ignore.
    pub(super) fn apply_changes(
        &self,
        mut change_set: ChangeSet,
        wanted: &mut dyn FnMut(&BTreeSet<String>) -> BTreeSet<String>,
    ) {
        // The watcher counts no own writes, no polls, and nothing in a directory that it began to watch
        // after the event of its creation.
        self.changes.add();
        if change_set.places && self.is_elsewhere() {
            return;
        }
        let workspace = self.workspace();
        change_set.head = change_set.refs && self.has_other_head(&workspace);
        let UpdateOutcome { threads, mut files, unknown } = self.update(&change_set);
        let unknown = wanted(&unknown);
        let sources =
            !files.is_empty() || !unknown.is_empty() || change_set.any_source || change_set.rules;
        let mut event = ChangeEvent { repository: change_set.head, ..ChangeEvent::default() };
        if sources || change_set.has_repository() {
            let repository = change_set.has_repository();
            if change_set.any_source || change_set.rules {
                self.diffs.expire_files(None);
            } else if !unknown.is_empty() {
                self.diffs.expire_files(Some(&unknown));
            }
            let mut done = self.diffs.refresh(&workspace);
            // If no file differs in another way, the sides have changed.
            event.repository |= done.changed && (repository || done.files.is_empty());
            let exists = |path: &String| workspace.reviews.root.join(path).is_file();
            let is_shown = |path: &&String| match done.has_worktree {
                true => done.files.contains(*path),
                false => exists(path),
            };
            files.extend(unknown.iter().filter(is_shown).cloned());
            files.append(&mut done.files);
        }
        let checkpoints = self.checkpoints.update(&workspace, &change_set);
        event.everything = files.len() > MAX_CHANGED_FILES || checkpoints.len() > MAX_CHANGED_FILES;
        event.checkpoints = checkpoints.into_iter().take(MAX_CHANGED_FILES).collect();
        let others = change_set.others || change_set.refs || !event.checkpoints.is_empty();
        event.other_worktrees = others && self.others.has_changed(&workspace);
        event.sessions = change_set.sessions && self.sessions.has_changed(&workspace);
        event.threads = threads.into_iter().collect();
        event.files = files.into_iter().take(MAX_CHANGED_FILES).collect();
        // Checkpoints that no page has requested yet are in no event.
        let has_changed = !change_set.files.is_empty()
            || change_set.others
            || !event.threads.is_empty()
            || !event.checkpoints.is_empty();
        if has_changed && !self.is_read_only {
            // A copy that fails is made by the next change or command.
            drop(refresh_copies(&workspace));
        }
        self.log.add(event);
    }

    /// Searches for code that left its file, for about as long as `time`.
    pub(super) fn search_lost_code(&self, time: Duration) {
        let mut guard = locked(&self.work);
        let Some(work) = guard.as_mut() else { return };
        let threads = work.search_lost(time);
        if !threads.is_empty() {
            self.publish(work);
        }
        drop(guard);
        self.log
            .add(ChangeEvent { threads: threads.into_iter().collect(), ..ChangeEvent::default() });
    }

    /// Returns whether files are to be read again soon, and whether code is to be looked for.
    pub(super) fn is_waiting(&self) -> (bool, bool) {
        let work = locked(&self.work);
        let (unsettled, lost) =
            work.as_ref().map_or((false, false), |work| (work.is_unsettled(), work.is_searching()));
        drop(work);
        (unsettled || self.checkpoints.is_unsettled(), lost)
    }

    /// Returns how long it takes until the next claim ends by itself.
    pub(super) fn until_claim_ends(&self) -> Option<Duration> {
        let end = locked(&self.work).as_ref().and_then(ThreadCache::claim_end)?;
        let left = end.as_millis().saturating_sub(self.workspace().env.clock.now().as_millis());
        Some(Duration::from_millis(u64::try_from(left).unwrap_or(0)))
    }

    /// Saves the locations for the next run.
    pub(super) fn save(&self) {
        if let Some(work) = &mut *locked(&self.work) {
            work.save();
        }
    }

    /// Finds the workspace again; if it is another one, everything is read again and true returned.
    fn is_elsewhere(&self) -> bool {
        let found = discover(&self.workspace().env);
        if found == *self.workspace() {
            return false;
        }
        let mut work = locked(&self.work);
        self.now().workspace = Arc::new(found);
        reset(&self.diffs.0);
        reset(&self.texts.0);
        reset(&self.checkpoints.0);
        reset(&self.sessions.0);
        reset(&self.others.0);
        self.load(&mut work);
        drop(work);
        *locked(&self.repository) = Repository::read(&self.workspace());
        self.log.add(ChangeEvent { everything: true, ..ChangeEvent::default() });
        self.retarget();
        true
    }

    fn has_other_head(&self, workspace: &Workspace) -> bool {
        let found = head(workspace);
        let mut repository = locked(&self.repository);
        std::mem::replace(&mut repository.head, found.clone()) != found
    }

    fn update(&self, change_set: &ChangeSet) -> UpdateOutcome {
        if change_set.has_repository() {
            self.diffs.expire();
        }
        let mut guard = locked(&self.work);
        let Some(work) = guard.as_mut() else { return UpdateOutcome::default() };
        let done = work.update(change_set);
        if !done.files.is_empty() {
            // Before another thread can find that they have not changed since.
            self.diffs.expire_files(Some(&done.files));
        }
        if !done.threads.is_empty() {
            self.publish(work);
            // They may be about files that are not watched yet.
            self.retarget();
        }
        done
    }

    fn load(&self, work: &mut Option<ThreadCache>) -> Arc<ThreadSnapshot> {
        let loaded = work.insert(ThreadCache::load(&self.workspace()));
        self.must_retarget.store(true, Ordering::Relaxed);
        self.publish(loaded)
    }

    fn publish(&self, work: &ThreadCache) -> Arc<ThreadSnapshot> {
        let mut now = self.now();
        now.version += 1;
        let threads = Arc::new(work.all(now.version));
        now.threads = Some(threads.clone());
        threads
    }

    fn now(&self) -> MutexGuard<'_, Published> {
        locked(&self.now)
    }
}

/// Forgets what is in a cache, because it may be elsewhere.
fn reset<T: Default>(cache: &Mutex<T>) {
    *locked(cache) = T::default();
}

fn head(workspace: &Workspace) -> Option<(Head, Option<CommitId>)> {
    let commit = workspace.repo().and_then(|repo| repo.head_commit().ok()?);
    Some((workspace.git.as_ref()?.head(), commit))
}
