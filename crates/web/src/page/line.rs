//! A thread as a line of a list.

use askama::Template;

use super::at::at_html;
use super::board::Note;
use super::card::{Card, Viewer, dot};
use skein_engine::view::Detail;

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
    turn_text: &'static str,
    state: &'static str,
    state_text: &'static str,
    count: usize,
    who: String,
    updated: String,
    version: u64,
}

impl Line {
    /// Makes the line of a thread.
    pub(crate) fn new(note: &Note, viewer: Viewer<'_>) -> Self {
        let card = Card::head(note, viewer);
        let detail =
            if let Detail::Review(detail) = &note.row.detail { Some(detail) } else { None };
        Self {
            href: format!("/thread/{}", crate::encode::encode(&card.id)),
            turn_text: card.turn_text(),
            state_text: card.state_text(),
            count: detail.map_or(0, |detail| detail.comment_count),
            who: detail.and_then(|detail| detail.last_author.clone()).unwrap_or_default(),
            updated: note.row.updated_at.map(|at| at.to_string()).unwrap_or_default(),
            id: card.id,
            at: at_html(&card.at),
            title: note.gist().to_owned(),
            about: card.title,
            dot: dot(&card.status, card.turn),
            status: card.status,
            state: card.state,
            version: card.version,
        }
    }
}
