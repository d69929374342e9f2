//! Edits a TOML text by spans, so that comments and the order of tables stay as they are.

use std::iter;
use std::ops::Range;

use skein_format::span::line_of;
use toml_edit::{Document, Item, Table, TableLike, Value};

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

/// Returns the lines of a table without those of the tables in it; none if it has no head of its own.
pub(super) fn lines_of(text: &str, table: &Table) -> Option<Range<usize>> {
    if table.is_implicit() || table.is_dotted() {
        return None;
    }
    let head = table.span()?;
    let end = values_end(table).unwrap_or_default().max(head.end);
    let rest = text.get(end..)?;
    Some(head.start..end + rest.find('\n').map_or(rest.len(), |at| at + 1))
}

/// Returns where the last value of a table ends, also of one with a dotted key.
fn values_end(table: &Table) -> Option<usize> {
    let ends = table.iter().filter_map(|(_, item)| match item {
        Item::Value(value) => Some(value.span()?.end),
        Item::Table(inner) if inner.is_dotted() => values_end(inner),
        _ => None,
    });
    ends.max()
}

/// Removes several ranges of lines, which may overlap.
pub(super) fn remove_lines(text: &str, mut ranges: Vec<Range<usize>>) -> String {
    ranges.sort_by_key(|lines| lines.start);
    let mut left = String::new();
    let mut end = 0;
    for lines in ranges {
        left.push_str(text.get(end..lines.start).unwrap_or_default());
        end = end.max(lines.end);
    }
    left + text.get(end..).unwrap_or_default()
}

/// Returns whether two tables have the same values, however they are written.
pub(super) fn has_same_values(a: &dyn TableLike, b: &dyn TableLike) -> bool {
    let is_same = |(key, item): (&str, &Item)| match (item, b.get(key)) {
        (Item::Value(value), Some(Item::Value(other))) => plain(value) == plain(other),
        (Item::ArrayOfTables(all), Some(Item::ArrayOfTables(others))) => {
            all.len() == others.len()
                && all.iter().zip(others.iter()).all(|(a, b)| has_same_values(a, b))
        }
        (item, Some(other)) => item
            .as_table_like()
            .zip(other.as_table_like())
            .is_some_and(|(a, b)| has_same_values(a, b)),
        (_, None) => false,
    };
    a.len() == b.len() && a.iter().all(is_same)
}

fn plain(value: &Value) -> String {
    value.clone().decorated("", "").to_string()
}

/// Adds the empty line before to a range of lines.
pub(super) fn with_gap(text: &str, lines: Range<usize>) -> Range<usize> {
    let before = text.get(..lines.start).unwrap_or_default();
    without_gap(before).len()..lines.end
}

/// Returns the tables in a table.
pub(super) fn tables_in(table: &Table) -> Vec<&Table> {
    let inner = table.iter().flat_map(|(_, item)| {
        let list = item.as_array_of_tables().into_iter().flatten();
        item.as_table().into_iter().chain(list)
    });
    inner.flat_map(|inner| iter::once(inner).chain(tables_in(inner))).collect()
}

/// Removes an empty line at the end.
pub(super) fn without_gap(text: &str) -> &str {
    let gap = ["\r\n", "\n"].into_iter();
    gap.filter_map(|gap| text.strip_suffix(gap)).find(|rest| rest.ends_with('\n')).unwrap_or(text)
}
