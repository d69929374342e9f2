//! The page of a file.

use askama::Template;
use hyper::StatusCode;
use skein_model::view::{DiffFile, DiffStatus};

use super::frame::PageFrame;
use super::section::{FileSource, Section, SectionDetail};
use super::{IdPageRequest, PageResult, paths};
use crate::app_state::AppState;
use crate::code::CodeLayout;
use crate::error::WebError;
use crate::escape::shown_name;
use crate::request::PathParams;

#[derive(Template)]
#[template(path = "file_page.html")]
struct FilePage {
    frame: PageFrame,
    section: Section,
    count: usize,
}

/// Shows a whole file with its threads.
pub(super) fn page(app: &AppState, (PathParams(path), view, _): IdPageRequest) -> PageResult {
    let detail = if view.live { SectionDetail::Head } else { SectionDetail::All(&[]) };
    let found = section(app, &path, &detail);
    let is_missing = |error: &WebError| error.status == StatusCode::NOT_FOUND;
    let (section, count) = found.map_err(|error| match is_missing(&error) {
        true => paths::suggest(error, app, &path),
        false => error,
    })?;
    let _memory = app.budget.reserve(section.html_len())?;
    super::render(&FilePage {
        frame: PageFrame::new(app, &view, "", &shown_name(&path)),
        section,
        count,
    })
}

/// Returns the section of a whole file, and its number of lines.
pub(super) fn section(
    app: &AppState,
    path: &str,
    detail: &SectionDetail<'_>,
) -> Result<(Section, usize), WebError> {
    let text = app.live.file(path)?;
    let index = app.thread_index();
    let file = DiffFile {
        path: path.to_owned(),
        old_path: None,
        status: DiffStatus::Modified,
        old_mode: None,
        new_mode: None,
        binary: false,
        diff_disabled: false,
        added: 0,
        removed: 0,
        hunks: Vec::new(),
    };
    let source = FileSource {
        file: &file,
        text: Some(&text.lines),
        content: &text.content,
        byte_len: None,
        threads: index.on(path),
        viewed: false,
        is_worktree: true,
        layout: CodeLayout::Whole,
        viewer: app.viewer(),
    };
    Ok((Section::cached(&source, detail, &app.html_cache)?, text.lines.len()))
}
