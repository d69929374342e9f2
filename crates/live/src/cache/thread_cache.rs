//! The threads and drafts, and the state that keeps their locations current.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;
use std::sync::Arc;
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

use skein_catalog::drafts;
use skein_catalog::leases::Claims;
use skein_catalog::placement::{Placer, PlacerState};
use skein_format::time::Time;
use skein_model::view::ThreadView;
use skein_workspace::{Env, Workspace};

use super::branches::Branches;
use super::change_set::ChangeSet;
use super::placed_thread::PlacedThread;
use super::review_parser::{REVIEW_FILES, ReviewParser};
use super::source_versions::SourceVersions;
use super::threads::{ThreadSnapshot, order};
use crate::tracked_dir::TrackedDir;

/// Below this many threads, one processor places them all.
const THREADS_THRESHOLD: usize = 200;

/// Whether a thread is a draft, and the name of its file.
type Key = (bool, String);

/// The result of applying changes.
#[derive(Debug, Default)]
pub(super) struct UpdateOutcome {
    /// The ids of the threads and drafts that changed, moved, were created or deleted.
    pub(super) threads: BTreeSet<String>,
    /// The files with other content.
    pub(super) files: BTreeSet<String>,
    /// The files that were never read.
    pub(super) unknown: BTreeSet<String>,
}

/// The threads as they were last read and placed.
pub(super) struct ThreadCache {
    workspace: Arc<Workspace>,
    threads: TrackedDir<PlacedThread>,
    drafts: TrackedDir<PlacedThread>,
    memory: Option<PlacerState>,
    known: SourceVersions,
    /// Threads to be searched for in other files when idle.
    lost: BTreeSet<Key>,
    /// The files of threads that had a lease when the leases were last read.
    leased: BTreeSet<String>,
    /// When the next claim ends by itself.
    claim_end: Option<Time>,
    branches: Branches,
}

impl ThreadCache {
    /// Reads and places all threads.
    pub(super) fn load(workspace: &Arc<Workspace>, env: &Env) -> Self {
        let mut threads = TrackedDir::new(workspace.reviews.threads(), REVIEW_FILES);
        threads.load(&ReviewParser { workspace, is_draft: false });
        let mut drafts = TrackedDir::new(drafts::dir(workspace, env), REVIEW_FILES);
        drafts.load(&ReviewParser { workspace, is_draft: true });
        let mut work = Self {
            workspace: workspace.clone(),
            threads,
            drafts,
            memory: None,
            known: SourceVersions::default(),
            lost: BTreeSet::new(),
            leased: BTreeSet::new(),
            claim_end: None,
            branches: Branches::default(),
        };
        work.place_all(env);
        work.mark_claims(env, &mut BTreeMap::new());
        work.branches.read(workspace, env);
        work.mark_branches(&work.keys(|_| true), None);
        work
    }

    /// Places all threads on all processors.
    fn place_all(&mut self, env: &Env) {
        let threads = self.threads.values_mut().chain(self.drafts.values_mut());
        let mut threads: Vec<&mut PlacedThread> = threads.collect();
        // Threads on one file come together, so that it is read by one processor only.
        threads.sort_by(|a, b| a.paths().next().cmp(&b.paths().next()));
        let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
        let share = threads.len().div_ceil(processors).max(THREADS_THRESHOLD);
        let workspace = &self.workspace;
        let learned: Vec<(PlacerState, SourceVersions)> = std::thread::scope(|scope| {
            let shares = threads.chunks_mut(share);
            let threads: Vec<_> = shares
                .map(|threads| scope.spawn(|| place_share(workspace, env, threads)))
                .collect();
            threads.into_iter().map(joined).collect()
        });
        for (memory, known) in learned {
            self.known.absorb(known);
            match &mut self.memory {
                Some(all) => all.absorb(memory),
                none => *none = Some(memory),
            }
        }
    }

    /// Applies changes.
    pub(super) fn update(&mut self, env: &Env, change_set: &ChangeSet) -> UpdateOutcome {
        let mut before = self.read(change_set);
        let (files, unknown) = self.sources(change_set);
        if let Some(memory) = &mut self.memory {
            match change_set.refs {
                true => memory.forget_names(),
                false if change_set.has_sources() || change_set.index => memory.forget_files(),
                false => {}
            }
        }
        let is_changed = |path: &str| files.contains(path) || unknown.contains(path);
        let touched = self.keys(|placed| change_set.head || placed.is_on(&is_changed));
        for key in touched {
            let view = self.placed(&key).map(|placed| placed.view.clone());
            before.entry(key).or_insert(view);
        }
        let mut keys: BTreeSet<Key> = before.keys().cloned().collect();
        let later = self.place(env, keys.clone(), None);
        keys.retain(|key| !later.contains(key));
        let drifts =
            !files.is_empty() || !unknown.is_empty() || change_set.index || change_set.rules;
        if drifts || change_set.any_source {
            self.lost = self.keys(PlacedThread::is_lost);
        }
        self.lost.retain(|key| !keys.contains(key));
        self.lost.extend(later);
        if change_set.claims || change_set.any_thread || !before.is_empty() {
            self.mark_claims(env, &mut before);
        }
        if change_set.refs {
            self.branches.forget_refs();
        }
        let is_written = change_set.branches || change_set.any_thread || !before.is_empty();
        let any = is_written && self.branches.read(&self.workspace, env) || change_set.refs;
        let marked = self.keys(|_| any).into_iter().chain(before.keys().cloned()).collect();
        self.mark_branches(&marked, Some(&mut before));
        UpdateOutcome { threads: self.changed(before), files, unknown }
    }

    /// Searches for threads in other files, for about as long as `time`; returns those that moved.
    pub(super) fn search_lost(&mut self, env: &Env, time: Duration) -> BTreeSet<String> {
        let keys = std::mem::take(&mut self.lost);
        let view = |placed: Option<&mut PlacedThread>| placed.map(|placed| placed.view.clone());
        let mut before: BTreeMap<Key, _> =
            keys.iter().map(|key| (key.clone(), view(self.placed(key)))).collect();
        self.lost = self.place(env, keys.clone(), Some(Instant::now() + time));
        self.mark_branches(&keys, Some(&mut before));
        self.changed(before)
    }

    /// Reads who works on which thread; adds what was shown of the threads of which that is something else.
    fn mark_claims(&mut self, env: &Env, before: &mut BTreeMap<Key, Option<Arc<ThreadView>>>) {
        let workspace = self.workspace.clone();
        let claims = Claims::read(&workspace, env);
        let leased: BTreeSet<String> = claims.threads().map(|id| format!("{id}.md")).collect();
        self.claim_end = None;
        for name in leased.union(&self.leased) {
            let Some(placed) = self.threads.get_mut(name) else { continue };
            let claim = claims.holder(&placed.view.row);
            let end = claim.as_ref().map(|claim| claim.until);
            self.claim_end = self.claim_end.into_iter().chain(end).min();
            let view = placed.view.clone();
            if placed.set_claim(claim) {
                before.entry((false, name.clone())).or_insert(Some(view));
            }
        }
        self.leased = leased;
    }

    /// Marks threads with the branches that they were started on; adds what was shown of those of which that is something else.
    fn mark_branches(
        &mut self,
        keys: &BTreeSet<Key>,
        mut before: Option<&mut BTreeMap<Key, Option<Arc<ThreadView>>>>,
    ) {
        let mut branches = std::mem::take(&mut self.branches);
        let name = |key: &Key| self.placed(key).and_then(|placed| placed.branch_of_gone(&branches));
        let names = keys.iter().filter_map(name).collect();
        branches.ask(&self.workspace, names);
        for key in keys {
            let Some(placed) = self.placed(key) else { continue };
            // Without a second owner the view is changed in place.
            let view = before.as_ref().map(|_| placed.view.clone());
            if placed.set_branch(&branches)
                && let Some(before) = &mut before
            {
                before.entry(key.clone()).or_insert(view);
            }
        }
        self.branches = branches;
    }

    /// Returns when the next claim ends by itself.
    pub(super) fn claim_end(&self) -> Option<Time> {
        self.claim_end
    }

    /// Returns whether some threads are to be searched for.
    pub(super) fn is_lost(&self) -> bool {
        !self.lost.is_empty()
    }

    /// Returns whether the code of some threads may be in any file.
    pub(super) fn has_lost(&self) -> bool {
        let threads = self.threads.values().chain(self.drafts.values());
        threads.into_iter().any(PlacedThread::is_lost)
    }

    /// Returns whether some files should be read again soon.
    pub(super) fn is_unsettled(&self) -> bool {
        self.known.outdated().next().is_some()
            || !self.threads.is_settled()
            || !self.drafts.is_settled()
    }

    /// Saves the locations for the next run.
    pub(super) fn save(&mut self) {
        if let Some(memory) = &mut self.memory {
            memory.save();
        }
    }

    /// Returns the folders whose files move threads, from the root of the reviews.
    pub(super) fn folders(&self) -> BTreeSet<String> {
        let threads = self.threads.values().chain(self.drafts.values());
        let parent = |path: &str| path.rsplit_once('/').map_or("", |(dir, _)| dir).to_owned();
        threads.flat_map(PlacedThread::paths).map(parent).collect()
    }

    /// Returns all threads in order.
    pub(super) fn all(&self, version: u64) -> ThreadSnapshot {
        let views = |files: &TrackedDir<PlacedThread>| -> Vec<Arc<ThreadView>> {
            files.values().map(|placed| placed.view.clone()).collect()
        };
        let (mut threads, mut drafts) = (views(&self.threads), views(&self.drafts));
        threads.sort_by(|a, b| order(a).cmp(&order(b)));
        drafts
            .sort_by(|a, b| (a.row.created_at, &a.row.file).cmp(&(b.row.created_at, &b.row.file)));
        let mut diagnostics = self.workspace.diagnostics.clone();
        diagnostics.extend(self.threads.diagnostic.clone());
        ThreadSnapshot { version, views: threads, drafts, diagnostics }
    }

    /// Reads the thread files that may have changed; returns what was shown of those that did.
    fn read(&mut self, change_set: &ChangeSet) -> BTreeMap<Key, Option<Arc<ThreadView>>> {
        let mut before = BTreeMap::new();
        for is_draft in [false, true] {
            let files = if is_draft { &mut self.drafts } else { &mut self.threads };
            let mut names = if is_draft { &change_set.drafts } else { &change_set.threads }.clone();
            names.extend(files.unsettled());
            if change_set.any_thread {
                names.extend(files.suspects());
            }
            for name in names {
                let view = files.get(&name).map(|placed| placed.view.clone());
                let parser = ReviewParser { workspace: &self.workspace, is_draft };
                if files.read(&name, change_set.is_own, &parser) {
                    before.insert((is_draft, name), view);
                }
            }
        }
        before
    }

    /// Reads the files under review that may have changed: those that did, and those of which nothing is known.
    fn sources(&mut self, change_set: &ChangeSet) -> (BTreeSet<String>, BTreeSet<String>) {
        let reviews = &self.workspace.reviews;
        let mut paths = change_set.sources.clone();
        paths.extend(self.known.outdated().cloned());
        if change_set.any_known || change_set.any_source {
            paths.extend(self.known.suspects(reviews));
        }
        let (mut changed, mut unknown) = (BTreeSet::new(), BTreeSet::new());
        for path in paths {
            match self.known.read(reviews, &path) {
                Some(true) => changed.insert(path),
                None => unknown.insert(path),
                Some(false) => false,
            };
        }
        (changed, unknown)
    }

    /// Places threads; returns those that are not placed.
    ///
    /// With a deadline, these are the ones that are left when it has passed. Without one, they are those whose code is
    /// still gone: searching for it in other files takes long, and they are shown unchanged until then.
    fn place(
        &mut self,
        env: &Env,
        mut keys: BTreeSet<Key>,
        deadline: Option<Instant>,
    ) -> BTreeSet<Key> {
        let mut skipped = BTreeSet::new();
        if keys.is_empty() {
            return skipped;
        }
        let workspace = self.workspace.clone();
        let memory = self.memory.take().unwrap_or_else(|| PlacerState::open(&workspace, env));
        let mut placer = Placer::resume(&workspace, &workspace.reviews, memory);
        while let Some(key) = keys.pop_first() {
            let Some(placed) = self.placed(&key) else { continue };
            if deadline.is_none() && placed.is_still_gone(&mut placer) {
                skipped.insert(key);
                continue;
            }
            placed.place(&mut placer);
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                break;
            }
        }
        let (memory, sources) = placer.into_state();
        self.memory = Some(memory);
        self.known.learn(&workspace.reviews, &sources);
        skipped.append(&mut keys);
        skipped
    }

    /// Returns the ids of threads that show something else than before, and leaves what is shown of the others.
    fn changed(&mut self, before: BTreeMap<Key, Option<Arc<ThreadView>>>) -> BTreeSet<String> {
        let mut ids = BTreeSet::new();
        for (key, old) in before {
            match (old, self.placed(&key)) {
                (Some(old), Some(placed)) if *old == *placed.view => placed.view = old,
                (_, Some(placed)) => drop(ids.insert(placed.view.row.id.clone())),
                (Some(old), None) => drop(ids.insert(old.row.id.clone())),
                (None, None) => {}
            }
        }
        ids
    }

    fn keys(&self, is_meant: impl Fn(&PlacedThread) -> bool) -> BTreeSet<Key> {
        let mut keys = BTreeSet::new();
        for (is_draft, files) in [(false, &self.threads), (true, &self.drafts)] {
            let meant = files.iter().filter(|(_, placed)| is_meant(placed));
            keys.extend(meant.map(|(name, _)| (is_draft, name.clone())));
        }
        keys
    }

    fn placed(&mut self, (is_draft, name): &Key) -> Option<&mut PlacedThread> {
        let files = if *is_draft { &mut self.drafts } else { &mut self.threads };
        files.get_mut(name)
    }
}

fn place_share(
    workspace: &Workspace,
    env: &Env,
    threads: &mut [&mut PlacedThread],
) -> (PlacerState, SourceVersions) {
    let memory = PlacerState::open(workspace, env);
    let mut placer = Placer::resume(workspace, &workspace.reviews, memory);
    for placed in threads {
        placed.place(&mut placer);
    }
    let (memory, sources) = placer.into_state();
    let mut known = SourceVersions::default();
    known.learn(&workspace.reviews, &sources);
    (memory, known)
}

fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
