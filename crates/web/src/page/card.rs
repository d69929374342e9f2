//! A thread on a page.

use std::ops::Range;

use askama::Template;
use skein_format::review::suggestions;
use skein_highlight::Language;
use skein_model::sanitize::one_line;
use skein_model::view::{CommentView, PlacementState, PlacementView, ReviewBody, ThreadRow};

use super::state_tag::StateTag;
use super::turn_label::TurnLabel;
use super::{code_html, time};
use crate::encode::encode;
use crate::escape::shown_name;
use crate::thread_index::IndexedThread;
use crate::viewer::PageViewer;

/// A thread with its comments.
#[derive(Template)]
#[template(path = "thread.html")]
pub(crate) struct ThreadCard {
    pub(crate) id: String,
    pub(crate) status: String,
    pub(crate) dot: &'static str,
    pub(crate) state: Option<PlacementState>,
    pub(crate) state_tag: StateTag,
    pub(crate) at: String,
    pub(crate) title: String,
    pub(crate) place: Option<PlacementView>,
    pub(crate) origin: Option<String>,
    pub(crate) was: Option<String>,
    pub(crate) now: Option<String>,
    pub(crate) comments: Vec<CommentHtml>,
    pub(crate) suggests: bool,
    pub(crate) turn: TurnLabel,
    pub(crate) can_accept: bool,
    pub(crate) problem: Option<String>,
    pub(crate) read_only: bool,
    /// Whether it is unfolded.
    pub(crate) open: bool,
    pub(crate) version: u64,
}

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
    pub(crate) fn new(thread: &IndexedThread, viewer: PageViewer<'_>) -> Self {
        let row = &thread.row;
        let none = ReviewBody::default();
        let body = thread.review_body().unwrap_or(&none);
        let detail = row.review();
        let place = body.placement.clone();
        let state = place.as_ref().map(|place| place.state);
        let target = detail.and_then(|detail| detail.target.as_ref());
        let origin =
            target.filter(|target| place.as_ref().is_some_and(|at| at.path != target.path));
        let status = row.status.clone().unwrap_or_default().into_owned();
        let at = detail.and_then(|detail| detail.at.clone());
        let (was, now) = texts(body);
        let comments = body.comments.iter().zip(thread.comments_html());
        let suggests = |one: &CommentView| suggestions(&one.body).iter().any(|one| one.closed);
        Self {
            dot: viewer.dot(row),
            at: shown_name(&at.unwrap_or_else(|| row.title.clone())),
            title: thread.title().to_owned(),
            origin: origin.map(|target| shown_name(&target.path)),
            was,
            now,
            comments: comments.map(|(one, html)| CommentHtml::new(one, html, viewer)).collect(),
            suggests: body.comments.iter().any(suggests),
            can_accept: viewer.can_accept(row),
            turn: TurnLabel::new(row, &viewer.actor.name),
            problem: (!row.usable).then(|| problem(row)),
            read_only: viewer.read_only,
            open: status != "resolved",
            version: thread.version,
            id: row.id.clone(),
            status,
            state,
            state_tag: StateTag::new(row, place.as_ref()),
            place,
        }
    }

    /// Returns the start of the id.
    pub(crate) fn short(&self) -> &str {
        self.id.get(..8).unwrap_or(&self.id)
    }

    /// Returns whether the thread can be shown between the lines of its file.
    pub(crate) fn is_placed(&self) -> bool {
        self.state.is_some() && !self.is_lost()
    }

    /// Returns whether the location of the code is unknown.
    pub(crate) fn is_lost(&self) -> bool {
        matches!(self.state, Some(PlacementState::Gone | PlacementState::Unverified))
    }

    /// Returns the lines of the thread, counted from 0.
    pub(crate) fn lines(&self) -> Option<Range<u32>> {
        let place = self.place.as_ref()?;
        Some(place.start_line?..place.end_line? + 1)
    }

    /// Returns the address of the page of the thread.
    pub(crate) fn page(&self) -> String {
        format!("/thread/{}", encode(&self.id))
    }

    /// Returns the address of the thread in its file.
    pub(crate) fn href(&self) -> String {
        let Some(place) = &self.place else { return self.page() };
        format!("/file/{}#t-{}", encode(&place.path), self.id)
    }
}

impl CommentHtml {
    fn new(comment: &CommentView, html: &str, viewer: PageViewer<'_>) -> Self {
        Self {
            id: comment.id.clone(),
            author: one_line(&comment.author),
            agent: comment.agent,
            own: comment.author == viewer.actor.name && !viewer.read_only,
            at: time(comment.created_at),
            body: comment.body.clone(),
            html: html.to_owned(),
        }
    }
}

/// Returns the commented text and the current one, if they differ.
fn texts(body: &ReviewBody) -> (Option<String>, Option<String>) {
    let Some(place) = &body.placement else { return (None, None) };
    let language = Language::detect(&place.path, "");
    let was = body.selection.as_deref().filter(|text| !text.is_empty());
    match place.state {
        PlacementState::Edited | PlacementState::Replaced => {
            let was = was.map(|text| code_html(text.lines(), language));
            (was, code_of(body, place).map(|lines| code_html(lines, language)))
        }
        PlacementState::Gone | PlacementState::Unverified => {
            let text = was.or(body.patch.as_deref());
            (text.map(|text| code_html(text.lines(), language)), None)
        }
        _ => (None, None),
    }
}

/// Returns the commented lines as they are in the worktree.
pub(super) fn code_of<'a>(
    body: &'a ReviewBody,
    place: &PlacementView,
) -> Option<impl Iterator<Item = &'a str>> {
    let code = body.code.as_ref()?;
    let from = place.start_line?.checked_sub(code.start_line)? as usize;
    let count = (place.end_line? - place.start_line? + 1) as usize;
    Some(code.lines.iter().skip(from).take(count).map(String::as_str))
}

fn problem(row: &ThreadRow) -> String {
    let first = row.diagnostics.first();
    first.map_or_else(|| "This thread cannot be used.".to_owned(), |one| one_line(&one.message))
}
