//! Errors about the id of a session, with suggestions.

use std::collections::HashSet;
use std::path::Path;

use skein_catalog::advice::one_of;
use skein_model::advice::did_you_mean;
use skein_model::similar_ids;
use skein_model::view::{RowDetail, SessionRow, ThreadRow};
use skein_sessions::{SessionError, SessionFilter, session_list};

use super::{CliContext, MapArgs};
use crate::error::CliError;
use crate::render::age;

/// Adds the sessions of the map to an error about an id.
pub(super) fn with_hint(context: &CliContext<'_>, map: &MapArgs, error: SessionError) -> CliError {
    match error {
        SessionError::NoMap { path } if map.file.is_some() => no_file(&path),
        SessionError::NoSession { id } => {
            invalid_entry(context, map, &id).unwrap_or_else(|| unknown(context, map, &id))
        }
        SessionError::Ended { session_id } => CliError::new(
            format!("the session has ended and cannot be changed: {session_id}"),
            format!(
                "`ended` is final; `skein session show {session_id}{}` shows since when",
                map.options()
            ),
        ),
        SessionError::Ambiguous { id, candidates } => {
            let meant: HashSet<String> = candidates.into_iter().collect();
            // Most recently active first.
            let rows = all(context, map).into_iter().filter(|row| meant.contains(&row.id));
            let rows: Vec<(String, String)> =
                rows.map(|row| (row.id.clone(), about(context, &row))).collect();
            let lines = rows.iter().map(|(id, about)| (id.clone(), about));
            CliError::new(format!("ambiguous session id: {id}"), one_of(lines, rows.len()))
        }
        error => error.into(),
    }
}

/// Returns the error for a given file that does not exist.
pub(super) fn no_file(path: &Path) -> CliError {
    let dir = path.parent().unwrap_or(path).display();
    CliError::new(
        format!("there is no such file: {}", path.display()),
        format!("check the path: `ls {dir}`"),
    )
}

/// Returns the error for an id of an invalid entry.
pub(super) fn invalid_entry(context: &CliContext<'_>, map: &MapArgs, id: &str) -> Option<CliError> {
    let is_named = |row: &ThreadRow| {
        let begins = !id.is_empty() && row.id.starts_with(id);
        begins || detail(row).is_some_and(|it| it.short_id == id || it.thread_root_post_id == id)
    };
    let row = all(context, map).into_iter().find(|row| is_named(row))?;
    Some(CliError::new(
        format!("the entry of this session is invalid and was skipped: {}", row.id),
        format!("use `--lenient` to include it anyway; {} shows the problem", map.doctor()),
    ))
}

fn unknown(context: &CliContext<'_>, map: &MapArgs, id: &str) -> CliError {
    let rows = all(context, map);
    let ids = rows.iter().map(|row| (row.id.as_str(), detail(row).map(|it| it.short_id.as_str())));
    let mut near = similar_ids(id, ids);
    if near.is_empty() && !id.is_empty() {
        let is_thread = |row: &&ThreadRow| {
            detail(row).is_some_and(|detail| detail.thread_root_post_id.starts_with(id))
        };
        near = rows.iter().filter(is_thread).take(5).map(|row| row.id.clone()).collect();
    }
    let list = MapArgs { lenient: true, file: map.file.clone() }.options();
    let hint = match near.is_empty() {
        true => format!("`skein session list{list}` shows every session"),
        false => did_you_mean(near),
    };
    CliError::new(format!("no such session: {id}"), hint)
}

/// Lists every session, those with an invalid entry included.
fn all(context: &CliContext<'_>, map: &MapArgs) -> Vec<ThreadRow> {
    let filter = SessionFilter { lenient: true, ..map.filter(context) };
    let listing = session_list(&context.workspace, &filter);
    listing.map_or_else(
        |_| Vec::new(),
        |listing| listing.threads.into_iter().map(|row| *row).collect(),
    )
}

pub(super) fn detail(row: &ThreadRow) -> Option<&SessionRow> {
    match &row.detail {
        RowDetail::Session(detail) => Some(detail),
        _ => None,
    }
}

fn about(context: &CliContext<'_>, row: &ThreadRow) -> String {
    let Some(detail) = detail(row) else { return String::new() };
    let now = context.output.now;
    let status = row.status.as_deref().unwrap_or_default();
    let when = age::short(row.effective_time(now), now);
    let title = detail.session_title.as_ref().map_or(String::new(), |title| format!(", {title}"));
    format!("{status}, {}, {when}{title}", detail.project_name)
}
