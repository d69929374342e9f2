//! The threads and drafts, and the state that keeps their locations current.

use std::collections::BTreeSet;
use std::num::NonZero;
use std::path::Path;
use std::sync::Arc;
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

use skein_catalog::drafts;
use skein_catalog::leases::Claims;
use skein_catalog::placement::{Placer, PlacerState};
use skein_format::time::Time;
use skein_model::view::{FileDiagnostic, ThreadView};
use skein_workspace::Workspace;

use super::branches::Branches;
use super::change_set::ChangeSet;
use super::folder;
use super::placed_thread::{PlacedThread, PlacingStep, REVIEW_FILES, ReviewParser};
use super::source_versions::SourceVersions;
use crate::tracked_dir::TrackedDir;

/// Below this many threads, one processor places them all.
const THREADS_THRESHOLD: usize = 200;

/// The threads of a worktree.
#[derive(Clone, Debug, Default)]
pub struct ThreadSnapshot {
    /// Greater than that of any earlier state.
    pub version: u64,
    /// The threads by file and line, those that cannot be used among them.
    pub views: Vec<Arc<ThreadView>>,
    /// The drafts, in the order in which they were written.
    pub drafts: Vec<Arc<ThreadView>>,
    /// What is wrong apart from the threads.
    pub diagnostics: Vec<FileDiagnostic>,
}

impl ThreadSnapshot {
    /// Returns the thread or the draft with this id.
    pub fn get(&self, id: &str) -> Option<&Arc<ThreadView>> {
        self.views.iter().chain(&self.drafts).find(|view| view.row.id == id)
    }
}

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
    /// When the next claim ends by itself.
    claim_end: Option<Time>,
    branches: Branches,
}

impl ThreadCache {
    /// Reads and places all threads.
    pub(super) fn load(workspace: &Arc<Workspace>) -> Self {
        let mut threads = TrackedDir::new(workspace.reviews.threads(), REVIEW_FILES);
        threads.load(&ReviewParser { workspace, is_draft: false });
        let mut drafts = TrackedDir::new(drafts::dir(workspace), REVIEW_FILES);
        drafts.load(&ReviewParser { workspace, is_draft: true });
        let mut work = Self {
            workspace: workspace.clone(),
            threads,
            drafts,
            memory: None,
            known: SourceVersions::default(),
            claim_end: None,
            branches: Branches::default(),
        };
        work.place(None);
        work.report();
        work
    }

    /// Places the threads that are due, on all processors; with a deadline, searches for those whose code is gone until it has
    /// passed.
    fn place(&mut self, deadline: Option<Instant>) {
        let step = if deadline.is_some() { PlacingStep::Search } else { PlacingStep::Place };
        let threads = self.threads.values_mut().chain(self.drafts.values_mut());
        let mut due: Vec<_> = threads.filter(|placed| placed.step == step).collect();
        // Threads on one file come together, so that it is read by one processor only.
        due.sort_by(|a, b| a.paths().next().cmp(&b.paths().next()));
        let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
        let share = due.len().div_ceil(processors).max(THREADS_THRESHOLD);
        let (workspace, memory) = (&self.workspace, &mut self.memory);
        let learned: Vec<(PlacerState, SourceVersions)> = std::thread::scope(|scope| {
            let shares = due.chunks_mut(share).map(|threads| {
                let memory = memory.take().unwrap_or_else(|| PlacerState::open(workspace));
                scope.spawn(move || place_share(workspace, memory, threads, deadline))
            });
            let shares: Vec<_> = shares.collect();
            shares.into_iter().map(joined).collect()
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
    pub(super) fn update(&mut self, change_set: &ChangeSet) -> UpdateOutcome {
        let mut threads = self.read(change_set);
        let (files, unknown) = self.sources(change_set);
        if let Some(memory) = &mut self.memory {
            match change_set.refs {
                true => memory.forget_names(),
                false if change_set.has_sources() || change_set.index => memory.forget_files(),
                false => {}
            }
        }
        let is_changed = |path: &str| files.contains(path) || unknown.contains(path);
        let has_changed = !files.is_empty() || !unknown.is_empty();
        let any = has_changed || change_set.index || change_set.rules || change_set.any_source;
        for placed in self.threads.values_mut().chain(self.drafts.values_mut()) {
            if change_set.head || placed.is_on(&is_changed) {
                placed.step = PlacingStep::Place;
            } else if any && placed.is_lost() && placed.step == PlacingStep::Done {
                placed.step = PlacingStep::Search;
            }
        }
        self.place(None);
        if change_set.refs {
            self.branches.forget_refs();
        }
        threads.extend(self.report());
        UpdateOutcome { threads, files, unknown }
    }

    /// Searches for threads in other files, for about as long as `time`; returns those that moved.
    pub(super) fn search_lost(&mut self, time: Duration) -> BTreeSet<String> {
        self.place(Some(Instant::now() + time));
        self.report()
    }

    /// Marks threads with who works on them and the branches that they were started on; returns the ids of those that show
    /// something else than after the last call.
    fn report(&mut self) -> BTreeSet<String> {
        let workspace = &*self.workspace;
        let claims = Claims::read(workspace);
        self.branches.read(workspace);
        let gone = self.placed().filter_map(|placed| placed.branch_of_gone(&self.branches));
        let gone = gone.collect();
        self.branches.ask(workspace, gone);
        self.claim_end = None;
        let mut changed = BTreeSet::new();
        for placed in self.threads.values_mut().chain(self.drafts.values_mut()) {
            let claim = claims.holder(&placed.view.row);
            let end = claim.as_ref().map(|claim| claim.until);
            self.claim_end = self.claim_end.into_iter().chain(end).min();
            placed.mark(claim, &self.branches);
            if placed.report() {
                changed.insert(placed.view.row.id.clone());
            }
        }
        changed
    }

    /// Returns when the next claim ends by itself.
    pub(super) fn claim_end(&self) -> Option<Time> {
        self.claim_end
    }

    /// Returns whether some threads are to be searched for.
    pub(super) fn is_searching(&self) -> bool {
        self.placed().any(|placed| placed.step == PlacingStep::Search)
    }

    /// Returns whether the code of some threads may be in any file.
    pub(super) fn has_lost(&self) -> bool {
        self.placed().any(PlacedThread::is_lost)
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
        self.placed().flat_map(PlacedThread::paths).map(|path| folder(path).to_owned()).collect()
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

    /// Reads the thread files that may have changed; returns the ids of those that were deleted.
    fn read(&mut self, change_set: &ChangeSet) -> BTreeSet<String> {
        let mut deleted = BTreeSet::new();
        for (is_draft, files) in [(false, &mut self.threads), (true, &mut self.drafts)] {
            let parser = ReviewParser { workspace: &self.workspace, is_draft };
            for (name, earlier) in change_set.refresh(files, change_set.any_thread, &parser) {
                let Some(earlier) = earlier else { continue };
                match files.get_mut(&name) {
                    Some(placed) => placed.reported = earlier.reported,
                    None => drop(deleted.insert(earlier.view.row.id.clone())),
                }
            }
        }
        deleted
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

    fn placed(&self) -> impl Iterator<Item = &PlacedThread> {
        self.threads.values().chain(self.drafts.values())
    }
}

/// Places threads; with a deadline, until it has passed.
///
/// Without a deadline, threads whose code is still gone are left for a search, which takes long. They are shown unchanged until then.
fn place_share(
    workspace: &Workspace,
    memory: PlacerState,
    threads: &mut [&mut PlacedThread],
    deadline: Option<Instant>,
) -> (PlacerState, SourceVersions) {
    let mut placer = Placer::resume(workspace, &workspace.reviews, memory);
    for placed in threads {
        if deadline.is_none() && placed.is_still_gone(&mut placer) {
            placed.step = PlacingStep::Search;
            continue;
        }
        placed.place(&mut placer);
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            break;
        }
    }
    let (memory, sources) = placer.into_state();
    (memory, SourceVersions::from_texts(&workspace.reviews, &sources))
}

fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// What threads are ordered by; those without a place come last.
fn order(view: &ThreadView) -> (bool, &str, Option<u32>, Option<Time>, &Path) {
    let placement = view.placement();
    let target = view.row.review().and_then(|detail| detail.target.as_ref());
    let path = view.path().or(target.map(|target| target.path.as_str()));
    let line = placement.and_then(|at| at.start_line);
    (path.is_none(), path.unwrap_or_default(), line, view.row.created_at, &view.row.file)
}
