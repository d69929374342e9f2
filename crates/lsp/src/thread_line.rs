//! What is shown of a thread on one line, and where.

use skein_model::Turn;
use skein_model::sanitize::one_line;
use skein_model::truncate::truncate_line;
use skein_model::view::{CommentView, PlacementState, ReviewBody, ThreadView};

use crate::folder::LoadedFolder;
use crate::position::Encoding;
use crate::protocol::{Position, Range};

/// Maximum length of a shown comment.
const MAX_COMMENT_CHARS: usize = 90;

/// Returns the first comment, the last one, and whose turn it is.
pub(crate) fn summary(folder: &LoadedFolder, view: &ThreadView) -> String {
    let Some(body) = view.review_body() else { return String::new() };
    let mut text = body.comments.first().map(comment).unwrap_or_default();
    if let [_, .., last] = body.comments.as_slice() {
        text = format!("{text} / {}", comment(last));
    }
    let mut notes = Vec::new();
    if body.comments.len() > 2 {
        notes.push(format!("{} comments", body.comments.len()));
    }
    notes.extend(turn(folder, view));
    notes.extend(code_note(view).map(str::to_owned));
    if notes.is_empty() { text } else { format!("{text} ({})", notes.join(", ")) }
}

/// Returns whose turn it is, for the user.
pub(crate) fn turn(folder: &LoadedFolder, view: &ThreadView) -> Option<String> {
    if is_draft(view) {
        return Some("draft".to_owned());
    }
    let row = view.row.review()?;
    if row.proposed_resolved {
        return Some("an agent proposes to resolve it".to_owned());
    }
    Some(match (row.waiting_on?, &row.waiting_on_name) {
        _ if row.waits_on(&folder.actor.name) => "waits on you".to_owned(),
        (_, Some(name)) => format!("waits on {}", one_line(name)),
        (Turn::Agent, None) => "waits on an agent".to_owned(),
        (Turn::Reviewer, None) => "waits on the reviewer".to_owned(),
    })
}

/// Returns what became of the code, if it is not as it was.
pub(crate) fn code_note(view: &ThreadView) -> Option<&'static str> {
    Some(match view.placement()?.state {
        PlacementState::Gone => "the code is gone",
        PlacementState::Edited => "the code was edited",
        PlacementState::Replaced => "the code was replaced",
        PlacementState::Unverified => "the location is not certain",
        PlacementState::NotCheckedOut => "the file is not checked out",
        PlacementState::Exact | PlacementState::Shifted | PlacementState::Moved => return None,
    })
}

/// Returns whether the user is to answer, or to decide.
pub(crate) fn waits_on_user(folder: &LoadedFolder, view: &ThreadView) -> bool {
    let is_waiting = view.row.review().is_some_and(|row| row.waits_on(&folder.actor.name));
    is_waiting && is_open(view)
}

pub(crate) fn is_open(view: &ThreadView) -> bool {
    matches!(view.row.status.as_deref(), Some("open" | "draft"))
}

pub(crate) fn is_draft(view: &ThreadView) -> bool {
    view.row.status.as_deref() == Some("draft")
}

/// Returns the first and the last line; the first line of the file for code that is gone, and for comments on a whole file.
pub(crate) fn lines(view: &ThreadView) -> (u32, u32) {
    let at = view.placement();
    at.and_then(|at| Some((at.start_line?, at.end_line?))).unwrap_or_default()
}

/// Returns the range of a thread: its columns if the code is as it was, else whole lines without their indentation.
pub(crate) fn range(view: &ThreadView, encoding: Encoding) -> Range {
    let (first, last) = lines(view);
    let body = view.review_body();
    let text = |line| body.and_then(|body| code_line(body, line)).unwrap_or_default();
    let (top, bottom) = (text(first), text(last));
    let indent = top.len() - top.trim_start().len();
    let indent = encoding.len(top.get(..indent).unwrap_or_default());
    let end = encoding.len(bottom.trim_end());
    let columns = stored_columns(view).map(|(start, end)| {
        let start = encoding.column(top, start);
        (start.max(indent), encoding.column(bottom, end))
    });
    let is_range = |(start, end): &(u32, u32)| first < last || start < end;
    let (start, end) = columns.filter(is_range).unwrap_or((indent, end));
    Range {
        start: Position { line: first, character: start },
        end: Position { line: last, character: end },
    }
}

/// Returns the columns of the thread file, in UTF-16 units, if they are still right.
fn stored_columns(view: &ThreadView) -> Option<(u32, u32)> {
    let state = view.placement()?.state;
    let is_same = matches!(state, PlacementState::Exact | PlacementState::Shifted);
    let range = view.row.review()?.target.as_ref()?.range.filter(|_| is_same)?;
    Some((range.start_character, range.end_character))
}

fn code_line(body: &ReviewBody, line: u32) -> Option<&str> {
    let code = body.code.as_ref()?;
    code.lines.get(line.checked_sub(code.start_line)? as usize).map(String::as_str)
}

/// Returns a comment on one line.
pub(crate) fn comment(comment: &CommentView) -> String {
    let line = comment.body.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let text = format!("{}: {}", one_line(&comment.author), one_line(line));
    truncate_line(&text, MAX_COMMENT_CHARS)
}
