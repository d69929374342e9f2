//! A review thread with all that its file says.

use std::path::Path;

use skein_format::review::ReviewDoc;
use skein_model::normalize_path::stem;
use skein_model::view::{CommentView, ReviewBody, RowDetail, ThreadBody, ThreadRow, ThreadView};
use skein_workspace::ReviewStore;
use skein_workspace::agent_names::is_agent;
use skein_workspace::settings::Settings;

use crate::placement::Placer;
use crate::rows::review;

/// A thread that was read; where its code is now is another question.
#[derive(Debug)]
pub struct ReviewThread {
    pub doc: ReviewDoc,
    row: ThreadRow,
    body: ReviewBody,
}

impl ReviewThread {
    /// Reads a thread from the bytes of its file.
    pub fn parse(bytes: Vec<u8>, path: &Path, reviews: &ReviewStore, settings: &Settings) -> Self {
        let stem = stem(path);
        let (doc, found) = ReviewDoc::parse(bytes, &stem, &reviews.store_path);
        let file = path.display().to_string();
        let row = review::row_with(doc.to_bytes(), found, &stem, file, (reviews, settings));
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

    /// Makes it one that is not published: nobody else sees it, so that it waits on nobody.
    pub fn into_draft(mut self) -> Self {
        self.row.mark_draft();
        self
    }

    /// Shows the thread at the place that its file names.
    pub fn unplaced(&self) -> ThreadView {
        ThreadView { row: self.row.clone(), body: ThreadBody::Review(self.body.clone()) }
    }

    /// Does the same with a thread that is not needed any more.
    pub fn into_unplaced(self) -> ThreadView {
        ThreadView { row: self.row, body: ThreadBody::Review(self.body) }
    }

    /// Shows the thread at the place where its code is now.
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
