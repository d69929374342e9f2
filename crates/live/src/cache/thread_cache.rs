//! The threads and drafts, and what is needed to keep them where their code is.

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

/// Below this many cards another thread costs more than it saves.
const THREADS_THRESHOLD: usize = 200;

/// A card by its shelf and the name of its file.
type Key = (bool, String);

/// What changing files did to the threads.
#[derive(Debug, Default)]
pub(super) struct UpdateOutcome {
    /// The ids of the threads and drafts that say something else, are somewhere else, came or went.
    pub(super) threads: BTreeSet<String>,
    /// The files that say something else.
    pub(super) files: BTreeSet<String>,
    /// The files of which that is not known.
    pub(super) unknown: BTreeSet<String>,
}

/// The threads as they were last read and placed.
pub(super) struct ThreadCache {
    workspace: Arc<Workspace>,
    threads: TrackedDir<PlacedThread>,
    drafts: TrackedDir<PlacedThread>,
    memory: Option<PlacerState>,
    known: SourceVersions,
    /// Threads to be looked for in other files when there is time.
    adrift: BTreeSet<Key>,
    /// The files of threads that had a lease when the leases were last read.
    leased: BTreeSet<String>,
    /// When the next claim ends by itself.
    claim_end: Option<Time>,
    branches: Branches,
}

impl ThreadCache {
    /// Reads and places everything.
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
            adrift: BTreeSet::new(),
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

    /// Places all cards on all processors.
    fn place_all(&mut self, env: &Env) {
        let cards = self.threads.values_mut().chain(self.drafts.values_mut());
        let mut cards: Vec<&mut PlacedThread> = cards.collect();
        // Threads on one file come together, so that it is read by one processor only.
        cards.sort_by(|a, b| a.paths().next().cmp(&b.paths().next()));
        let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
        let share = cards.len().div_ceil(processors).max(THREADS_THRESHOLD);
        let workspace = &self.workspace;
        let learned: Vec<(PlacerState, SourceVersions)> = std::thread::scope(|scope| {
            let shares = cards.chunks_mut(share);
            let threads: Vec<_> =
                shares.map(|cards| scope.spawn(|| place_share(workspace, env, cards))).collect();
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

    /// Takes in what changed.
    pub(super) fn update(&mut self, env: &Env, news: &ChangeSet) -> UpdateOutcome {
        let mut before = self.read(news);
        let (files, unknown) = self.sources(news);
        if let Some(memory) = &mut self.memory {
            match news.refs {
                true => memory.forget_names(),
                false if news.has_sources() || news.index => memory.forget_files(),
                false => {}
            }
        }
        let is_changed = |path: &str| files.contains(path) || unknown.contains(path);
        let touched = self.keys(|card| news.head || card.is_on(&is_changed));
        for key in touched {
            let view = self.card(&key).map(|card| card.view.clone());
            before.entry(key).or_insert(view);
        }
        let mut keys: BTreeSet<Key> = before.keys().cloned().collect();
        let later = self.place(env, keys.clone());
        keys.retain(|key| !later.contains(key));
        let drifts = !files.is_empty() || !unknown.is_empty() || news.index || news.rules;
        if drifts || news.any_source {
            self.adrift = self.keys(PlacedThread::is_adrift);
        }
        self.adrift.retain(|key| !keys.contains(key));
        self.adrift.extend(later);
        if news.claims || news.any_thread || !before.is_empty() {
            self.mark_claims(env, &mut before);
        }
        if news.refs {
            self.branches.forget_refs();
        }
        let is_written = news.branches || news.any_thread || !before.is_empty();
        let any = is_written && self.branches.read(&self.workspace, env) || news.refs;
        let marked = self.keys(|_| any).into_iter().chain(before.keys().cloned()).collect();
        self.mark_branches(&marked, Some(&mut before));
        UpdateOutcome { threads: self.changed(before), files, unknown }
    }

    /// Looks for threads in other files, for about as long as `time`; returns those that were found elsewhere.
    pub(super) fn drift(&mut self, env: &Env, time: Duration) -> BTreeSet<String> {
        let keys = std::mem::take(&mut self.adrift);
        let view = |card: Option<&mut PlacedThread>| card.map(|card| card.view.clone());
        let mut before: BTreeMap<Key, _> =
            keys.iter().map(|key| (key.clone(), view(self.card(key)))).collect();
        self.adrift = self.place_until(env, keys.clone(), Instant::now() + time);
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
            let Some(card) = self.threads.get_mut(name) else { continue };
            let claim = claims.holder(&card.view.row);
            let end = claim.as_ref().map(|claim| claim.until);
            self.claim_end = self.claim_end.into_iter().chain(end).min();
            let view = card.view.clone();
            if card.set_claim(claim) {
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
        let name = |key: &Key| self.card(key).and_then(|card| card.branch_of_gone(&branches));
        let names = keys.iter().filter_map(name).collect();
        branches.ask(&self.workspace, names);
        for key in keys {
            let Some(card) = self.card(key) else { continue };
            // Without a second owner the view is changed in place.
            let view = before.as_ref().map(|_| card.view.clone());
            if card.set_branch(&branches)
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

    /// Returns whether some threads may be elsewhere by now.
    pub(super) fn is_adrift(&self) -> bool {
        !self.adrift.is_empty()
    }

    /// Returns whether the code of some threads may be in any file.
    pub(super) fn has_adrift(&self) -> bool {
        let cards = self.threads.values().chain(self.drafts.values());
        cards.into_iter().any(PlacedThread::is_adrift)
    }

    /// Returns whether some files should be read again soon.
    pub(super) fn is_unsettled(&self) -> bool {
        self.known.torn().next().is_some()
            || !self.threads.is_settled()
            || !self.drafts.is_settled()
    }

    /// Keeps what was found for the next run.
    pub(super) fn save(&mut self) {
        if let Some(memory) = &mut self.memory {
            memory.save();
        }
    }

    /// Returns the folders whose files move threads, from the root of the reviews.
    pub(super) fn folders(&self) -> BTreeSet<String> {
        let cards = self.threads.values().chain(self.drafts.values());
        let parent = |path: &str| path.rsplit_once('/').map_or("", |(dir, _)| dir).to_owned();
        cards.flat_map(PlacedThread::paths).map(parent).collect()
    }

    /// Returns all threads in order.
    pub(super) fn all(&self, version: u64) -> ThreadSnapshot {
        let views = |shelf: &TrackedDir<PlacedThread>| -> Vec<Arc<ThreadView>> {
            shelf.values().map(|card| card.view.clone()).collect()
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
    fn read(&mut self, news: &ChangeSet) -> BTreeMap<Key, Option<Arc<ThreadView>>> {
        let mut before = BTreeMap::new();
        for is_draft in [false, true] {
            let shelf = if is_draft { &mut self.drafts } else { &mut self.threads };
            let mut names = if is_draft { &news.drafts } else { &news.threads }.clone();
            names.extend(shelf.unsettled());
            if news.any_thread {
                names.extend(shelf.suspects());
            }
            for name in names {
                let view = shelf.get(&name).map(|card| card.view.clone());
                let parser = ReviewParser { workspace: &self.workspace, is_draft };
                if shelf.read(&name, news.is_own, &parser) {
                    before.insert((is_draft, name), view);
                }
            }
        }
        before
    }

    /// Reads the files under review that may have changed: those that did, and those of which nothing is known.
    fn sources(&mut self, news: &ChangeSet) -> (BTreeSet<String>, BTreeSet<String>) {
        let reviews = &self.workspace.reviews;
        let mut paths = news.sources.clone();
        paths.extend(self.known.torn().cloned());
        if news.any_known || news.any_source {
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

    /// Places cards, except those whose code is still gone, which are returned: nothing else is shown of them until
    /// they are found elsewhere.
    fn place(&mut self, env: &Env, mut keys: BTreeSet<Key>) -> BTreeSet<Key> {
        let mut later = BTreeSet::new();
        self.place_with(env, &mut keys, &mut |key, card, placer| {
            if card.is_still_gone(placer) {
                later.insert(key);
            } else {
                card.place(placer);
            }
            true
        });
        later
    }

    /// Places cards until it is late; returns those that are left.
    fn place_until(
        &mut self,
        env: &Env,
        mut keys: BTreeSet<Key>,
        deadline: Instant,
    ) -> BTreeSet<Key> {
        self.place_with(env, &mut keys, &mut |_, card, placer| {
            card.place(placer);
            Instant::now() < deadline
        });
        keys
    }

    /// Takes cards one after the other, as long as `place` returns true.
    fn place_with(
        &mut self,
        env: &Env,
        keys: &mut BTreeSet<Key>,
        place: &mut dyn FnMut(Key, &mut PlacedThread, &mut Placer<'_>) -> bool,
    ) {
        if keys.is_empty() {
            return;
        }
        let workspace = self.workspace.clone();
        let memory = self.memory.take().unwrap_or_else(|| PlacerState::open(&workspace, env));
        let mut placer = Placer::resume(&workspace, &workspace.reviews, memory);
        while let Some(key) = keys.pop_first() {
            let Some(card) = self.card(&key) else { continue };
            if !place(key, card, &mut placer) {
                break;
            }
        }
        let (memory, sources) = placer.into_state();
        self.memory = Some(memory);
        self.known.learn(&workspace.reviews, &sources);
    }

    /// Returns the ids of cards that show something else than before, and leaves what is shown of the others.
    fn changed(&mut self, before: BTreeMap<Key, Option<Arc<ThreadView>>>) -> BTreeSet<String> {
        let mut ids = BTreeSet::new();
        for (key, old) in before {
            match (old, self.card(&key)) {
                (Some(old), Some(card)) if *old == *card.view => card.view = old,
                (_, Some(card)) => drop(ids.insert(card.view.row.id.clone())),
                (Some(old), None) => drop(ids.insert(old.row.id.clone())),
                (None, None) => {}
            }
        }
        ids
    }

    fn keys(&self, is_meant: impl Fn(&PlacedThread) -> bool) -> BTreeSet<Key> {
        let mut keys = BTreeSet::new();
        for (is_draft, shelf) in [(false, &self.threads), (true, &self.drafts)] {
            let meant = shelf.iter().filter(|(_, card)| is_meant(card));
            keys.extend(meant.map(|(name, _)| (is_draft, name.clone())));
        }
        keys
    }

    fn card(&mut self, (is_draft, name): &Key) -> Option<&mut PlacedThread> {
        let shelf = if *is_draft { &mut self.drafts } else { &mut self.threads };
        shelf.get_mut(name)
    }
}

fn place_share(
    workspace: &Workspace,
    env: &Env,
    cards: &mut [&mut PlacedThread],
) -> (PlacerState, SourceVersions) {
    let memory = PlacerState::open(workspace, env);
    let mut placer = Placer::resume(workspace, &workspace.reviews, memory);
    for card in cards {
        card.place(&mut placer);
    }
    let (memory, sources) = placer.into_state();
    let mut known = SourceVersions::default();
    known.learn(&workspace.reviews, &sources);
    (memory, known)
}

fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
