//! The page of one thread.

use askama::Template;
use axum::response::{IntoResponse as _, Response};
use skein_highlight::{ColouredSpan, Language};
use skein_live::links::Links;
use skein_model::view::{ThreadRow, ThreadView};

use super::IdPageRequest;
use super::card::ThreadCard;
use super::frame::PageFrame;
use super::id_prefix::other_id;
use super::row_line::RowLine;
use crate::app_state::AppState;
use crate::code::cell;
use crate::encode::encode;
use crate::error::WebError;
use crate::request::PathParams;
use crate::viewer::PageViewer;

/// The maximum number of related threads or checkpoints that are shown.
const MAX_RELATED: usize = 6;
/// The number of digits of a commit id that are shown.
const COMMIT_DIGITS: usize = 9;

#[derive(Template)]
#[template(path = "thread_page.html")]
struct ThreadPage {
    frame: PageFrame,
    card: ThreadCard,
    code: Vec<NumberedLine>,
    related: Related,
}

/// A line of the code around a thread.
struct NumberedLine {
    number: u32,
    marked: bool,
    html: String,
}

/// Other threads and checkpoints about the same file.
#[derive(Default)]
struct Related {
    threads: Vec<RowLine>,
    more_threads: usize,
    /// Checkpoints that touched the file.
    checkpoints: Vec<RowLine>,
    more_checkpoints: usize,
    /// The address of all of them.
    all_checkpoints: String,
    /// The commit at which the thread was written, and the checkpoints that made it.
    commit: String,
    made: Vec<RowLine>,
}

/// Shows one thread, with its code.
pub(super) fn page(
    app: &AppState,
    (PathParams(id), view, _): IdPageRequest,
) -> Result<Response, WebError> {
    let index = app.thread_index();
    let ids = index.threads.iter().map(|thread| thread.row.id.as_str());
    if let Some(redirect) = other_id(&id, ids, "/thread/")? {
        return Ok(redirect.into_response());
    }
    let thread = index.get(&id).ok_or_else(|| WebError::no_thread(&id))?;
    let mut card = ThreadCard::new(thread, app.viewer());
    card.open = true;
    let frame = PageFrame::new(app, &view, "threads", &card.at);
    let related = Related::new(thread, &app.links(), app.viewer());
    let page = ThreadPage { frame, code: code(thread, &card), card, related };
    Ok(super::render(&page)?.into_response())
}

/// Returns the code of a thread, with some lines around it.
fn code(view: &ThreadView, card: &ThreadCard) -> Vec<NumberedLine> {
    let code = view.review_body().and_then(|body| body.code.as_ref());
    let Some(code) = code.filter(|_| card.is_placed()) else { return Vec::new() };
    let language = Language::detect(&code.path, "");
    let colours = language.map(|language| skein_highlight::lines(language, &code.lines));
    let colours = colours.unwrap_or_default();
    let spans = colours.iter().map(Vec::as_slice).chain(std::iter::repeat(&[][..]));
    let lines = (code.start_line..).zip(&code.lines).zip(spans);
    let line = |((number, text), spans): ((u32, &String), &[ColouredSpan])| NumberedLine {
        number: number + 1,
        marked: card.lines().is_some_and(|lines| lines.contains(&number)),
        html: cell(text, spans, &[]),
    };
    lines.map(line).collect()
}

impl Related {
    fn new(view: &ThreadView, links: &Links, viewer: PageViewer<'_>) -> Self {
        let Some(path) = view.path() else { return Self::default() };
        let threads = links.threads_on(path).iter().filter(|one| one.row.id != view.row.id);
        let threads: Vec<_> = threads.map(|view| &view.row).collect();
        let commit = view.review_body().and_then(|body| body.base_commit.as_deref());
        let commit = commit.unwrap_or_default();
        let checkpoints = links.touched(path);
        let first = |rows: &[&ThreadRow]| {
            rows.iter().take(MAX_RELATED).map(|row| RowLine::new(row, viewer)).collect()
        };
        let touched: Vec<_> = checkpoints.iter().map(|entry| &entry.row).collect();
        let made = links.made(commit);
        let made: Vec<_> = made.iter().map(|entry| &entry.row).collect();
        Self {
            threads: first(&threads),
            more_threads: threads.len().saturating_sub(MAX_RELATED),
            checkpoints: first(&touched),
            more_checkpoints: touched.len().saturating_sub(MAX_RELATED),
            all_checkpoints: format!("/work?file={}", encode(path)),
            commit: commit.chars().take(COMMIT_DIGITS).collect(),
            made: first(&made),
        }
    }
}
