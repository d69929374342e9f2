//! Edits a TOML text by spans, so that comments and the order of tables stay as they are.

use std::iter;
use std::ops::Range;

use skein_format::span::line_of;
use toml_edit::{Document, Item, Table};

use super::error::HooksError;

pub(super) fn text(bytes: &[u8]) -> Result<&str, HooksError> {
    str::from_utf8(bytes).map_err(|_| HooksError::NotText)
}

pub(super) fn parse(text: &str) -> Result<Document<String>, HooksError> {
    Document::parse(text.to_owned()).map_err(|error| {
        let line = error.span().map_or(1, |span| line_of(text.as_bytes(), span.start));
        HooksError::Toml { line, message: error.message().trim().to_owned() }
    })
}

/// Adds lines at the end, after an empty line.
pub(super) fn append(text: &str, lines: &str) -> String {
    let eol = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let gap = match text {
        "" => "",
        text if text.ends_with('\n') => eol,
        _ => &eol.repeat(2),
    };
    format!("{text}{gap}{}", lines.replace('\n', eol))
}

/// Returns the lines of a table without those of the tables in it.
pub(super) fn lines_of(text: &str, table: &Table) -> Option<Range<usize>> {
    let head = table.span()?;
    let values = table.iter().filter_map(|(_, item)| match item {
        Item::Value(value) => value.span(),
        _ => None,
    });
    let end = values.map(|span| span.end).fold(head.end, usize::max);
    let rest = text.get(end..)?;
    Some(head.start..end + rest.find('\n').map_or(rest.len(), |at| at + 1))
}

/// Removes several ranges of lines.
pub(super) fn remove_lines(text: &str, mut ranges: Vec<Range<usize>>) -> String {
    let mut text = text.to_owned();
    ranges.sort_by_key(|lines| lines.start);
    for lines in ranges.into_iter().rev() {
        text.replace_range(lines, "");
    }
    text
}

/// Adds the empty line before to a range of lines.
pub(super) fn with_gap(text: &str, lines: Range<usize>) -> Range<usize> {
    let before = text.get(..lines.start).unwrap_or_default();
    without_gap(before).len()..lines.end
}

/// Returns the tables in a table.
pub(super) fn tables_in(table: &Table) -> Vec<&Table> {
    let inner = table.iter().filter_map(|(_, item)| item.as_table());
    inner.flat_map(|inner| iter::once(inner).chain(tables_in(inner))).collect()
}

/// Removes an empty line at the end.
pub(super) fn without_gap(text: &str) -> &str {
    let gap = ["\r\n", "\n"].into_iter();
    gap.filter_map(|gap| text.strip_suffix(gap)).find(|rest| rest.ends_with('\n')).unwrap_or(text)
}
