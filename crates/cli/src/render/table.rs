//! A list of threads, a line each.

use skein_catalog::ShortIds;
use skein_format::time::Time;
use skein_model::Kind;
use skein_model::view::{
    CheckpointRow, PlacementView, ReviewRow, RowDetail, SessionRow, ThreadRow,
};

use super::{age, style, text};
use crate::error::CliError;
use crate::output::Output;
use crate::terminal::one_line;

/// A cell is never wider, so that one long value does not push the others off.
const MAX_WIDTH: usize = 40;
/// The columns that the last cell gets at least.
const LAST: usize = 16;
/// The columns that a narrow terminal does without, one after the other.
const SPARE: [&str; 6] = ["AGE", "BRANCH", "WAITS ON", "KIND", "WHERE", "STATUS"];

/// Prints the rows; a terminal gets a heading and lines that fit.
///
/// A row may represent `more` others of its kind, and says so.
pub(crate) fn print(
    output: &mut Output<'_>,
    rows: &[Box<ThreadRow>],
    more: &[usize],
    handles: &ShortIds,
) -> Result<(), CliError> {
    let one_kind = rows.windows(2).all(|pair| matches!(pair, [a, b] if a.kind == b.kind));
    let branches = rows.iter().any(|row| row.branch.is_some());
    let columns = Columns { kind: !one_kind, branch: branches };
    let now = output.now;
    let more = more.iter().copied().chain(std::iter::repeat(0));
    let cells = rows.iter().zip(more).map(|(row, more)| columns.cells(row, handles, (now, more)));
    let cells: Vec<Vec<String>> = cells.collect();
    let head = columns.head();
    let mut widths = widths(&head, &cells, output.width.is_some());
    spare(&head, &mut widths, &SPARE, output.width);
    if output.width.is_some() && !rows.is_empty() {
        let line = join(&head, &widths, output.width);
        let line = output.paint(style::DIM, line.trim_end());
        output.line(&line)?;
    }
    for (cells, row) in cells.iter().zip(rows) {
        let mut line = join(cells, &widths, output.width);
        if output.color {
            line = paint(output, &line, cells, row);
        }
        output.line(line.trim_end())?;
    }
    Ok(())
}

/// Prints rows of cells; a terminal gets a heading and lines that fit, and the first cell stands out.
///
/// On a terminal that has no room for all columns, those named as spare go, one after the other.
pub(crate) fn plain(
    output: &mut Output<'_>,
    head: &[&str],
    rows: &[Vec<String>],
    spare: &[&str],
) -> Result<(), CliError> {
    let head: Vec<String> = head.iter().map(|&title| title.to_owned()).collect();
    let mut widths = widths(&head, rows, output.width.is_some());
    self::spare(&head, &mut widths, spare, output.width);
    if output.width.is_some() && !rows.is_empty() {
        let line = output.paint(style::DIM, join(&head, &widths, output.width).trim_end());
        output.line(&line)?;
    }
    for cells in rows {
        let line = join(cells, &widths, output.width);
        let first = cells.first().map_or("", String::as_str);
        let rest = line.strip_prefix(first).unwrap_or_default();
        let line = format!("{}{rest}", output.paint(style::HANDLE, first));
        output.line(line.trim_end())?;
    }
    Ok(())
}

/// Leaves out columns, in the order given, until the last one has room.
fn spare(head: &[String], widths: &mut [usize], titles: &[&str], room: Option<usize>) {
    for title in titles {
        let used: usize = widths.iter().filter(|width| **width > 0).map(|width| width + 2).sum();
        if room.is_none_or(|room| used + LAST <= room) {
            return;
        }
        let column = head.iter().zip(&mut *widths).find(|(name, _)| name == title);
        column.into_iter().for_each(|(_, width)| *width = 0);
    }
}

/// Returns the place of a review thread, with what became of its code.
pub(crate) fn place(detail: &ReviewRow) -> String {
    let at = detail.at.as_deref().unwrap_or_default();
    match detail.other_branch() {
        Some(branch) => format!("{at} (on {branch})"),
        None => marked_place(at, detail.state),
    }
}

/// Returns a place, marked where it is not certain that the commented code is there.
///
/// Without a state the place is the one that the thread's file names.
pub(crate) fn marked_place(at: &str, state: Option<&str>) -> String {
    match state {
        Some(state @ ("edited" | "moved" | "gone" | "unverified")) => format!("{at} ({state})"),
        Some(PlacementView::NOT_CHECKED_OUT) => format!("{at} (not checked out)"),
        None if !at.is_empty() => format!("{at} (as written)"),
        _ => at.to_owned(),
    }
}

/// Returns the same with who in particular is asked, or works on it.
pub(crate) fn place_and_whom(detail: &ReviewRow) -> String {
    let whom = match (&detail.claim, &detail.waiting_on_name) {
        (Some(claim), _) => format!(" (claimed by {})", claim.by),
        (None, Some(name)) => format!(" (for {name})"),
        (None, None) => String::new(),
    };
    format!("{}{whom}", place(detail))
}

/// Returns who a thread waits on, and who has claimed it.
fn turn(detail: &ReviewRow) -> Option<String> {
    let whom = detail.waiting_on_name.as_deref().or(detail.waiting_on)?;
    Some(match &detail.claim {
        Some(claim) => format!("{whom}, claimed by {}", claim.by),
        None => whom.to_owned(),
    })
}

/// Returns who has taken the work of a checkpoint: ` by Mira`, or nothing where the lock names no one.
fn holder(detail: &CheckpointRow) -> Option<String> {
    let holder = detail.taken.as_ref()?;
    Some(holder.by.as_ref().map(|by| format!(" by {by}")).unwrap_or_default())
}

/// Returns the project of a session, with what became of its directory.
pub(crate) fn project(detail: &SessionRow) -> String {
    format!("{}{}{}", detail.project_name, breach(detail), gone(detail))
}

/// Returns the mark of a session whose entry breaks the contract of the map.
pub(crate) fn breach(detail: &SessionRow) -> &'static str {
    if detail.breach.is_some() { "*" } else { "" }
}

/// Returns whether a row has that mark.
pub(crate) fn is_marked(row: &ThreadRow) -> bool {
    matches!(&row.detail, RowDetail::Session(detail) if detail.breach.is_some())
}

/// What the mark means.
pub(crate) const MARK_MEANS: &str = "* its entry in the session map breaks the contract of the map";

/// Returns the mark of a session whose directory is gone.
pub(crate) fn gone(detail: &SessionRow) -> &'static str {
    if detail.directory_exists == Some(false) { " (directory gone)" } else { "" }
}

struct Columns {
    kind: bool,
    branch: bool,
}

impl Columns {
    fn head(&self) -> Vec<String> {
        let names = ["ID", "KIND", "BRANCH", "STATUS", "WAITS ON", "WHERE", "AGE", "TITLE"];
        self.keep(names.map(str::to_owned))
    }

    fn cells(
        &self,
        row: &ThreadRow,
        handles: &ShortIds,
        (now, more): (Time, usize),
    ) -> Vec<String> {
        let cell = |text: &str| text::cut(&one_line(text), Some(MAX_WIDTH));
        let (turn, place) = match &row.detail {
            // A place is never cut: terminals and editors open it.
            RowDetail::Review(detail) => {
                (turn(detail).map(|turn| cell(&turn)), Some(one_line(&place(detail))))
            }
            RowDetail::Checkpoint(detail) => {
                let branch = detail.git.as_ref().and_then(|git| git.branch.as_ref());
                let place = branch.or(detail.cwd.as_ref());
                (None, place.map(|place| cell(&place.redacted())))
            }
            RowDetail::Session(detail) => (None, Some(cell(&project(detail)))),
        };
        let status = match (&row.detail, &row.status) {
            _ if !row.usable => "broken".to_owned(),
            (RowDetail::Checkpoint(detail), status) => {
                let kind = detail.kind.replace("auto-checkpoint", "auto");
                match (status, holder(detail)) {
                    (Some(status), Some(by)) if status == "taken" => format!("{kind}, taken{by}"),
                    (Some(status), Some(by)) => format!("{kind}, {status}, taken{by}"),
                    (Some(status), None) => format!("{kind}, {status}"),
                    (None, _) => kind,
                }
            }
            (RowDetail::Review(detail), _) if detail.resolved_by_agent => {
                "resolved by agent".to_owned()
            }
            (RowDetail::Review(detail), _) if detail.proposed_resolved => {
                "open, resolve proposed".to_owned()
            }
            (_, status) => status.as_deref().unwrap_or_default().to_owned(),
        };
        let status = if more > 0 { format!("{status} (+{more})") } else { status };
        self.keep([
            one_line(&handles.short_id(row)),
            row.kind.as_str().to_owned(),
            cell(row.branch.as_deref().unwrap_or_default()),
            cell(&status),
            turn.unwrap_or_default(),
            place.unwrap_or_default(),
            age::short(row.effective_time(now), now),
            text::title(&row.title),
        ])
    }

    fn keep(&self, cells: [String; 8]) -> Vec<String> {
        let wanted = [true, self.kind, self.branch, true, true, true, true, true];
        cells.into_iter().zip(wanted).filter(|(_, wanted)| *wanted).map(|(cell, _)| cell).collect()
    }
}

/// Returns the width of each column but the last; one that is empty in every row has none.
fn widths(head: &[String], rows: &[Vec<String>], with_head: bool) -> Vec<usize> {
    let last = head.len().saturating_sub(1);
    head.iter()
        .take(last)
        .enumerate()
        .map(|(n, title)| {
            let widest =
                rows.iter().filter_map(|row| row.get(n)).map(|cell| text::columns(cell)).max();
            match widest {
                Some(0) | None => 0,
                Some(widest) if with_head => widest.max(text::columns(title)),
                Some(widest) => widest,
            }
        })
        .collect()
}

fn join(cells: &[String], widths: &[usize], room: Option<usize>) -> String {
    let mut line = String::new();
    for (cell, width) in cells.iter().zip(widths).filter(|(_, width)| **width > 0) {
        line.push_str(&text::pad(cell, *width));
        line.push_str("  ");
    }
    let used = text::columns(&line);
    let left = room.map(|room| room.saturating_sub(used).max(LAST));
    line.push_str(&text::cut(cells.last().map_or("", String::as_str), left));
    text::cut(&line, room)
}

fn paint(output: &Output<'_>, line: &str, cells: &[String], row: &ThreadRow) -> String {
    let Some(handle) = cells.first() else {
        return line.to_owned();
    };
    let rest = line.strip_prefix(handle.as_str()).unwrap_or_default();
    let style = if row.usable { style::HANDLE } else { style::ERROR };
    let done = row.kind == Kind::Review && row.status.as_deref() == Some("resolved");
    let rest = if done { output.paint(style::DIM, rest) } else { rest.to_owned() };
    format!("{}{rest}", output.paint(style, handle))
}
