//! All threads of a worktree at the places where their code is now.

use std::path::Path;
use std::sync::Arc;

use skein_format::time::Time;
use skein_model::view::{FileDiagnostic, ThreadView};

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

/// What threads are ordered by; those without a place come last.
pub(super) fn order(view: &ThreadView) -> (bool, &str, Option<u32>, Option<Time>, &Path) {
    let placement = view.placement();
    let target = view.row.review().and_then(|detail| detail.target.as_ref());
    let path = view.path().or(target.map(|target| target.path.as_str()));
    let line = placement.and_then(|at| at.start_line);
    (path.is_none(), path.unwrap_or_default(), line, view.row.created_at, &view.row.file)
}
