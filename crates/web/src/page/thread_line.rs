//! A review thread as a line of a list.

use askama::Template;

use super::row_line::RowLine;
use super::state_tag::StateTag;
use crate::thread_index::IndexedThread;
use crate::viewer::PageViewer;

#[derive(Template)]
#[template(path = "line.html")]
pub(crate) struct ThreadLine {
    id: String,
    line: RowLine,
    /// The title of the thread, if a reply is shown instead.
    about: String,
    state_tag: StateTag,
    count: usize,
    version: u64,
}

impl ThreadLine {
    pub(crate) fn new(thread: &IndexedThread, viewer: PageViewer<'_>) -> Self {
        Self {
            id: thread.row.id.clone(),
            line: RowLine::new(&thread.row, viewer).with_title(thread.list_title()),
            about: thread.title().to_owned(),
            state_tag: StateTag::new(&thread.row, thread.placement()),
            count: thread.row.review().map_or(0, |detail| detail.comment_count),
            version: thread.version,
        }
    }
}
