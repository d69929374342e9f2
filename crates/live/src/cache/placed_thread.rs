//! One thread in memory.

use std::path::Path;
use std::sync::Arc;

use skein_catalog::ThreadRef;
use skein_catalog::placement::Placer;
use skein_catalog::review_thread::ReviewThread;
use skein_catalog::rows::unreadable;
use skein_model::Kind;
use skein_model::view::{
    ClaimedBy, PlacementState, PlacementView, ReviewBody, RowDetail, ThreadBody, ThreadView,
};
use skein_store::ScanOptions;
use skein_workspace::Workspace;

use super::branches::Branches;
use crate::tracked_dir::FileParser;

/// Which files are review threads; most fit into the first read.
pub(crate) const REVIEW_FILES: ScanOptions<'static> = ScanOptions {
    suffix: ".md",
    keep: &|name| !name.starts_with('.'),
    first: 64 * 1024,
    threads: None,
};

/// A thread that was read, and what is shown of it.
pub(super) struct PlacedThread {
    /// None where the file cannot be read.
    thread: Option<ReviewThread>,
    pub(super) view: Arc<ThreadView>,
    /// What was shown when changes were last reported.
    pub(super) reported: Option<Arc<ThreadView>>,
    pub(super) step: PlacingStep,
    marks: Marks,
}

/// What is to be done to know where the code of a thread is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PlacingStep {
    Done,
    /// It is to be placed.
    Place,
    /// It is to be searched for in other files when nothing else is to be done.
    Search,
}

/// What is shown of a thread that neither its file nor its code decides.
#[derive(Clone, Default, PartialEq)]
struct Marks {
    claim: Option<Box<ClaimedBy>>,
    /// The branch that the thread was started on, where the state directory names it.
    started_on: Option<Box<str>>,
    is_of_other_branch: bool,
}

impl Marks {
    fn apply(&self, view: &mut ThreadView) {
        let RowDetail::Review(detail) = &mut view.row.detail else { return };
        detail.claim.clone_from(&self.claim);
        if self.started_on.is_some() {
            detail.started_on.clone_from(&self.started_on);
        }
        detail.is_of_other_branch = self.is_of_other_branch;
    }
}

impl PlacedThread {
    /// Takes a thread that is still to be placed; none with what is shown of a file that cannot be read.
    pub(super) fn new(thread: Option<ReviewThread>, view: ThreadView) -> Self {
        let (step, marks) = (PlacingStep::Place, Marks::default());
        Self { thread, view: Arc::new(view), reported: None, step, marks }
    }

    /// Returns whether something else is shown than after the last call.
    pub(super) fn report(&mut self) -> bool {
        let is_same = |reported: &&Arc<ThreadView>| {
            Arc::ptr_eq(reported, &self.view) || **reported == self.view
        };
        if let Some(reported) = self.reported.as_ref().filter(is_same) {
            self.view = reported.clone();
            return false;
        }
        self.reported = Some(self.view.clone());
        true
    }

    /// Looks for the code of the thread.
    pub(super) fn place(&mut self, placer: &mut Placer<'_>) {
        self.step = PlacingStep::Done;
        let Some(thread) = &self.thread else { return };
        let mut view = thread.placed(placer);
        self.marks.apply(&mut view);
        if view != *self.view {
            self.view = Arc::new(view);
        }
    }

    /// Returns the branch that the thread was started on, where its code is gone or was replaced.
    pub(super) fn branch_of_gone(&self, branches: &Branches) -> Option<String> {
        let place = self.view.placement();
        let is_unrecognised = place.is_some_and(|at| at.state.is_unrecognised());
        self.started_on(branches).filter(|_| is_unrecognised).map(str::to_owned)
    }

    /// Sets who works on the thread, and the branch that it was started on.
    pub(super) fn mark(&mut self, claim: Option<Box<ClaimedBy>>, branches: &Branches) {
        let other = self.branch_of_gone(branches).filter(|name| branches.is_unmerged(name));
        let started_on = branches.started_on(&self.view.row.id).map(Into::into);
        let marks = Marks { claim, started_on, is_of_other_branch: other.is_some() };
        if self.marks != marks {
            self.marks = marks;
            self.marks.apply(Arc::make_mut(&mut self.view));
        }
    }

    fn started_on<'a>(&'a self, branches: &'a Branches) -> Option<&'a str> {
        let in_file = self.view.row.review().and_then(|detail| detail.started_on.as_deref());
        branches.started_on(&self.view.row.id).or(in_file)
    }

    fn is_gone(&self) -> bool {
        self.view.placement().is_some_and(|at| at.state == PlacementState::Gone)
    }

    /// Returns whether lost code is still not in its file, so that searching for it takes long.
    pub(super) fn is_still_gone(&self, placer: &mut Placer<'_>) -> bool {
        self.is_gone()
            && self.thread.as_ref().is_some_and(|thread| placer.left_its_file(&thread.doc))
    }

    /// Returns whether the code of the thread is or was in one of the files that `is_meant` names.
    pub(super) fn is_on(&self, is_meant: &dyn Fn(&str) -> bool) -> bool {
        let path = self.thread.as_ref().and_then(|thread| thread.doc.head().path.as_ref());
        path.is_some_and(|path| is_meant(path.as_str()))
            || self.view.placement().is_some_and(|at| is_meant(&at.path))
    }

    /// Returns whether any file may be the one that the code is in.
    pub(super) fn is_lost(&self) -> bool {
        use PlacementState::{Gone, Moved, NotCheckedOut, Replaced, Unverified};
        let is_lost = |at: &PlacementView| {
            matches!(at.state, Gone | Moved | NotCheckedOut | Replaced | Unverified)
        };
        self.view.placement().is_some_and(is_lost)
    }

    /// Returns the files whose changes can move the thread.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        let own = self.thread.as_ref().and_then(|thread| thread.doc.head().path.as_ref());
        let own = own.map(|path| path.as_str());
        own.into_iter().chain(self.view.placement().map(|at| at.path.as_str()))
    }
}

/// Reads threads, or drafts, that are still to be placed.
pub(super) struct ReviewParser<'a> {
    pub(super) workspace: &'a Workspace,
    pub(super) is_draft: bool,
}

impl FileParser<PlacedThread> for ReviewParser<'_> {
    fn parse(&self, path: &Path, bytes: &[u8]) -> (PlacedThread, bool) {
        let Workspace { reviews, settings, .. } = self.workspace;
        let thread = ThreadRef { reviews: reviews.clone(), path: path.to_owned() };
        let thread = ReviewThread::parse(bytes.to_vec(), &thread, settings);
        let is_usable = thread.doc.head().usable;
        let thread = if self.is_draft { thread.into_draft() } else { thread };
        let view = thread.unplaced();
        (PlacedThread::new(Some(thread), view), is_usable)
    }

    fn unreadable(&self, path: &Path, reason: &str) -> PlacedThread {
        let row = unreadable(Kind::Review, path, &reason);
        let body = ThreadBody::Review(ReviewBody::default());
        PlacedThread::new(None, ThreadView { row, body })
    }
}
