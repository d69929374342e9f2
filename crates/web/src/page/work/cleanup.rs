//! What is old enough to go, and why.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Html;
use skein_checkpoints::{KeptCheckpoint, RemovedCheckpoint};
use skein_model::sanitize::one_line;

use crate::encode::encode;
use crate::error::WebError;
use crate::page::frame::PageFrame;
use crate::page::visit::ViewOptions;
use crate::request::QueryParams;
use crate::site::AppState;

/// How many of those that go, and of those that stay, are named.
const MAX_NAMED: usize = 200;

#[derive(Template)]
#[template(path = "work/cleanup.html")]
struct CleanupPage {
    frame: PageFrame,
    archive: String,
    token: String,
    goes: Vec<Line>,
    count: usize,
    stays: Vec<Line>,
    stay_count: usize,
    young: usize,
    trash: String,
    left: usize,
}

struct Line {
    id: String,
    href: String,
    title: String,
    at: String,
    to: String,
    why: String,
}

/// Shows what would go.
pub(super) async fn page(
    State(site): State<Arc<AppState>>,
    request: Request,
) -> Result<Html<String>, WebError> {
    crate::page::show(site, request, build).await
}

fn build(
    site: &AppState,
    visit: &ViewOptions,
    pairs: &QueryParams,
) -> Result<CleanupPage, WebError> {
    pairs.only(&["archive"])?;
    let archive_days = pairs.get("archive").and_then(|days| days.trim().parse().ok());
    let timeline = site.desk.timeline();
    let found = timeline.preview_cleanup(&site.desk.workspace(), &site.env, archive_days);
    Ok(CleanupPage {
        frame: PageFrame::new(site, visit, "work", "Clean up"),
        archive: archive_days.map(|days: u32| days.to_string()).unwrap_or_default(),
        token: format!("{:016x}", found.token),
        goes: found.goes.iter().take(MAX_NAMED).map(goes).collect(),
        count: found.goes.len(),
        stays: found.stays.iter().take(MAX_NAMED).map(stays).collect(),
        stay_count: found.stays.len(),
        young: found.young,
        trash: found.trash,
        left: timeline.open_steps(),
    })
}

fn goes(one: &RemovedCheckpoint) -> Line {
    Line {
        href: format!("/work/{}", encode(&one.id)),
        id: one.id.clone(),
        title: one_line(&one.title),
        at: one.updated_at.map(|at| at.to_string()).unwrap_or_default(),
        to: match one.to.as_str() {
            "trash" => "to the trash".to_owned(),
            month => format!("to archive/{}", one_line(month)),
        },
        why: one_line(&one.why),
    }
}

fn stays(one: &KeptCheckpoint) -> Line {
    Line {
        href: format!("/work/{}", encode(&one.id)),
        id: one.id.clone(),
        title: one.id.clone(),
        at: one.updated_at.map(|at| at.to_string()).unwrap_or_default(),
        to: String::new(),
        why: one_line(&one.why),
    }
}
