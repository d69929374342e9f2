//! The results of writing threads.

use skein_catalog::ThreadRef;
use skein_catalog::placed::Placers;
use skein_catalog::rows::review::{place, row};
use skein_format::review::ReviewDoc;
use skein_model::Kind;
use skein_model::view::{FileDiagnostic, WriteAction, WriteResult};
use skein_workspace::Workspace;

/// A thread that was written, and the result without the current location of its code.
pub(super) struct Written {
    pub(super) thread: ThreadRef,
    pub(super) doc: ReviewDoc,
    pub(super) result: WriteResult,
}

impl Written {
    pub(super) fn new(thread: ThreadRef, doc: ReviewDoc, action: WriteAction) -> Self {
        let result = from_doc(&thread, &doc, action);
        Self { thread, doc, result }
    }

    /// Adds diagnostics to the result.
    pub(super) fn report(&mut self, diagnostics: impl IntoIterator<Item = FileDiagnostic>) {
        self.result.diagnostics.extend(diagnostics);
    }
}

/// Returns the results, each with the current location of its code in its own worktree.
pub(super) fn placed(workspace: &Workspace, written: &[Written]) -> Vec<WriteResult> {
    let mut placers = Placers::new(workspace);
    let results = written.iter().map(|Written { thread, doc, result }| {
        let placement = placers.get(&thread.reviews).place(doc);
        let at = placement.map_or_else(|| result.at.clone(), |placement| placement.at());
        let row = row(doc.to_bytes(), &thread.path, (&thread.reviews, &workspace.settings));
        let waiting_on = row.review().and_then(|detail| detail.waiting_on);
        WriteResult { at, waiting_on, ..result.clone() }
    });
    let results = results.collect();
    placers.finish();
    results
}

/// Returns the result for one thread, with the current location of its code.
pub(super) fn placed_one(workspace: &Workspace, written: Written) -> WriteResult {
    let unplaced = written.result.clone();
    placed(workspace, &[written]).pop().unwrap_or(unplaced)
}

pub(super) fn from_doc(thread: &ThreadRef, doc: &ReviewDoc, action: WriteAction) -> WriteResult {
    let head = doc.head();
    let target = head.path.as_ref().map(ToString::to_string).unwrap_or_default();
    WriteResult {
        kind: Kind::Review,
        id: thread.id(),
        file: thread.path.clone(),
        at: place(&target, head.range),
        action,
        status: head.status.as_str(),
        waiting_on: None,
        comment: None,
        code: Vec::new(),
        diagnostics: Vec::new(),
    }
}
