//! The page of a whole file.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Html;
use hyper::StatusCode;
use skein_model::view::DiffFile;

use super::diff_versions::mark;
use super::frame::PageFrame;
use super::paths;
use super::section::{Material, Section, Wanted};
use super::visit::ViewOptions;
use crate::code::Layout;
use crate::error::WebError;
use crate::request::PathParams;
use crate::site::AppState;

#[derive(Template)]
#[template(path = "file_page.html")]
struct FilePage {
    frame: PageFrame,
    section: Section,
    count: usize,
}

/// Shows a file as it is, with its threads.
pub(super) async fn page(
    State(site): State<Arc<AppState>>,
    PathParams(path): PathParams<String>,
    request: Request,
) -> Result<Html<String>, WebError> {
    let (parts, _) = request.into_parts();
    let visit = ViewOptions::from_request(&site, &parts);
    site.run(move |site| {
        let wanted = if visit.live { Wanted::Head } else { Wanted::All(&[]) };
        let found = section(site, &path, &wanted);
        let is_missing = |error: &WebError| error.status == StatusCode::NOT_FOUND;
        let (section, count) = found.map_err(|error| match is_missing(&error) {
            true => paths::suggest(error, site, &path),
            false => error,
        })?;
        let _room = site.budget.reserve(section.size())?;
        super::render(&FilePage { frame: PageFrame::new(site, &visit, "", &path), section, count })
    })
    .await
}

/// Makes the section of a file as it is, and counts its lines.
pub(super) fn section(
    site: &AppState,
    path: &str,
    wanted: &Wanted<'_>,
) -> Result<(Section, usize), WebError> {
    let text = site.desk.file(path)?;
    let board = site.board();
    let file = DiffFile {
        path: path.to_owned(),
        old_path: None,
        status: "whole",
        binary: false,
        added: 0,
        removed: 0,
        hunks: Vec::new(),
    };
    let material = Material {
        file: &file,
        mark: mark(&file),
        text: Some(&text.lines),
        content: &text.content,
        notes: board.on(path),
        viewed: false,
        is_worktree: true,
        layout: Layout::Whole,
        viewer: site.viewer(),
    };
    Ok((Section::kept(&material, wanted, &site.drawn)?, text.lines.len()))
}
