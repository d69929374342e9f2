//! All lines of a changed file: the hunks, and the unchanged lines between them.

use std::borrow::Cow;

use skein_model::view::{DiffFile, DiffHunk, DiffLine, DiffLineKind, DiffStatus};

use super::line::CodeLine;

/// The lines of a changed file, in order.
pub(crate) struct DiffRows<'a> {
    pub(crate) lines: Vec<CodeLine<'a>>,
    /// Whether the lines between the hunks are included.
    pub(crate) whole: bool,
}

impl<'a> DiffRows<'a> {
    /// Combines the hunks with the lines of the new side, if those are known.
    pub(crate) fn new(file: &'a DiffFile, text: Option<&'a [String]>) -> Self {
        let mut lines = Vec::new();
        let (mut old, mut new) = (0_u32, 0_u32);
        for hunk in &file.hunks {
            let start = start(hunk);
            if let Some(text) = text {
                between(&mut lines, text, (&mut old, &mut new), start);
            }
            let mut section = Some(title(&hunk.header));
            for line in &hunk.lines {
                old = line.old_line.map_or(old, |number| number + 1);
                new = line.new_line.map_or(new, |number| number + 1);
                lines.push(CodeLine { section: section.take(), ..code_line(line) });
            }
        }
        if let Some(text) = text.filter(|_| file.status != DiffStatus::Deleted) {
            let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
            between(&mut lines, text, (&mut old, &mut new), end);
        }
        Self { lines, whole: text.is_some() }
    }

    /// Returns the lines of a file that is not compared.
    pub(crate) fn unchanged(text: &'a [String]) -> Self {
        let lines = (0..).zip(text).map(|(number, text)| CodeLine {
            kind: DiffLineKind::Context,
            old: None,
            new: Some(number),
            text: Cow::Borrowed(text),
            section: None,
            marks: &[],
        });
        Self { lines: lines.collect(), whole: true }
    }
}

/// Returns the first line of a hunk on the new side, counted from 0.
fn start(hunk: &DiffHunk) -> u32 {
    let first = hunk.lines.iter().find_map(|line| line.new_line);
    // The header of a hunk that only removes lines has the number of the line before it.
    first.unwrap_or_else(|| new_start(&hunk.header).unwrap_or(0))
}

fn new_start(header: &str) -> Option<u32> {
    let numbers = header.split_once('+')?.1;
    numbers.split(|character: char| !character.is_ascii_digit()).next()?.parse().ok()
}

/// Returns the heading of a hunk after its numbers.
fn title(header: &str) -> &str {
    header.splitn(3, "@@").nth(2).map_or("", str::trim)
}

fn code_line(line: &DiffLine) -> CodeLine<'_> {
    let text = Cow::Borrowed(line.text.as_str());
    let (old, new) = (line.old_line, line.new_line);
    CodeLine { kind: line.kind, old, new, text, section: None, marks: &line.marks }
}

/// Adds the unchanged lines up to a line of the new side.
fn between<'a>(
    lines: &mut Vec<CodeLine<'a>>,
    text: &'a [String],
    (old, new): (&mut u32, &mut u32),
    end: u32,
) {
    while *new < end {
        let Some(line) = text.get(*new as usize) else { break };
        lines.push(CodeLine {
            kind: DiffLineKind::Context,
            old: Some(*old),
            new: Some(*new),
            text: Cow::Borrowed(line),
            section: None,
            marks: &[],
        });
        *old += 1;
        *new += 1;
    }
}
