//! The form for a checkpoint or a handoff.

use askama::Template;

use crate::app_state::AppState;
use crate::page::frame::PageFrame;
use crate::page::{PageRequest, PageResult, render};

#[derive(Template)]
#[template(path = "work/new.html")]
struct NewPage {
    frame: PageFrame,
    is_handoff: bool,
    left: usize,
}

pub(crate) fn page(app: &AppState, (view, params): PageRequest) -> PageResult {
    params.only(&["kind"])?;
    let is_handoff = params.get("kind") != Some("checkpoint");
    let title = if is_handoff { "Hand over" } else { "New checkpoint" };
    let left = app.live.timeline().open_steps();
    render(&NewPage { frame: PageFrame::new(app, &view, "work", title), is_handoff, left })
}
