//! One thread in memory.

use std::sync::Arc;

use skein_catalog::placement::Placer;
use skein_catalog::review_thread::ReviewThread;
use skein_model::view::{ClaimedBy, PlacementState, PlacementView, RowDetail, ThreadView};

use super::branches::Branches;

/// A thread that was read, and what is shown of it.
pub(super) struct PlacedThread {
    /// None where the file cannot be read.
    thread: Option<ReviewThread>,
    pub(super) view: Arc<ThreadView>,
    marks: Marks,
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
    /// Takes a thread that is still to be placed.
    pub(super) fn new(thread: ReviewThread) -> Self {
        let view = Arc::new(thread.unplaced());
        Self { thread: Some(thread), view, marks: Marks::default() }
    }

    /// Takes what is shown of a file that cannot be read.
    pub(super) fn unreadable(view: ThreadView) -> Self {
        Self { thread: None, view: Arc::new(view), marks: Marks::default() }
    }

    /// Looks for the code of the thread.
    pub(super) fn place(&mut self, placer: &mut Placer<'_>) {
        let Some(thread) = &self.thread else { return };
        let mut view = thread.placed(placer);
        self.marks.apply(&mut view);
        if view != *self.view {
            self.view = Arc::new(view);
        }
    }

    /// Sets who works on the thread; returns whether that is someone else than before, or for another time.
    pub(super) fn set_claim(&mut self, claim: Option<Box<ClaimedBy>>) -> bool {
        self.set_marks(Marks { claim, ..self.marks.clone() })
    }

    /// Returns the branch that the thread was started on, where its code is gone.
    pub(super) fn branch_of_gone(&self, branches: &Branches) -> Option<String> {
        let is_gone = self.view.placement().is_some_and(|at| at.state == PlacementState::Gone);
        self.started_on(branches).filter(|_| is_gone).map(str::to_owned)
    }

    /// Sets the branch that the thread was started on; returns whether something else is shown than before.
    pub(super) fn set_branch(&mut self, branches: &Branches) -> bool {
        let other = self.branch_of_gone(branches).filter(|name| branches.is_unmerged(name));
        let started_on = branches.started_on(&self.view.row.id).map(Into::into);
        let is_of_other_branch = other.is_some();
        self.set_marks(Marks { started_on, is_of_other_branch, ..self.marks.clone() })
    }

    fn started_on<'a>(&'a self, branches: &'a Branches) -> Option<&'a str> {
        let in_file = self.view.row.review().and_then(|detail| detail.started_on.as_deref());
        branches.started_on(&self.view.row.id).or(in_file)
    }

    fn set_marks(&mut self, marks: Marks) -> bool {
        if self.marks == marks {
            return false;
        }
        self.marks = marks;
        self.marks.apply(Arc::make_mut(&mut self.view));
        true
    }

    /// Returns whether lost code is still not in its file, so that searching for it takes long.
    pub(super) fn is_still_gone(&self, placer: &mut Placer<'_>) -> bool {
        let is_gone = self.view.placement().is_some_and(|at| at.state == PlacementState::Gone);
        is_gone && self.thread.as_ref().is_some_and(|thread| placer.left_its_file(&thread.doc))
    }

    /// Returns whether the code of the thread is or was in one of the files that `is_meant` names.
    pub(super) fn is_on(&self, is_meant: &dyn Fn(&str) -> bool) -> bool {
        let path = self.thread.as_ref().and_then(|thread| thread.doc.head().path.as_ref());
        path.is_some_and(|path| is_meant(path.as_str()))
            || self.view.placement().is_some_and(|at| is_meant(&at.path))
    }

    /// Returns whether any file may be the one that the code is in.
    pub(super) fn is_lost(&self) -> bool {
        use PlacementState::{Gone, Moved, NotCheckedOut, Unverified};
        let is_lost =
            |at: &PlacementView| matches!(at.state, Gone | Moved | Unverified | NotCheckedOut);
        self.view.placement().is_some_and(is_lost)
    }

    /// Returns the files that a change of would move the thread.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        let own = self.thread.as_ref().and_then(|thread| thread.doc.head().path.as_ref());
        let own = own.map(|path| path.as_str());
        own.into_iter().chain(self.view.placement().map(|at| at.path.as_str()))
    }
}
