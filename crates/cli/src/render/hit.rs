//! Prints search results.

use std::ops::Range;

use skein_catalog::ShortIds;
use skein_format::redact::redact;
use skein_model::sanitize::{escape_control, one_line};
use skein_model::view::RowDetail;
use skein_search::{FieldKind, SearchHit};

use super::{age, style, table, text};
use crate::error::CliResult;
use crate::output::Output;

/// The width of a snippet without a terminal, in characters.
pub(crate) const DEFAULT_WIDTH: usize = 160;
/// The columns for the indent and the author.
const PREFIX_WIDTH: usize = 4 + 16;
/// Minimum width of a snippet.
const MIN_WIDTH: usize = 24;

/// Returns how many characters of a snippet fit on a line.
pub(crate) fn snippet_width(width: usize) -> usize {
    width.saturating_sub(PREFIX_WIDTH).max(MIN_WIDTH)
}

/// Prints the workspace of the following threads.
pub(crate) fn print_root(output: &mut Output<'_>, root: &str) -> CliResult {
    output.styled(style::DIM, &one_line(root))
}

/// Prints a thread and its snippet, with the matches marked.
pub(crate) fn print(
    output: &mut Output<'_>,
    hit: &SearchHit,
    handles: Option<&ShortIds>,
) -> CliResult {
    let row = &hit.row;
    let handle =
        handles.map_or_else(|| redact(&row.id).into_owned(), |handles| handles.short_id(row));
    let mut about = vec![row.kind.as_str().to_owned()];
    about.extend(place(hit));
    about.extend(row.status.as_deref().map(str::to_owned));
    about.push(age::short(row.effective_time(output.now), output.now));
    about.retain(|text| !text.is_empty());
    let about: Vec<_> = about.iter().map(|text| one_line(text)).collect();
    let about = output.paint(style::DIM, &about.join("  "));
    output.line_with_id("", &handle, &format!("  {about}"))?;
    if hit.part != FieldKind::Title && one_line(&row.title) != one_line(&hit.snippet) {
        let title = text::cut(&format!("  {}", text::title(&row.title)), output.width);
        output.styled(style::TITLE, &title)?;
    }
    let text = marked(output, &hit.snippet, &hit.marks);
    let label =
        hit.label().map(|label| format!("{}: ", output.paint(style::DIM, &one_line(&label))));
    output.line(&format!("    {}{text}", label.unwrap_or_default()))
}

fn place(hit: &SearchHit) -> Option<String> {
    match &hit.row.detail {
        RowDetail::Review(detail) => Some(table::place(detail)),
        RowDetail::Checkpoint(detail) => {
            let branch = detail.git.as_ref().and_then(|git| git.branch.as_ref());
            branch.map(|branch| branch.redacted().into_owned())
        }
        RowDetail::Session(detail) => Some(table::project(detail)),
    }
}

/// Marks the matches, if colour is used.
fn marked(output: &Output<'_>, text: &str, marks: &[Range<usize>]) -> String {
    let mut line = String::new();
    let mut from = 0;
    for mark in marks {
        let (before, matching) = (text.get(from..mark.start), text.get(mark.clone()));
        let (Some(before), Some(matching)) = (before, matching) else { continue };
        line.push_str(&escape_control(before));
        line.push_str(&output.paint(style::MATCH, &escape_control(matching)));
        from = mark.end;
    }
    line.push_str(&escape_control(text.get(from..).unwrap_or_default()));
    line
}
