//! Says which sessions could have been meant.

use std::collections::HashSet;

use skein_model::similar_ids;
use skein_model::view::{RowDetail, ThreadRow};
use skein_sessions::{SessionError, SessionFilter, session_list};

use super::MapArgs;
use crate::commands::Context;
use crate::error::{CliError, SessionCliError};
use crate::render::age;

/// Adds to an error about an id what the map has instead, and says of a file that was named that it is not there; other errors stay as they are.
pub(super) fn explain(context: &Context<'_>, map: &MapArgs, error: SessionError) -> CliError {
    let all = || {
        let filter = SessionFilter { file: map.file(context), lenient: true, ..Default::default() };
        let listing = session_list(&context.workspace, &context.env, &filter);
        listing.map_or_else(|_| Vec::new(), |listing| listing.threads)
    };
    match error {
        SessionError::NoMap { path } if map.file.is_some() => {
            SessionCliError::NoFile { path }.into()
        }
        SessionError::NoSession { id } => {
            let rows = all();
            if let Some(row) = rows.iter().find(|row| is_named(row, &id)) {
                return SessionCliError::LeftOut { id: row.id.clone(), why: map.doctor() }.into();
            }
            let ids = rows.iter().map(|row| (row.id.as_str(), short_id(row)));
            let mut near = similar_ids(&id, ids);
            if near.is_empty() && !id.is_empty() {
                let named = rows.iter().filter(|row| thread(row).starts_with(&id));
                near = named.take(5).map(|row| row.id.clone()).collect();
            }
            let list = MapArgs { lenient: true, file: map.file.clone() }.options();
            SessionCliError::Unknown { id, near, list }.into()
        }
        SessionError::Ended { session_id } => {
            let show = format!("{session_id}{}", map.options());
            SessionCliError::Ended { session_id, show }.into()
        }
        SessionError::Ambiguous { id, candidates } => {
            let meant: HashSet<String> = candidates.into_iter().collect();
            let rows = all();
            // The last active one is the likeliest.
            let candidates = rows.iter().filter(|row| meant.contains(&row.id));
            let candidates = candidates.map(|row| (row.id.clone(), words(context, row)));
            SessionCliError::Ambiguous { id, candidates: candidates.collect() }.into()
        }
        error => error.into(),
    }
}

fn is_named(row: &ThreadRow, id: &str) -> bool {
    let RowDetail::Session(detail) = &row.detail else { return false };
    let begins = !id.is_empty() && row.id.starts_with(id);
    begins || detail.short_id == id || detail.thread_root_post_id == id
}

fn short_id(row: &ThreadRow) -> Option<&str> {
    match &row.detail {
        RowDetail::Session(detail) => Some(&detail.short_id),
        _ => None,
    }
}

fn thread(row: &ThreadRow) -> &str {
    match &row.detail {
        RowDetail::Session(detail) => &detail.thread_root_post_id,
        _ => "",
    }
}

/// Says in a few words what a session is.
fn words(context: &Context<'_>, row: &ThreadRow) -> String {
    let RowDetail::Session(detail) = &row.detail else { return String::new() };
    let now = context.output.now;
    let status = row.status.as_deref().unwrap_or_default();
    let when = age::short(row.effective_time(now), now);
    let title = detail.session_title.as_ref().map_or(String::new(), |title| format!(", {title}"));
    format!("{status}, {}, {when}{title}", detail.project_name)
}
