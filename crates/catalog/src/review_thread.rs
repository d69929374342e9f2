//! A review thread with the full content of its file.

use skein_format::review::ReviewDoc;
use skein_model::view::{CommentView, ReviewBody, RowDetail, ThreadBody, ThreadRow, ThreadView};
use skein_workspace::agent_names::is_agent;
use skein_workspace::settings::Settings;

use crate::location::ThreadRef;
use crate::placement::Placer;
use crate::rows::review;

/// A thread that was read but not placed.
#[derive(Debug)]
pub struct ReviewThread {
    pub doc: ReviewDoc,
    row: ThreadRow,
    body: ReviewBody,
}

impl ReviewThread {
    /// Parses a thread from the bytes of its file.
    pub fn parse(bytes: Vec<u8>, thread: &ThreadRef, settings: &Settings) -> Self {
        let (doc, found) = thread.parse(bytes);
        let of = (&thread.reviews, settings);
        let row = review::row_with(doc.to_bytes(), found, &thread.path, of);
        let comments = doc.comments().into_iter().map(|comment| CommentView {
            agent: is_agent(&comment.author, settings),
            id: comment.id,
            author: comment.author,
            created_at: comment.created_at,
            body: comment.body,
        });
        let body = ReviewBody {
            comments: comments.collect(),
            patch: doc.patch(),
            selection: doc.context().map(|context| context.selection),
            base_commit: doc.head().git.base_ref.clone(),
            ..ReviewBody::default()
        };
        Self { doc, row, body }
    }

    /// Marks the thread as a draft, which waits for no answer.
    pub fn into_draft(mut self) -> Self {
        self.row.mark_draft();
        self
    }

    /// Returns the thread at the location in its file.
    pub fn unplaced(&self) -> ThreadView {
        ThreadView { row: self.row.clone(), body: ThreadBody::Review(self.body.clone()) }
    }

    /// Returns the thread at the location in its file, without cloning.
    pub fn into_unplaced(self) -> ThreadView {
        ThreadView { row: self.row, body: ThreadBody::Review(self.body) }
    }

    /// Returns the thread at the current location of its code.
    pub fn placed(&self, placer: &mut Placer<'_>) -> ThreadView {
        let (mut row, mut body) = (self.row.clone(), self.body.clone());
        body.placement = placer.place(&self.doc);
        if let (Some(placement), RowDetail::Review(detail)) = (&body.placement, &mut row.detail) {
            detail.at = Some(placement.at());
            detail.state = Some(placement.state);
        }
        body.code = body.placement.as_ref().and_then(|placement| placer.code(placement));
        ThreadView { row, body: ThreadBody::Review(body) }
    }
}
