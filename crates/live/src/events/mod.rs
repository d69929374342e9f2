//! The stream of what happens to threads.
//!
//! The last state of every thread is kept in memory, in a few hundred bytes each. A file that changes is read alone and compared with
//! that. Where the system does not report changes, traces of the files are compared first. Code is looked for only in events, so that
//! a watch starts as fast as a list; if the code is watched too, a [`crate::LiveWorkspace`] does that.

mod claims;
mod event;
mod moved_code;
mod roots;
mod session_snapshot;
mod store_snapshot;
mod thread_state;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use skein_catalog::ThreadRef;
use skein_catalog::checkpoint_state::States;
use skein_catalog::drafts;
use skein_catalog::placed::place_file;
use skein_catalog::placement::Placer;
use skein_catalog::rows::checkpoint;
use skein_format::checkpoint::CheckpointFileKind;
use skein_model::view::{ResumeLockHolder, ThreadView};
use skein_model::{Filter, Kind};
use skein_store::{DirWatcher, WaitOutcome};
use skein_workspace::{Env, Workspace, discover};

use crate::cache::change_set::ChangeSet;
use crate::cache::targets::{self, WatchedFile};
use crate::tracked_dir::HALF_WRITTEN_GRACE;
use claims::ClaimSnapshot;
use moved_code::MovedCode;
use roots::StoreRoots;
use session_snapshot::SessionSnapshot;
use store_snapshot::{DirChange, EventContext, StoreSnapshot};

pub use event::ThreadEvent;
pub use roots::DirectoryGone;

/// Full checks take at most this fraction of the time.
const CHECK_SHARE: u32 = 50;
/// Delay before a missing or unusable file is read again.
const RETRY_DELAY: Duration = Duration::from_millis(20);
/// A root or store directory that is missing for longer is reported as gone.
const ROOT_TIMEOUT: Duration = Duration::from_secs(3);
/// Interval of reports that nothing has happened.
const IDLE_INTERVAL: Duration = Duration::from_millis(500);

/// What a watch reports.
pub enum WatchReport<'a> {
    /// The watch has begun: all later changes are reported.
    Begun(WatchSummary<'a>),
    /// Events that happened at about the same time.
    Events(&'a Workspace, Vec<ThreadEvent>),
    /// Nothing has happened for a while.
    Idle,
    /// The directory of a store was moved or removed, with all of its threads.
    StoreGone(DirectoryGone),
    /// The directory of the workspace was moved or removed, which ends the watch.
    Gone(DirectoryGone),
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

/// What is reported in addition to changes of threads.
#[derive(Clone, Copy, Debug, Default)]
pub struct WatchOptions {
    /// Whether changes of the code are watched: a thread whose code is at another location, or in another state, has `moved`.
    pub code: bool,
    /// Whether changes of drafts are reported; never to an agent.
    pub drafts: bool,
}

/// Reports all events of threads that pass the filter, until `report` fails.
///
/// A thread passes if it does so after the change, or did so before it was deleted.
pub fn watch<E>(
    env: &Env,
    filter: &Filter,
    options: WatchOptions,
    report: &mut dyn FnMut(WatchReport<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let mut watching = EventStream::new(filter, options, discover(env));
    report(WatchReport::Begun(watching.watched()))?;
    loop {
        if let Some(gone) = watching.gone() {
            return report(WatchReport::Gone(gone));
        }
        let mut events = watching.next_events();
        place_events(&watching.workspace, &mut events);
        if let Some(code) = &mut watching.code {
            code.record(&mut events);
        }
        report(match events.is_empty() {
            true => WatchReport::Idle,
            false => WatchReport::Events(&watching.workspace, events),
        })?;
        for gone in std::mem::take(&mut watching.stores_gone) {
            report(WatchReport::StoreGone(gone))?;
        }
    }
}

/// Sets the place of each review thread to where its code is now.
fn place_events(workspace: &Workspace, events: &mut [ThreadEvent]) {
    let dirs = [workspace.reviews.threads(), drafts::dir(workspace)];
    let is_own = |event: &&mut ThreadEvent| {
        let dir = Path::new(&event.file).parent();
        event.kind == Kind::Review && dirs.iter().any(|own| dir == Some(own.as_path()))
    };
    let mut own = events.iter_mut().filter(is_own).peekable();
    if own.peek().is_none() {
        return;
    }
    let mut placer = Placer::new(workspace, &workspace.reviews);
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
    filter: &'a Filter,
    options: WatchOptions,
    workspace: Workspace,
    stores: Vec<StoreSnapshot>,
    map: Option<SessionSnapshot>,
    /// The locations of code, if it is watched.
    code: Option<MovedCode>,
    roots: StoreRoots,
    /// Since when a root is missing.
    missing_since: Option<Instant>,
    /// Store directories whose removal is not reported yet.
    stores_gone: Vec<DirectoryGone>,
    watcher: DirWatcher<WatchedFile>,
    /// What was last known of the work that is taken.
    states: States,
    /// The review threads that were last known to be claimed.
    claims: ClaimSnapshot,
    /// Since when these two may be out of date.
    states_pending: Option<Instant>,
    /// When all files are checked next.
    next_check: Instant,
}

impl<'a> EventStream<'a> {
    /// Watches the stores of a workspace, and reads all threads.
    fn new(filter: &'a Filter, options: WatchOptions, workspace: Workspace) -> Self {
        // The watch starts before the files are read, so that no change is missed.
        let mut watcher = DirWatcher::default();
        watcher.set_targets(targets::stores(&workspace));
        let roots = StoreRoots::new(&workspace, filter);
        let mut stores = StoreSnapshot::all(&workspace, filter, options.drafts);
        let file = workspace.sessions.file().filter(|_| filter.wants(Kind::Session));
        let mut map = file.map(|file| SessionSnapshot::new(file.to_owned()));
        let context = EventContext::new(filter, &workspace, &roots);
        stores.iter_mut().for_each(|store| store.load(&context));
        map.iter_mut().for_each(|map| drop(map.refresh(&context)));
        let claims = ClaimSnapshot::read(&stores, &context);
        let has_code = options.code && filter.wants(Kind::Review);
        Self {
            filter,
            options,
            stores,
            map,
            code: has_code.then(|| MovedCode::new(&workspace.env)),
            missing_since: None,
            stores_gone: Vec::new(),
            states: States::read(&workspace.checkpoints, context.now),
            claims,
            states_pending: None,
            next_check: Instant::now() + watcher.rescan_interval(),
            watcher,
            roots,
            workspace,
        }
    }

    fn watched(&self) -> WatchSummary<'_> {
        let mut counts = BTreeMap::new();
        for store in self.stores.iter().filter(|store| !store.is_draft) {
            *counts.entry(store.kind()).or_default() += store.count();
        }
        counts.extend(self.map.as_ref().map(|map| (Kind::Session, map.count())));
        WatchSummary { workspace: &self.workspace, counts, is_notified: !self.watcher.is_polling() }
    }

    fn watch_stores(&mut self) {
        self.watcher.set_targets(targets::stores(&self.workspace));
    }

    /// Waits for changes, and returns their events.
    fn next_events(&mut self) -> Vec<ThreadEvent> {
        let is_settled = self.stores.iter().all(|store| store.files.is_settled());
        let is_settled = is_settled && self.states_pending.is_none();
        let nap = if is_settled { IDLE_INTERVAL } else { RETRY_DELAY };
        let nap = nap.min(self.next_check.saturating_duration_since(Instant::now()));
        let mut change_set = ChangeSet::default();
        if let Some(code) = &self.code {
            code.wake(self.watcher.waker());
        }
        match self.watcher.wait(nap) {
            WaitOutcome::Changes(changes) if changes.is_empty() => {}
            WaitOutcome::Changes(changes) => {
                self.states_pending.get_or_insert_with(Instant::now);
                change_set = ChangeSet::from_changes(&changes, &self.workspace);
            }
            WaitOutcome::Nothing => {}
            WaitOutcome::Lost => {
                self.watch_stores();
                change_set.places = true;
            }
        }
        if self.is_root_missing() {
            // Its threads are neither deleted nor changed: they are where the directory is.
            return Vec::new();
        }
        self.check_stores();
        if change_set.places || Instant::now() >= self.next_check {
            drop(skein_checkpoints::catch_up(&self.workspace));
            change_set.files.extend(self.find_unreported());
        }
        let mut events = self.read(&change_set.files);
        events.extend(self.moved());
        events
    }

    /// Returns the events of threads whose code has moved.
    fn moved(&mut self) -> Vec<ThreadEvent> {
        let Some(code) = &mut self.code else { return Vec::new() };
        let context = EventContext::new(self.filter, &self.workspace, &self.roots);
        let stores = &mut self.stores;
        let event = |view: Arc<ThreadView>| {
            let dir = view.row.file.parent()?;
            let store = stores.iter_mut().find(|store| store.files.dir == dir)?;
            store.moved(&view, &context)
        };
        code.next().into_iter().filter_map(event).collect()
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
            self.next_check = Instant::now();
        }
        is_missing
    }

    /// Looks whether the directories of the stores are there.
    fn check_stores(&mut self) {
        for store in &mut self.stores {
            match store.check_dir() {
                None => {}
                Some(DirChange::Back) => self.next_check = Instant::now(),
                Some(DirChange::Gone(threads)) => {
                    let (dir, at) = (&store.files.dir, self.workspace.env.clock.now());
                    self.stores_gone.push(DirectoryGone::new("store", dir, Some(threads), at));
                }
            }
        }
    }

    /// Returns which root has been missing for too long.
    fn gone(&self) -> Option<DirectoryGone> {
        let since = self.missing_since.filter(|since| since.elapsed() >= ROOT_TIMEOUT);
        let root = since.and_then(|_| self.roots.missing())?;
        Some(DirectoryGone::new("workspace", root, None, self.workspace.env.clock.now()))
    }

    /// Finds the stores again, and returns files whose changes may not have been reported.
    fn find_unreported(&mut self) -> Vec<PathBuf> {
        let begun = Instant::now();
        self.states_pending.get_or_insert(begun);
        // Another store is discovered in the place of a missing one, which may come back.
        if !self.stores.iter().any(StoreSnapshot::is_missing) {
            let workspace = discover(&self.workspace.env);
            if has_moved(&self.workspace, &workspace) {
                // Threads of the other stores existed before, so there are no events.
                let stores_gone = std::mem::take(&mut self.stores_gone);
                *self = Self { stores_gone, ..Self::new(self.filter, self.options, workspace) };
            } else {
                self.workspace = workspace;
                self.watch_stores();
            }
        }
        let checkpoints = &self.workspace.checkpoints;
        let stores = self.stores.iter_mut();
        let suspects = stores.flat_map(|store| store.suspects(checkpoints)).collect();
        let pause = self.watcher.rescan_interval().max(begun.elapsed() * CHECK_SHARE);
        self.next_check = Instant::now() + pause;
        suspects
    }

    /// Reads files that may have changed, and returns the events.
    fn read(&mut self, files: &BTreeSet<PathBuf>) -> Vec<ThreadEvent> {
        let context = EventContext::new(self.filter, &self.workspace, &self.roots);
        let mut events = Vec::new();
        for store in &mut self.stores {
            events.extend(store.refresh(files, &context));
        }
        if let Some(map) = &mut self.map {
            events.extend(map.refresh(&context));
        }
        if let Some(since) = self.states_pending {
            // The lock directory of a checkpoint is created before its content is written.
            self.states_pending = Some(since).filter(|since| since.elapsed() < HALF_WRITTEN_GRACE);
            let states = States::read(&self.workspace.checkpoints, context.now);
            if self.filter.wants(Kind::Checkpoint) {
                let changed = states.new_holders(&self.states);
                let event =
                    |(id, holder): (String, _)| holder_event(&id, holder, &states, &context);
                events.extend(changed.into_iter().filter_map(event));
            }
            self.states = states;
            let claims = ClaimSnapshot::read(&self.stores, &context);
            events.extend(claims.events_since(&self.claims, &self.stores, &context));
            self.claims = claims;
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

/// Returns the event that a checkpoint was taken or released.
///
/// The end of the work, which frees it as well, is an event of its own.
fn holder_event(
    id: &str,
    holder: Option<ResumeLockHolder>,
    states: &States,
    context: &EventContext<'_>,
) -> Option<ThreadEvent> {
    let path = context.workspace.checkpoints.threads().join(format!("{id}.json"));
    let bytes = skein_store::read(&path).ok()?.bytes;
    let mut row = checkpoint::row(&bytes, &path, CheckpointFileKind::Thread);
    states.mark(&mut row);
    let has_ended = row.checkpoint().is_some_and(|detail| detail.is_over);
    if has_ended || !checkpoint::is_wanted(&row, &bytes, CheckpointFileKind::Thread, context.filter)
    {
        return None;
    }
    let name = if holder.is_some() { "taken" } else { "released" };
    let by = holder.and_then(|holder| holder.by.or(holder.session_id));
    Some(ThreadEvent { by, ..ThreadEvent::new(name, &row, context.now) })
}
