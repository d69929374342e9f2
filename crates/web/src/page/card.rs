//! A thread on a page.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;

use askama::Template;
use skein_format::review::suggestions;
use skein_model::LocalClock;
use skein_model::sanitize::one_line;
use skein_model::view::{
    CommentView, PlacementView, ReviewBody, RowDetail, ThreadBody, ThreadRow, ThreadView,
};
use skein_workspace::Actor;

use super::board::IndexedThread;
use super::code_html;
use super::state_tag::StateTag;
use super::whose::Whose;
use crate::encode::encode;
use skein_highlight::Language;

/// Who looks, and what may be done.
#[derive(Clone, Copy)]
pub(crate) struct Viewer<'a> {
    pub(crate) actor: &'a Actor,
    pub(crate) read_only: bool,
    /// What times in texts are written by.
    pub(crate) clock: LocalClock,
}

impl Viewer<'_> {
    /// Returns whether there is a proposal to resolve a thread that the reader can accept.
    pub(crate) fn can_accept(&self, row: &ThreadRow) -> bool {
        let proposed = matches!(&row.detail, RowDetail::Review(detail) if detail.proposed_resolved);
        proposed && !self.read_only && !self.actor.agent
    }
}

/// A thread, whole.
#[derive(Template)]
#[template(path = "thread.html")]
pub(crate) struct ThreadCard {
    pub(crate) id: String,
    pub(crate) status: String,
    /// The colour of the dot before the thread.
    pub(crate) dot: &'static str,
    pub(crate) state: &'static str,
    pub(crate) state_tag: StateTag,
    pub(crate) at: String,
    pub(crate) title: String,
    pub(crate) place: Option<PlacementView>,
    pub(crate) origin: Option<String>,
    pub(crate) was: Option<String>,
    pub(crate) now: Option<String>,
    pub(crate) comments: Vec<CommentHtml>,
    pub(crate) suggests: bool,
    pub(crate) whose: Whose,
    /// Whether the reader can accept a proposal to resolve it.
    pub(crate) can_accept: bool,
    pub(crate) problem: Option<String>,
    pub(crate) read_only: bool,
    /// Whether it is shown in full.
    pub(crate) open: bool,
    pub(crate) version: u64,
}

/// A comment on a page.
pub(crate) struct CommentHtml {
    pub(crate) id: String,
    pub(crate) author: String,
    pub(crate) agent: bool,
    pub(crate) own: bool,
    pub(crate) at: String,
    pub(crate) body: String,
    pub(crate) html: String,
}

impl ThreadCard {
    /// Makes the card of a review thread.
    pub(crate) fn new(note: &IndexedThread, viewer: Viewer<'_>) -> Self {
        let mut card = Self::head(note, viewer);
        if let ThreadBody::Review(body) = &note.body {
            (card.was, card.now) = texts(body);
            let comments = body.comments.iter().zip(note.said());
            card.comments = comments.map(|(one, html)| said(one, html, viewer)).collect();
            let suggests = |one: &CommentView| suggestions(&one.body).iter().any(|one| one.closed);
            card.suggests = body.comments.iter().any(suggests);
        }
        card
    }

    /// Makes a card without what was said.
    pub(crate) fn head(note: &IndexedThread, viewer: Viewer<'_>) -> Self {
        let view: &ThreadView = note;
        let none = ReviewBody::default();
        let body = if let ThreadBody::Review(body) = &view.body { body } else { &none };
        let detail =
            if let RowDetail::Review(detail) = &view.row.detail { Some(detail) } else { None };
        let place = body.placement.clone();
        let state = place.as_ref().map_or("", |place| place.state);
        let target = detail.and_then(|detail| detail.target.as_ref());
        let status = view.row.status.clone().unwrap_or_default().into_owned();
        let origin =
            target.filter(|target| place.as_ref().is_some_and(|at| at.path != target.path));
        Self {
            dot: dot(&view.row, viewer.actor),
            at: detail
                .and_then(|detail| detail.at.clone())
                .unwrap_or_else(|| view.row.title.clone()),
            title: note.title().to_owned(),
            origin: origin.map(|target| target.path.clone()),
            was: None,
            now: None,
            comments: Vec::new(),
            suggests: false,
            can_accept: viewer.can_accept(&view.row),
            whose: Whose::new(&view.row, &viewer.actor.name),
            problem: (!view.row.usable).then(|| problem(view)),
            read_only: viewer.read_only,
            open: status != "resolved",
            version: note.version,
            id: view.row.id.clone(),
            status,
            state,
            state_tag: StateTag::new(&view.row, state),
            place,
        }
    }

    /// Returns the start of the id, which is enough for people.
    pub(crate) fn short(&self) -> &str {
        self.id.get(..8).unwrap_or(&self.id)
    }

    /// Returns whether the thread can stand between lines.
    pub(crate) fn is_placed(&self) -> bool {
        !matches!(self.state, "gone" | "unverified" | "")
    }

    /// Returns the lines that it is on, counted from 0.
    pub(crate) fn lines(&self) -> Option<Range<u32>> {
        let place = self.place.as_ref()?;
        Some(place.start_line?..place.end_line? + 1)
    }

    /// Returns the address of the thread itself.
    pub(crate) fn page(&self) -> String {
        format!("/thread/{}", encode(&self.id))
    }

    /// Returns the address of the place in its file.
    pub(crate) fn href(&self) -> String {
        let Some(place) = &self.place else { return self.page() };
        format!("/file/{}#t-{}", encode(&place.path), self.id)
    }
}

/// Returns the colour of the dot before a thread: whether it is the reader's turn, or settled.
pub(super) fn dot(row: &ThreadRow, reader: &Actor) -> &'static str {
    let is_readers = matches!(&row.detail, RowDetail::Review(it) if it.waits_on(&reader.name));
    match row.status.as_deref() {
        Some("draft") => "draft",
        Some("resolved") => "settled",
        _ if is_readers => "reviewer",
        _ => "agent",
    }
}

fn said(comment: &CommentView, html: &str, viewer: Viewer<'_>) -> CommentHtml {
    CommentHtml {
        id: comment.id.clone(),
        author: one_line(&comment.author),
        agent: comment.agent,
        own: comment.author == viewer.actor.name && !viewer.read_only,
        at: comment.created_at.map(|at| at.to_string()).unwrap_or_default(),
        body: comment.body.clone(),
        html: html.to_owned(),
    }
}

/// Returns the commented text and the text that stands there instead, where the two differ.
fn texts(body: &ReviewBody) -> (Option<String>, Option<String>) {
    let Some(place) = &body.placement else { return (None, None) };
    let language = Language::detect(&place.path, "");
    let was = body.selection.as_deref().filter(|text| !text.is_empty());
    match place.state {
        "edited" => {
            let was = was.map(|text| code_html(text.lines(), language));
            (was, now(body, place).map(|lines| code_html(lines, language)))
        }
        "gone" | "unverified" => {
            let text = was.or(body.patch.as_deref());
            (text.map(|text| code_html(text.lines(), language)), None)
        }
        _ => (None, None),
    }
}

fn now<'a>(body: &'a ReviewBody, place: &PlacementView) -> Option<impl Iterator<Item = &'a str>> {
    let code = body.code.as_ref()?;
    let from = place.start_line?.checked_sub(code.start_line)? as usize;
    let count = (place.end_line? - place.start_line? + 1) as usize;
    Some(code.lines.iter().skip(from).take(count).map(String::as_str))
}

fn problem(view: &ThreadView) -> String {
    let first = view.row.diagnostics.first();
    first.map_or_else(|| "This thread cannot be used.".to_owned(), |one| one.message.clone())
}

/// Returns a number that is another one as soon as the thread looks different.
pub(super) fn version(view: &ThreadView) -> u64 {
    let mut hasher = DefaultHasher::new();
    let row = &view.row;
    (&row.id, &row.status, row.updated_at.map(|at| at.as_millis()), row.usable).hash(&mut hasher);
    row.diagnostics.len().hash(&mut hasher);
    if let RowDetail::Review(detail) = &row.detail {
        (&detail.at, detail.waiting_on, detail.state, detail.resolved_by_agent).hash(&mut hasher);
        (&detail.waiting_on_name, detail.proposed_resolved).hash(&mut hasher);
        detail.other_branch().hash(&mut hasher);
        let claim = detail.claim.as_ref();
        claim.map(|claim| (&claim.by, claim.until.as_millis())).hash(&mut hasher);
    }
    if let ThreadBody::Review(body) = &view.body {
        let place = body.placement.as_ref();
        place.map(|at| (&at.path, at.start_line, at.end_line, at.state)).hash(&mut hasher);
        for one in &body.comments {
            (&one.id, &one.author, one.agent, &one.body).hash(&mut hasher);
        }
        body.code.as_ref().map(|code| (code.start_line, &code.lines)).hash(&mut hasher);
        body.selection.hash(&mut hasher);
    }
    hasher.finish()
}
