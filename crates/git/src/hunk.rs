//! A hunk of a diff.

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};
use std::ops::Range;

/// Which sides a line of a hunk is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// On both sides.
    Context,
    /// On the new side only.
    Added,
    /// On the old side only.
    Removed,
}

/// A line of a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HunkLine {
    pub kind: LineKind,
    /// Its bytes without the line feed; a carriage return before it is part of them.
    pub bytes: Vec<u8>,
    /// Whether it is the last line of a file without a final line feed.
    pub no_newline: bool,
}

impl HunkLine {
    /// Returns the line with bytes that are not UTF-8 replaced.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }
}

impl Display for HunkLine {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let sign = match self.kind {
            LineKind::Context => ' ',
            LineKind::Added => '+',
            LineKind::Removed => '-',
        };
        writeln!(f, "{sign}{}", self.text())?;
        if self.no_newline {
            writeln!(f, "\\ No newline at end of file")?;
        }
        Ok(())
    }
}

/// A run of changed lines with the lines around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// The first line on the old side, counted from 1; if there is none, the line before the hunk.
    pub old_start: u32,
    /// The number of lines on the old side.
    pub old_lines: u32,
    /// The first line on the new side, counted from 1; if there is none, the line before the hunk.
    pub new_start: u32,
    /// The number of lines on the new side.
    pub new_lines: u32,
    /// The text after the line numbers of the header, such as the enclosing function.
    pub section: String,
    /// The lines in order.
    pub lines: Vec<HunkLine>,
}

impl Hunk {
    /// Returns the line that git writes above the hunk, such as `@@ -1,3 +1,4 @@ fn x`.
    pub fn header(&self) -> String {
        let old = Span { start: self.old_start, lines: self.old_lines };
        let new = Span { start: self.new_start, lines: self.new_lines };
        let blank = if self.section.is_empty() { "" } else { " " };
        format!("@@ -{old} +{new} @@{blank}{}", self.section)
    }

    /// Returns the whole hunk as git writes it, with its header.
    ///
    /// Bytes that are not UTF-8 are replaced.
    pub fn text(&self) -> String {
        let mut text = self.header() + "\n";
        text.extend(self.lines.iter().map(HunkLine::to_string));
        text
    }

    /// Returns the lines of the new side that it spans, counted from 0.
    pub fn new_range(&self) -> Range<u32> {
        if self.new_lines == 0 {
            return self.new_start..self.new_start;
        }
        let start = self.new_start.saturating_sub(1);
        start..start.saturating_add(self.new_lines)
    }

    /// Returns the lines of the new side that are not on the old one, counted from 0.
    pub fn added_lines(&self) -> impl Iterator<Item = u32> {
        let on_new_side = self.lines.iter().filter(|line| line.kind != LineKind::Removed);
        self.new_range()
            .zip(on_new_side)
            .filter(|(_, line)| line.kind == LineKind::Added)
            .map(|(number, _)| number)
    }
}

/// The line numbers of one side, as in the header.
struct Span {
    start: u32,
    lines: u32,
}

impl Display for Span {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.lines {
            1 => write!(f, "{}", self.start),
            lines => write!(f, "{},{lines}", self.start),
        }
    }
}
