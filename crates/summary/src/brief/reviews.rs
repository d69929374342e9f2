//! The open review threads on the files of a checkpoint.

use std::collections::HashSet;
use std::path::PathBuf;

use serde::Serialize;

use skein_catalog::placed::place_rows;
use skein_catalog::{WorktreeScope, list};
use skein_format::redact::redacted;
use skein_model::view::{RowDetail, ThreadRow};
use skein_model::{Filter, Kind, Turn};
use skein_workspace::Workspace;

use super::files::Touched;

/// Maximum number of threads listed.
const MAX_THREADS: usize = 50;

/// An open review thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BriefReview {
    /// Its id.
    pub id: String,
    /// The location, counted from 1: `src/a.rs:12-14`.
    pub at: String,
    /// The first line of the first comment.
    pub title: String,
    /// Whose turn it is.
    pub waiting_on: Option<Turn>,
}

/// Finds the open threads on these files, at the current location of their code; in a hurry, at the stored location.
pub(super) fn on(workspace: &Workspace, files: &[Touched], in_a_hurry: bool) -> Vec<BriefReview> {
    if !workspace.reviews.exists || files.is_empty() {
        return Vec::new();
    }
    let places: HashSet<&PathBuf> = files.iter().flat_map(|file| &file.places).collect();
    let filter =
        Filter { kind: Some(Kind::Review), status: Some("open".to_owned()), ..Filter::default() };
    let root = &workspace.reviews.root;
    let mut rows = list(workspace, &filter, WorktreeScope::ThisWorktree).threads;
    rows.retain(|row| path(row).is_some_and(|path| places.contains(&root.join(path))));
    rows.truncate(MAX_THREADS);
    if !in_a_hurry {
        place_rows(workspace, rows.iter_mut().map(|row| &mut **row));
    }
    rows.into_iter().filter_map(|row| review(*row)).collect()
}

fn path(row: &ThreadRow) -> Option<&str> {
    let detail = row.review().filter(|_| row.usable)?;
    Some(detail.target.as_ref()?.path.as_str())
}

fn review(row: ThreadRow) -> Option<BriefReview> {
    let RowDetail::Review(detail) = row.detail else { return None };
    Some(BriefReview {
        id: row.id,
        at: detail.at.unwrap_or_default(),
        title: redacted(row.title),
        waiting_on: detail.waiting_on,
    })
}
