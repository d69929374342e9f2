//! Describes the reviews and the last checkpoint of a directory, for the description of a session.

use std::path::Path;

use skein_catalog::{ShortIds, WorktreeScope, list, names};
use skein_format::redact::redact;
use skein_model::sanitize::one_line;
use skein_model::view::{RowDetail, ThreadRow};
use skein_model::{Filter, Kind};
use skein_workspace::{Env, Workspace, discover_in};

use crate::core::markdown::{inline_code, shorten};

/// Maximum number of review threads that are named.
const MAX_THREADS: usize = 3;
/// Maximum length of a title.
const MAX_TITLE_CHARS: usize = 80;

/// Returns one line for the open review threads and one for the last checkpoint, if there are any.
pub(crate) fn session_links(env: &Env, directory: &Path) -> String {
    let workspace = discover_in(env, directory);
    let ids = ShortIds::new(&names(&workspace));
    let lines = [reviews(&workspace, &ids), checkpoint(&workspace, &ids)];
    lines.into_iter().flatten().collect::<Vec<_>>().join("\n")
}

fn reviews(workspace: &Workspace, ids: &ShortIds) -> Option<String> {
    let filter =
        Filter { kind: Some(Kind::Review), status: Some("open".to_owned()), ..Filter::default() };
    let rows = list(workspace, &filter, WorktreeScope::ThisWorktree).threads;
    let count = match rows.len() {
        0 => return None,
        1 => "1 open review thread".to_owned(),
        count => format!("{count} open review threads"),
    };
    let named: Vec<_> = rows.iter().take(MAX_THREADS).map(|row| describe(row, ids)).collect();
    let more = if rows.len() > MAX_THREADS { ", …" } else { "" };
    Some(format!("{count}: {}{more}", named.join(", ")))
}

fn checkpoint(workspace: &Workspace, ids: &ShortIds) -> Option<String> {
    let filter = Filter { kind: Some(Kind::Checkpoint), ..Filter::default() };
    let rows = list(workspace, &filter, WorktreeScope::ThisWorktree).threads;
    Some(format!("Last checkpoint: {}", describe(rows.first()?, ids)))
}

/// Returns the id of a thread and its title. Both are code, so that they notify no user.
fn describe(row: &ThreadRow, ids: &ShortIds) -> String {
    let id = inline_code(&one_line(&ids.short_id(row)));
    let title = match &row.detail {
        RowDetail::Review(review) => format!(
            "{} {}",
            one_line(review.at.as_deref().unwrap_or_default()),
            one_line(&row.title)
        ),
        _ => one_line(&row.title),
    };
    format!("{id} {}", inline_code(&shorten(redact(title.trim()).trim(), MAX_TITLE_CHARS)))
}
