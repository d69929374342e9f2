//! The page on which a checkpoint or a handoff is written.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Html;

use crate::error::WebError;
use crate::page::frame::PageFrame;
use crate::site::AppState;

#[derive(Template)]
#[template(path = "work/new.html")]
struct NewPage {
    frame: PageFrame,
    is_handoff: bool,
    left: usize,
}

/// Shows the form.
pub(super) async fn page(
    State(site): State<Arc<AppState>>,
    request: Request,
) -> Result<Html<String>, WebError> {
    crate::page::show(site, request, |site, visit, pairs| {
        pairs.only(&["kind"])?;
        let is_handoff = pairs.get("kind") != Some("checkpoint");
        let title = if is_handoff { "Hand over" } else { "New checkpoint" };
        let left = site.desk.timeline().open_steps();
        Ok(NewPage { frame: PageFrame::new(site, visit, "work", title), is_handoff, left })
    })
    .await
}
