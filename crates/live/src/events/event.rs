use std::borrow::Cow;

use serde::Serialize;
use skein_format::time::Time;
use skein_model::view::{PlacementState, RowDetail, ThreadRow};
use skein_model::{Kind, Turn};

/// Maximum number of characters of a line of a comment.
const MAX_LINE_LEN: usize = 200;

/// Something that happened to a thread.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ThreadEvent {
    /// When it was seen.
    pub at: Time,
    /// The kind of the thread.
    pub kind: Kind,
    /// Its id.
    #[serde(serialize_with = "skein_model::sensitive::serialize_shown")]
    pub id: String,
    /// What happened. To all kinds: `created`, `edited`, `deleted`, `broken` (the file cannot be used any more), `mended`. To a
    /// review thread: `replied`, `resolved`, `reopened`, `claimed`, `released`, `moved` (its code is elsewhere). To a checkpoint,
    /// which is not created but `saved`: `step`, `handoff`, `status`, `taken`, `released`, `archived`. To a session: `status`.
    pub event: &'static str,
    /// What the thread is about, in a line.
    pub title: String,
    /// The author of the change, if the file contains it.
    pub by: Option<String>,
    /// The first line of a comment, or the step.
    pub text: Option<String>,
    /// The file that the thread is in, or was.
    pub file: String,
    /// Where: `src/a.rs:12`, the id of the step, or the directory of the session.
    pub place: Option<String>,
    /// What is known of the place of a review thread: see [`skein_model::view::PlacementView::state`]. None where the place is the
    /// one that the thread's file names, as for a thread that was deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<PlacementState>,
    /// The status of the thread afterwards, or of the step.
    pub status: Option<Cow<'static, str>>,
    /// Whose turn it is in a review thread afterwards.
    pub waiting_on: Option<Turn>,
    /// Whether it is an unsubmitted review thread.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub draft: bool,
    /// What people call a session.
    #[serde(skip)]
    pub short_id: Option<String>,
}

impl ThreadEvent {
    /// Returns an event of the thread of a row, without an author.
    pub(super) fn new(event: &'static str, row: &ThreadRow, at: Time) -> Self {
        let (place, waiting_on, short_id) = match &row.detail {
            RowDetail::Review(detail) => (detail.at.clone(), detail.waiting_on, None),
            RowDetail::Session(detail) => {
                (Some(detail.directory.clone()), None, Some(detail.short_id.clone()))
            }
            RowDetail::Checkpoint(_) => (None, None, None),
        };
        Self {
            at,
            kind: row.kind,
            id: row.id.clone(),
            event,
            title: row.title.clone(),
            by: None,
            text: None,
            file: row.file.display().to_string(),
            place,
            state: None,
            status: row.status.clone(),
            waiting_on,
            draft: false,
            short_id,
        }
    }
}

/// Returns the first line of a text that is not blank.
pub(super) fn first_line(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    match line.char_indices().nth(MAX_LINE_LEN) {
        Some((end, _)) => Some(format!("{}…", line.get(..end).unwrap_or_default())),
        None => Some(line.to_owned()),
    }
}
