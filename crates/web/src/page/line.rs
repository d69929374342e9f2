//! A thread as a line of a list.

use askama::Template;

use super::at::at_html;
use super::board::IndexedThread;
use super::card::{ThreadCard, Viewer};
use super::state_tag::StateTag;
use super::whose::Whose;
use skein_model::sanitize::one_line;
use skein_model::view::RowDetail;

/// A thread in a list.
#[derive(Template)]
#[template(path = "line.html")]
pub(crate) struct Line {
    id: String,
    href: String,
    /// Where it is, as HTML.
    at: String,
    title: String,
    /// What the thread is about, where the title says something else.
    about: String,
    status: String,
    dot: &'static str,
    whose: Whose,
    can_accept: bool,
    state_tag: StateTag,
    count: usize,
    who: String,
    updated: String,
    version: u64,
}

impl Line {
    /// Makes the line of a thread.
    pub(crate) fn new(note: &IndexedThread, viewer: Viewer<'_>) -> Self {
        let card = ThreadCard::head(note, viewer);
        let detail =
            if let RowDetail::Review(detail) = &note.row.detail { Some(detail) } else { None };
        // Who proposes to resolve it is named beside that.
        let author = detail.filter(|_| card.whose.proposer.is_none());
        let author = author.and_then(|detail| detail.last_author.clone());
        Self {
            href: format!("/thread/{}", crate::encode::encode(&card.id)),
            count: detail.map_or(0, |detail| detail.comment_count),
            who: author.map(|author| one_line(&author)).unwrap_or_default(),
            updated: note.row.updated_at.map(|at| at.to_string()).unwrap_or_default(),
            id: card.id,
            at: at_html(&card.at),
            title: note.gist().to_owned(),
            about: card.title,
            dot: card.dot,
            whose: card.whose,
            can_accept: card.can_accept,
            status: card.status,
            state_tag: card.state_tag,
            version: card.version,
        }
    }
}
