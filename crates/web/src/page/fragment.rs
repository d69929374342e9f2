//! The section of one file, which an open page fetches; empty if the file has been changed back since.

use axum::response::Html;

use super::section::SectionDetail;
use super::{PageRequest, PageResult, file, review};
use crate::app_state::AppState;
use crate::error::WebError;

pub(super) fn section(app: &AppState, (view, params): PageRequest) -> PageResult {
    let path = params.get("name").ok_or_else(|| WebError::missing_field("name"))?;
    let section = if params.get("whole").is_some() {
        let open = review::open_ranges(&params);
        Some(file::section(app, path, &SectionDetail::All(&open))?.0)
    } else {
        review::section(app, &view, &params, path)?
    };
    let Some(section) = section else { return Ok(Html(String::new())) };
    let _memory = app.budget.reserve(section.html_len())?;
    section.html().map(|html| Html(html.into_owned())).map_err(|_| WebError::broken())
}
