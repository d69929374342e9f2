//! The page of a cleanup: which checkpoints are old, and why.

use askama::Template;
use skein_checkpoints::Cleanup;
use skein_model::sanitize::one_line;

use crate::app_state::AppState;
use crate::encode::encode;
use crate::page::frame::PageFrame;
use crate::page::{PageRequest, PageResult, render, time};

/// The maximum number of checkpoints that each list shows.
const MAX_SHOWN: usize = 200;

#[derive(Template)]
#[template(path = "work/cleanup.html")]
struct CleanupPage {
    frame: PageFrame,
    archive: String,
    token: String,
    cleanup: Cleanup,
    left: usize,
}

pub(crate) fn page(app: &AppState, (view, params): PageRequest) -> PageResult {
    params.only(&["archive"])?;
    let archive_days = params.get("archive").and_then(|days| days.trim().parse().ok());
    let timeline = app.live.timeline();
    let cleanup = timeline.preview_cleanup(&app.live.workspace(), archive_days);
    render(&CleanupPage {
        frame: PageFrame::new(app, &view, "work", "Clean up"),
        archive: archive_days.map(|days: u32| days.to_string()).unwrap_or_default(),
        token: format!("{:016x}", cleanup.token),
        left: timeline.open_steps(),
        cleanup,
    })
}

/// Returns the name of the destination of a checkpoint.
fn destination(to: &str) -> String {
    match to {
        "trash" => "to the trash".to_owned(),
        month => format!("to archive/{}", one_line(month)),
    }
}
