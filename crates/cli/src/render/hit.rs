//! A thread that was found.

use std::ops::Range;

use skein_catalog::ShortIds;
use skein_format::redact::redact;
use skein_model::view::RowDetail;
use skein_search::Hit;

use super::{age, style, table, text};
use crate::error::CliError;
use crate::output::Output;
use crate::terminal::{escape_control, one_line};

/// How many characters of a text are shown where there is no terminal to fit.
pub(crate) const WIDTH: usize = 160;
/// How much of a line the text does not get: it stands in, and behind who says it.
const ASIDE: usize = 4 + 16;
/// Less than this tells nothing.
const MIN_WIDTH: usize = 24;

/// Returns how many characters of a text fit on a line of a terminal.
pub(crate) fn room(width: usize) -> usize {
    width.saturating_sub(ASIDE).max(MIN_WIDTH)
}

/// Says which workspace the following threads belong to.
pub(crate) fn print_root(output: &mut Output<'_>, root: &str) -> Result<(), CliError> {
    let line = output.paint(style::DIM, &one_line(root));
    output.line(&line)
}

/// Prints a thread: what it is, and the text that was found with the match marked.
pub(crate) fn print(
    output: &mut Output<'_>,
    hit: &Hit,
    handles: Option<&ShortIds>,
) -> Result<(), CliError> {
    let row = &hit.row;
    let handle =
        handles.map_or_else(|| redact(&row.id).into_owned(), |handles| handles.short_id(row));
    let handle = output.paint(style::HANDLE, &one_line(&handle));
    let mut about = vec![row.kind.as_str().to_owned()];
    about.extend(place(hit));
    about.extend(row.status.as_deref().map(str::to_owned));
    about.push(age::short(row.effective_time(output.now), output.now));
    about.retain(|text| !text.is_empty());
    let about: Vec<_> = about.iter().map(|text| one_line(text)).collect();
    let about = output.paint(style::DIM, &about.join("  "));
    output.line(&format!("{handle}  {about}"))?;
    if hit.part != "title" && one_line(&row.title) != one_line(&hit.snippet) {
        let title = text::cut(&format!("  {}", text::title(&row.title)), output.width);
        let title = output.paint(style::TITLE, &title);
        output.line(&title)?;
    }
    let text = marked(output, &hit.snippet, &hit.marks);
    let part = part(hit).map(|part| format!("{}: ", output.paint(style::DIM, &one_line(&part))));
    output.line(&format!("    {}{text}", part.unwrap_or_default()))
}

fn place(hit: &Hit) -> Option<String> {
    match &hit.row.detail {
        RowDetail::Review(detail) => Some(table::place(detail)),
        RowDetail::Checkpoint(detail) => {
            let branch = detail.git.as_ref().and_then(|git| git.branch.as_ref());
            branch.map(|branch| branch.redacted().into_owned())
        }
        RowDetail::Session(detail) => Some(table::project(detail)),
    }
}

/// Says what the text is, where it is not plain.
fn part(hit: &Hit) -> Option<String> {
    match (hit.part, &hit.by, hit.at.as_str()) {
        ("comment", Some(author), _) => Some(author.clone()),
        ("step", _, Some(step)) => Some(step.to_owned()),
        ("title" | "summary" | "other", ..) => None,
        (part, ..) => Some(part.to_owned()),
    }
}

/// Marks what matches, where colour is used.
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
