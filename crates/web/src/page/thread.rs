//! The page of one thread.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use skein_model::view::{ThreadBody, ThreadView};

use super::card::ThreadCard;
use super::frame::PageFrame;
use super::related::RelatedItems;
use super::visit::ViewOptions;
use super::whole_id::{Whole, whole_id};
use crate::code::cell;
use crate::encode::encode;
use crate::error::WebError;
use crate::request::PathParams;
use crate::site::AppState;
use skein_highlight::{ColouredSpan, Language};

#[derive(Template)]
#[template(path = "thread_page.html")]
struct ThreadPage {
    frame: PageFrame,
    card: ThreadCard,
    code: Vec<Line>,
    related: RelatedItems,
}

/// A line of the code around a thread.
struct Line {
    number: u32,
    marked: bool,
    html: String,
}

/// Shows one thread, with the code that it is about.
pub(super) async fn page(
    State(site): State<Arc<AppState>>,
    PathParams(id): PathParams<String>,
    request: Request,
) -> Result<Response, WebError> {
    let (parts, _) = request.into_parts();
    let visit = ViewOptions::from_request(&site, &parts);
    site.run(move |site| {
        let board = site.board();
        let ids = board.notes.iter().map(|note| note.row.id.as_str());
        match whole_id(&id, ids) {
            Whole::Other(other) => return Ok(super::to(&format!("/thread/{}", encode(other)))),
            Whole::Ambiguous => return Err(WebError::ambiguous(&id)),
            Whole::Same | Whole::None => {}
        }
        let note = board.get(&id).ok_or_else(|| WebError::no_thread(&id))?;
        let mut card = ThreadCard::new(note, site.viewer());
        card.open = true;
        let frame = PageFrame::new(site, &visit, "threads", &card.at);
        let related = RelatedItems::from_view(note, &site.links(), &site.actor);
        let page = ThreadPage { frame, code: code(note, &card), card, related };
        Ok(super::render(&page)?.into_response())
    })
    .await
}

/// Returns the code that a thread is about, with some lines around it.
fn code(view: &ThreadView, card: &ThreadCard) -> Vec<Line> {
    let ThreadBody::Review(body) = &view.body else { return Vec::new() };
    let Some(code) = body.code.as_ref().filter(|_| card.is_placed()) else { return Vec::new() };
    let language = Language::detect(&code.path, "");
    let colours = language.map(|language| skein_highlight::lines(language, &code.lines));
    let colours = colours.unwrap_or_default();
    let spans = colours.iter().map(Vec::as_slice).chain(std::iter::repeat(&[][..]));
    let lines = (code.start_line..).zip(&code.lines).zip(spans);
    let line = |((number, text), spans): ((u32, &String), &[ColouredSpan])| Line {
        number: number + 1,
        marked: card.lines().is_some_and(|lines| lines.contains(&number)),
        html: cell(text, spans, &[]),
    };
    lines.map(line).collect()
}
