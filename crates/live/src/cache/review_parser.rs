//! Reads the files of review threads.

use std::path::Path;

use skein_catalog::ThreadRef;
use skein_catalog::review_thread::ReviewThread;
use skein_catalog::rows::unreadable;
use skein_model::Kind;
use skein_model::view::{ReviewBody, ThreadBody, ThreadView};
use skein_store::ScanOptions;
use skein_workspace::Workspace;

use super::placed_thread::PlacedThread;
use crate::tracked_dir::FileParser;

/// Which files are review threads; most fit into the first read.
pub(crate) const REVIEW_FILES: ScanOptions<'static> = ScanOptions {
    suffix: ".md",
    keep: |name| !name.starts_with('.'),
    first: 64 * 1024,
    threads: None,
};

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
        (PlacedThread::new(thread), is_usable)
    }

    fn unreadable(&self, path: &Path, reason: &str) -> PlacedThread {
        let row = unreadable(Kind::Review, path, &reason);
        let body = ThreadBody::Review(ReviewBody::default());
        PlacedThread::unreadable(ThreadView { row, body })
    }
}
