//! The stream of what happens to threads.
//!
//! The last state of every thread is kept in memory, in a few hundred bytes each. A file that changes is read alone and compared with
//! that. Where the system does not report changes, traces of the files are compared first.

mod event;
mod roots;
mod session_snapshot;
mod store_snapshot;
mod thread_state;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use skein_catalog::ThreadRef;
use skein_catalog::checkpoint_state::States;
use skein_catalog::placed::place_file;
use skein_catalog::placement::Placer;
use skein_catalog::resume_lock::LOCKS;
use skein_format::checkpoint::{is_legacy_file, is_thread_file};
use skein_model::{Filter, Kind};
use skein_store::{ChangeKind, DirWatcher, WaitOutcome};
use skein_workspace::{Env, Workspace, discover};

use crate::cache::targets::{WatchChange, WatchedFile, map as map_targets, places, target};
use crate::tracked_dir::HALF_WRITTEN_GRACE;
use roots::StoreRoots;
use session_snapshot::SessionSnapshot;
use store_snapshot::{EventContext, Presence, ReadOutcome, StoreSnapshot};

pub use event::ThreadEvent;
pub use roots::DirectoryGone;

/// Interval of full checks: the system may lose a report of a change.
const RESCAN_INTERVAL: Duration = Duration::from_secs(5);
/// Interval of polling where the system does not report changes.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Full checks take at most this fraction of the time.
const SHARE: u32 = 50;
/// Delay before a missing or unusable file is read again.
const RETRY_DELAY: Duration = Duration::from_millis(20);
/// A root or store directory that is missing for longer is reported as gone.
const ROOT_TIMEOUT: Duration = Duration::from_secs(3);
/// Interval of calls of `idle`.
const IDLE_INTERVAL: Duration = Duration::from_millis(500);

/// Receives events of threads; returning `Break` ends the watch.
pub trait EventSink {
    /// The watch has begun: all later changes are reported.
    fn begun(&mut self, watched: &WatchSummary<'_>) -> ControlFlow<()>;

    /// Receives events that happened at about the same time.
    fn events(&mut self, workspace: &Workspace, events: Vec<ThreadEvent>) -> ControlFlow<()>;

    /// Nothing has happened for a while.
    fn idle(&mut self) -> ControlFlow<()>;

    /// The directory of a store was moved or removed, with all of its threads.
    fn store_gone(&mut self, gone: &DirectoryGone) -> ControlFlow<()>;

    /// The directory of the workspace was moved or removed, which ends the watch.
    fn gone(&mut self, gone: &DirectoryGone);
}

/// What is watched.
pub struct WatchSummary<'a> {
    /// The workspace.
    pub workspace: &'a Workspace,
    /// The number of threads of each kind that pass the filter.
    pub counts: BTreeMap<Kind, usize>,
    /// Whether the system reports changes; otherwise the files are polled once a second.
    pub is_notified: bool,
}

/// Reports all events of threads that pass the filter, until the sink breaks.
///
/// A thread passes if it does so after the change, or did so before it was deleted.
pub fn watch(env: &Env, filter: &Filter, sink: &mut dyn EventSink) {
    let mut watching = EventStream::new(env, filter);
    let mut flow = sink.begun(&watching.watched());
    while flow.is_continue() {
        if let Some(gone) = watching.gone() {
            return sink.gone(&gone);
        }
        let mut events = watching.turn();
        place_events(&watching.workspace, env, &mut events);
        flow = match events.is_empty() {
            true => sink.idle(),
            false => sink.events(&watching.workspace, events),
        };
        for gone in std::mem::take(&mut watching.stores_gone) {
            flow = if flow.is_continue() { sink.store_gone(&gone) } else { flow };
        }
    }
}

/// Sets the place of each review thread to where its code is now.
fn place_events(workspace: &Workspace, env: &Env, events: &mut [ThreadEvent]) {
    let dir = workspace.reviews.threads();
    let is_own = |event: &&mut ThreadEvent| {
        event.kind == Kind::Review && Path::new(&event.file).parent() == Some(dir.as_path())
    };
    let mut own = events.iter_mut().filter(is_own).peekable();
    if own.peek().is_none() {
        return;
    }
    let mut placer = Placer::new(workspace, &workspace.reviews, env);
    for event in own {
        let (reviews, path) = (workspace.reviews.clone(), PathBuf::from(&event.file));
        if let Some(found) = place_file(&mut placer, &ThreadRef { reviews, path }) {
            event.place = Some(found.at());
            event.state = Some(found.state);
        }
    }
    placer.finish();
}

struct EventStream<'a> {
    env: &'a Env,
    filter: &'a Filter,
    workspace: Workspace,
    stores: Vec<StoreSnapshot>,
    map: Option<SessionSnapshot>,
    roots: StoreRoots,
    /// Since when a root is missing.
    missing_since: Option<Instant>,
    /// Store directories whose removal is not reported yet.
    stores_gone: Vec<DirectoryGone>,
    watcher: DirWatcher<WatchedFile>,
    /// Names of files that are to be read, by the place of their store, with the moment that this was first known.
    pending: BTreeMap<(usize, String), Instant>,
    is_map_pending: bool,
    /// What was last known of the work that is taken.
    states: States,
    /// Since when that may be out of date.
    states_pending: Option<Instant>,
    /// When all files are looked at next.
    next_look: Instant,
}

impl<'a> EventStream<'a> {
    fn new(env: &'a Env, filter: &'a Filter) -> Self {
        let workspace = discover(env);
        let mut watching = Self {
            env,
            filter,
            stores: Vec::new(),
            map: None,
            roots: StoreRoots::new(&workspace, filter),
            missing_since: None,
            stores_gone: Vec::new(),
            workspace,
            watcher: DirWatcher::default(),
            pending: BTreeMap::new(),
            is_map_pending: false,
            states: States::default(),
            states_pending: None,
            next_look: Instant::now() + RESCAN_INTERVAL,
        };
        watching.start_watching();
        watching
    }

    /// Watches the stores of the workspace, and reads all threads.
    fn start_watching(&mut self) {
        self.roots = StoreRoots::new(&self.workspace, self.filter);
        self.stores = StoreSnapshot::all(&self.workspace, self.filter);
        let file = self.workspace.sessions.file().map(Path::to_owned);
        self.map = file.filter(|_| self.filter.wants(Kind::Session)).map(SessionSnapshot::new);
        self.pending.clear();
        self.is_map_pending = false;
        self.states_pending = None;
        // The watch starts before the files are read, so that no change is missed.
        self.watch_stores();
        let context = EventContext::new(self.filter, &self.workspace, self.env, &self.roots);
        for store in &mut self.stores {
            store.load(&context);
        }
        if let Some(map) = &mut self.map {
            drop(map.read(&context));
        }
        self.states = States::read(&self.workspace.checkpoints, context.now);
    }

    fn watched(&self) -> WatchSummary<'_> {
        let mut counts = BTreeMap::new();
        for store in &self.stores {
            *counts.entry(store.kind()).or_default() += store.count();
        }
        counts.extend(self.map.as_ref().map(|map| (Kind::Session, map.count())));
        WatchSummary { workspace: &self.workspace, counts, is_notified: !self.watcher.is_polling() }
    }

    fn watch_stores(&mut self) {
        let mut targets = places(&self.workspace, self.env);
        for dir in self.stores.iter().map(|store| &store.files.dir) {
            let (tag, accepts): (_, fn(&str) -> bool) = match () {
                () if *dir == self.workspace.reviews.threads() => {
                    (WatchedFile::Review, |name| name.ends_with(".md") && !name.starts_with('.'))
                }
                () if *dir == self.workspace.checkpoints.threads() => {
                    (WatchedFile::Checkpoint, is_thread_file)
                }
                () => (WatchedFile::Checkpoint, |name| {
                    name.ends_with(".json") && is_legacy_file(name)
                }),
            };
            targets.push(target(dir.clone(), tag, accepts));
        }
        if self.filter.wants(Kind::Checkpoint) {
            let is_lock: fn(&str) -> bool = |name| name.ends_with(".lock");
            targets.push(target(self.locks(), WatchedFile::Checkpoint, is_lock));
        }
        targets.extend(self.map.as_ref().into_iter().flat_map(|map| map_targets(&map.file)));
        self.watcher.set_targets(targets);
    }

    /// Returns the directory that has an entry for each checkpoint that is taken.
    fn locks(&self) -> PathBuf {
        self.workspace.checkpoints.threads().join(LOCKS)
    }

    /// Waits for changes, and returns their events.
    fn turn(&mut self) -> Vec<ThreadEvent> {
        let is_settled = self.pending.is_empty() && self.states_pending.is_none();
        let nap = if is_settled { IDLE_INTERVAL } else { RETRY_DELAY };
        match self.watcher.wait(nap.min(self.next_look.saturating_duration_since(Instant::now()))) {
            WaitOutcome::Changes(changes) => self.note(&changes),
            WaitOutcome::Nothing => {}
            WaitOutcome::Lost => {
                self.watch_stores();
                self.next_look = Instant::now();
            }
        }
        if self.is_root_missing() {
            // Its threads are neither deleted nor changed: they are where the directory is.
            return Vec::new();
        }
        self.check_stores();
        if Instant::now() >= self.next_look {
            drop(skein_checkpoints::catch_up(&self.workspace, self.env));
            self.look_around();
        }
        self.apply_pending()
    }

    /// Returns whether a root is missing; when it is back, everything is looked at again.
    fn is_root_missing(&mut self) -> bool {
        let is_missing = self.roots.missing().is_some();
        if is_missing {
            self.missing_since.get_or_insert_with(Instant::now);
        } else if self.missing_since.take().is_some() {
            // The system may have ended the watch of a directory that was moved.
            self.watcher = DirWatcher::default();
            self.watch_stores();
            self.next_look = Instant::now();
        }
        is_missing
    }

    /// Looks whether the directories of the stores are there.
    fn check_stores(&mut self) {
        let now = Instant::now();
        for (index, store) in self.stores.iter_mut().enumerate() {
            match store.presence() {
                Presence::There | Presence::Missing | Presence::Gone(0) => {}
                Presence::Back => {
                    // Its files may come back one by one.
                    let own = self.pending.iter_mut().filter(|((of, _), _)| *of == index);
                    own.for_each(|(_, since)| *since = now);
                    self.next_look = now;
                }
                Presence::Gone(threads) => {
                    let at = self.env.clock.now();
                    self.stores_gone.push(DirectoryGone::store(&store.files.dir, threads, at));
                }
            }
        }
    }

    /// Returns which root has been missing for too long.
    fn gone(&self) -> Option<DirectoryGone> {
        let since = self.missing_since.filter(|since| since.elapsed() >= ROOT_TIMEOUT);
        let root = since.and_then(|_| self.roots.missing())?;
        Some(DirectoryGone::workspace(root, self.env.clock.now()))
    }

    /// Marks changed files as pending.
    fn note(&mut self, changes: &[WatchChange]) {
        let now = Instant::now();
        for WatchChange { tag, path, kind } in changes {
            if *kind == ChangeKind::Rescan || *tag == WatchedFile::Settings {
                self.next_look = now;
                continue;
            }
            if *tag == WatchedFile::Session {
                // Other files there may be busy.
                self.is_map_pending |= self.map.as_ref().is_some_and(SessionSnapshot::is_suspect);
                continue;
            }
            if path.parent() == Some(&self.locks()) {
                self.states_pending.get_or_insert(now);
                continue;
            }
            let name = path.file_name().and_then(|name| name.to_str());
            let store =
                self.stores.iter().position(|store| path.parent() == Some(&store.files.dir));
            if let (Some(name), Some(store)) = (name, store) {
                self.pending.entry((store, name.to_owned())).or_insert(now);
            }
        }
    }

    /// Finds changes that were not reported.
    fn look_around(&mut self) {
        let begun = Instant::now();
        for (index, store) in self.stores.iter_mut().enumerate() {
            for name in store.files.suspects() {
                self.pending.entry((index, name)).or_insert(begun);
            }
        }
        self.is_map_pending |= self.map.as_ref().is_some_and(SessionSnapshot::is_suspect);
        self.states_pending.get_or_insert(begun);
        // Another store is discovered in the place of a missing one, which may come back.
        if !self.stores.iter().any(StoreSnapshot::is_missing) {
            self.discover_again();
        }
        let pause = if self.watcher.is_polling() { POLL_INTERVAL } else { RESCAN_INTERVAL };
        self.next_look = Instant::now() + pause.max(begun.elapsed() * SHARE);
    }

    /// Watches other stores if the workspace has moved.
    fn discover_again(&mut self) {
        let workspace = discover(self.env);
        if has_moved(&self.workspace, &workspace) {
            // Threads of the other stores existed before, so there are no events.
            self.workspace = workspace;
            self.start_watching();
        } else if workspace != self.workspace {
            self.workspace = workspace;
            self.watch_stores();
        }
    }

    /// Reads the pending files, and returns the events.
    fn apply_pending(&mut self) -> Vec<ThreadEvent> {
        let context = EventContext::new(self.filter, &self.workspace, self.env, &self.roots);
        let mut events = Vec::new();
        for ((index, name), since) in std::mem::take(&mut self.pending) {
            let Some(store) = self.stores.get_mut(index) else { continue };
            match store.read(&name, &context, since) {
                ReadOutcome::Events(more) => events.extend(more),
                ReadOutcome::Unsettled => drop(self.pending.insert((index, name), since)),
            }
        }
        if std::mem::take(&mut self.is_map_pending)
            && let Some(map) = &mut self.map
        {
            events.extend(map.read(&context));
        }
        if let Some(since) = self.states_pending {
            // The lock directory of a checkpoint is created before its content is written.
            self.states_pending = Some(since).filter(|since| since.elapsed() < HALF_WRITTEN_GRACE);
            let states = States::read(&self.workspace.checkpoints, context.now);
            let changed = states.new_holders(&self.states);
            let store = self.stores.iter().find(|store| store.has_checkpoints());
            events.extend(changed.iter().filter_map(|(id, holder)| {
                store?.holder_event(id, holder.as_ref(), &states, &context)
            }));
            self.states = states;
        }
        events
    }
}

/// Returns whether the threads are elsewhere, or are read by other rules.
fn has_moved(old: &Workspace, new: &Workspace) -> bool {
    old.reviews.threads() != new.reviews.threads()
        || old.checkpoints.threads() != new.checkpoints.threads()
        || old.sessions.map != new.sessions.map
        || old.settings != new.settings
}
