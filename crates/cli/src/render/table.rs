//! Prints tables of threads and other data.

use skein_catalog::ShortIds;
use skein_format::time::Time;
use skein_model::sanitize::one_line;
use skein_model::view::{
    CheckpointRow, PlacementState, ReviewRow, RowDetail, SessionRow, ThreadRow,
};
use skein_model::{Kind, Turn};

use super::{age, style, text};
use crate::error::CliResult;
use crate::output::Output;

/// Maximum width of a cell, so that one long value does not move the others off the screen.
const MAX_WIDTH: usize = 40;
/// Minimum width of the last cell.
const MIN_LAST_WIDTH: usize = 16;
/// The columns of a table of threads. On a narrow terminal those in [`OPTIONAL`] are left out, one after the other.
const COLUMNS: [&str; 8] = ["ID", "KIND", "BRANCH", "STATUS", "WAITS ON", "WHERE", "AGE", "TITLE"];
const OPTIONAL: [&str; 6] = ["AGE", "BRANCH", "KIND", "STATUS", "WAITS ON", "WHERE"];

/// Prints threads; on a terminal with a heading and truncated lines.
///
/// A row may represent `more` others of its kind; its status has their number.
pub(crate) fn print(
    output: &mut Output<'_>,
    rows: &[Box<ThreadRow>],
    more: &[usize],
    handles: &ShortIds,
) -> CliResult {
    let one_kind = rows.windows(2).all(|pair| matches!(pair, [a, b] if a.kind == b.kind));
    let now = output.now;
    let more = more.iter().copied().chain(std::iter::repeat(0));
    let cells = rows.iter().zip(more).map(|(row, more)| {
        let mut cells = cells(row, handles, now, more);
        if let Some(kind) = cells.get_mut(1).filter(|_| one_kind) {
            kind.clear();
        }
        cells
    });
    let cells: Vec<[String; 8]> = cells.collect();
    let table = Table::new(output, &COLUMNS, &cells, &OPTIONAL);
    table.print_head(output)?;
    for (cells, row) in cells.iter().zip(rows) {
        let id = if row.usable { style::HANDLE } else { style::ERROR };
        let is_resolved = row.kind == Kind::Review && row.status.as_deref() == Some("resolved");
        let rest = if is_resolved { style::DIM } else { anstyle::Style::new() };
        table.print_row(output, cells, id, rest)?;
    }
    Ok(())
}

/// Prints rows of cells; on a terminal with a heading, truncated lines and a highlighted first cell.
///
/// On a narrow terminal the optional columns are left out, one after the other.
pub(crate) fn plain(
    output: &mut Output<'_>,
    head: &[&str],
    rows: &[Vec<String>],
    optional: &[&str],
) -> CliResult {
    let table = Table::new(output, head, rows, optional);
    table.print_head(output)?;
    let print = |cells| table.print_row(output, cells, style::HANDLE, anstyle::Style::new());
    rows.iter().map(Vec::as_slice).try_for_each(print)
}

struct Table<'a> {
    head: &'a [&'a str],
    /// The width of each column but the last; 0 for an empty or omitted column.
    widths: Vec<usize>,
    has_head: bool,
}

impl<'a> Table<'a> {
    fn new<R: AsRef<[String]>>(
        output: &Output<'_>,
        head: &'a [&'a str],
        rows: &[R],
        optional: &[&str],
    ) -> Self {
        let has_head = output.width.is_some();
        let width = |(n, title): (usize, &&str)| {
            let cells = rows.iter().filter_map(|row| row.as_ref().get(n));
            let widths: Vec<usize> = cells.map(|cell| text::columns(cell)).collect();
            let widest = widths.iter().copied().max().unwrap_or_default();
            if widest == 0 || !has_head {
                return widest;
            }
            // Ids and places are never cut. A long one moves only the rest of its own line, if others are short.
            let share = if n == 0 { 3 } else { 2 };
            let limit = output.width.map_or(usize::MAX, |room| room / share);
            let short = widths.iter().copied().filter(|width| *width <= limit).max();
            short.filter(|width| *width > 0).unwrap_or(widest).max(text::columns(title))
        };
        let last = head.len().saturating_sub(1);
        let mut widths: Vec<usize> = head.iter().take(last).enumerate().map(width).collect();
        for title in optional {
            let shown = widths.iter().filter(|width| **width > 0);
            let used: usize = shown.map(|width| width + 2).sum();
            if output.width.is_none_or(|room| used + MIN_LAST_WIDTH <= room) {
                break;
            }
            let column = head.iter().zip(&mut widths).find(|(name, _)| *name == title);
            column.into_iter().for_each(|(_, width)| *width = 0);
        }
        Self { head, widths, has_head: has_head && !rows.is_empty() }
    }

    fn print_head(&self, output: &mut Output<'_>) -> CliResult {
        if !self.has_head {
            return Ok(());
        }
        let head: Vec<String> = self.head.iter().map(|&title| title.to_owned()).collect();
        let line = self.line(&head, output.width);
        output.styled(style::DIM, line.trim_end())
    }

    fn print_row(
        &self,
        output: &mut Output<'_>,
        cells: &[String],
        id: anstyle::Style,
        rest: anstyle::Style,
    ) -> CliResult {
        let line = self.line(cells, output.width);
        let first = cells.first().map_or("", String::as_str);
        let after = line.trim_end().strip_prefix(first).unwrap_or_default();
        let line = format!("{}{}", output.paint(id, first), output.paint(rest, after));
        output.line(line.trim_end())
    }

    fn line(&self, cells: &[String], room: Option<usize>) -> String {
        let mut line = String::new();
        for (cell, width) in cells.iter().zip(&self.widths).filter(|(_, width)| **width > 0) {
            line.push_str(&text::pad(cell, *width));
            line.push_str("  ");
        }
        let used = text::columns(&line);
        let left = room.map(|room| room.saturating_sub(used).max(MIN_LAST_WIDTH));
        line.push_str(&text::cut(cells.last().map_or("", String::as_str), left));
        text::cut(&line, room)
    }
}

fn cells(row: &ThreadRow, handles: &ShortIds, now: Time, more: usize) -> [String; 8] {
    let cell = |text: &str| text::cut(&one_line(text), Some(MAX_WIDTH));
    let (turn, place) = match &row.detail {
        // A place is never truncated, so that terminals and editors can open it.
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
    let mut status = status(row);
    if let RowDetail::Review(detail) = &row.detail {
        status.push_str(&states_elsewhere(row, detail));
    }
    let status = if more > 0 { format!("{status} (+{more})") } else { status };
    [
        one_line(&handles.short_id(row)),
        row.kind.as_str().to_owned(),
        cell(row.branch.as_deref().unwrap_or_default()),
        cell(&status),
        turn.unwrap_or_default(),
        place.unwrap_or_default(),
        age::short(row.effective_time(now), now),
        text::title(&row.title),
    ]
}

/// Returns the states of a thread in other worktrees that differ from its row: ` (resolved on fix/x)`.
fn states_elsewhere(row: &ThreadRow, detail: &ReviewRow) -> String {
    let mut states = Vec::new();
    for one in &detail.worktrees {
        if row.branch.as_ref() == Some(&one.branch) {
            continue;
        }
        if Some(one.status.as_str()) != row.status.as_deref() {
            states.push(format!("{} on {}", one.status, one.branch));
        } else if one.comment_count != detail.comment_count {
            states.push(format!("{} on {}", text::count(one.comment_count, "comment"), one.branch));
        }
    }
    if states.is_empty() { String::new() } else { format!(" ({})", states.join(", ")) }
}

fn status(row: &ThreadRow) -> String {
    match (&row.detail, &row.status) {
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
    }
}

/// Returns the place of a review thread, with the state of its code.
pub(crate) fn place(detail: &ReviewRow) -> String {
    let at = detail.at.as_deref().unwrap_or_default();
    match detail.other_branch() {
        Some(branch) => format!("{at} (on {branch})"),
        None => marked_place(at, detail.state),
    }
}

/// Returns a place, with a mark if it is uncertain whether the commented code is there.
///
/// Without a state, the place is the one in the thread file.
pub(crate) fn marked_place(at: &str, state: Option<PlacementState>) -> String {
    match state {
        Some(PlacementState::Exact | PlacementState::Shifted) => at.to_owned(),
        Some(PlacementState::NotCheckedOut) => format!("{at} (not checked out)"),
        Some(state) => format!("{at} ({state})"),
        None if !at.is_empty() => format!("{at} (as written)"),
        None => at.to_owned(),
    }
}

/// Returns the place of a review thread, and the person who has claimed it or is asked by name.
pub(crate) fn place_and_person(detail: &ReviewRow) -> String {
    let person = match (&detail.claim, &detail.waiting_on_name) {
        (Some(claim), _) => format!(" (claimed by {})", claim.claimant()),
        (None, Some(name)) => format!(" (for {name})"),
        (None, None) => String::new(),
    };
    format!("{}{person}", place(detail))
}

/// Returns who a thread waits on, and who has claimed it.
fn turn(detail: &ReviewRow) -> Option<String> {
    let person = detail.waiting_on_name.as_deref().or(detail.waiting_on.map(Turn::as_str))?;
    Some(match &detail.claim {
        Some(claim) => format!("{person}, claimed by {}", claim.claimant()),
        None => person.to_owned(),
    })
}

/// Returns the holder of the lock of a checkpoint: ` by Mira`, or an empty text if the lock has no name.
fn holder(detail: &CheckpointRow) -> Option<String> {
    let holder = detail.taken.as_ref()?;
    Some(holder.by.as_ref().map(|by| format!(" by {by}")).unwrap_or_default())
}

/// Returns the project of a session, with the marks for an invalid entry and a missing directory.
pub(crate) fn project(detail: &SessionRow) -> String {
    format!("{}{}{}", detail.project_name, breach(detail), gone(detail))
}

/// Returns the mark of a session whose entry is invalid.
pub(crate) fn breach(detail: &SessionRow) -> &'static str {
    if detail.breach.is_some() { "*" } else { "" }
}

/// Returns whether a row has the mark of an invalid entry.
pub(crate) fn is_marked(row: &ThreadRow) -> bool {
    matches!(&row.detail, RowDetail::Session(detail) if detail.breach.is_some())
}

/// The meaning of the mark.
pub(crate) const MARK_MEANS: &str = "* the entry in the session map is invalid";

/// Returns the mark of a session whose directory does not exist.
pub(crate) fn gone(detail: &SessionRow) -> &'static str {
    if detail.directory_exists == Some(false) { " (directory gone)" } else { "" }
}
