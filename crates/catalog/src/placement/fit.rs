//! Checks whether the text stored in a thread occurs in a file.

use skein_format::review::{Context, Range};

use crate::source_text::cut;

/// The lines of a file as an editor counts them: an empty line follows the last line end.
pub(super) struct Lines<'a> {
    lines: &'a [String],
    has_empty_end: bool,
}

/// How the commented text matches.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fit {
    /// It is equal to whole lines.
    Whole,
    /// It is equal to a part of the lines, cut at the columns of the range.
    Part,
}

impl<'a> Lines<'a> {
    /// `has_empty_end` is whether the text ends with a line end.
    pub(super) fn new(lines: &'a [String], has_empty_end: bool) -> Self {
        Self { lines, has_empty_end }
    }

    /// Returns how the commented text matches the lines from `start`, if it does.
    pub(super) fn fit(&self, start: usize, range: Range, context: &Context) -> Option<Fit> {
        // Most lines are others, and cutting them takes long.
        let first = context.selection.split('\n').next().unwrap_or_default();
        if !self.line(start)?.contains(first) {
            return None;
        }
        let there = self.run(start, count(range)?)?;
        if there.join("\n") == context.selection {
            return Some(Fit::Whole);
        }
        (cut(&there, range) == context.selection).then_some(Fit::Part)
    }

    /// Returns whether the stored context surrounds the lines from `start`.
    pub(super) fn is_around(&self, start: usize, range: Range, context: &Context) -> bool {
        let Some(count) = count(range) else { return false };
        let above = start.checked_sub(context.before.len());
        let before = above.and_then(|above| self.run(above, context.before.len()));
        let after = self.run(start + count, context.after.len());
        before.is_some_and(|before| before == context.before)
            && after.is_some_and(|after| after == context.after)
    }

    /// Returns all positions of the commented text with its stored context.
    pub(super) fn places(&self, range: Range, context: &Context) -> impl Iterator<Item = usize> {
        let fits = move |start: &usize| {
            self.fit(*start, range, context).is_some() && self.is_around(*start, range, context)
        };
        (0..=self.lines.len()).filter(fits)
    }

    fn line(&self, index: usize) -> Option<&str> {
        let end = (self.has_empty_end && index == self.lines.len()).then_some("");
        self.lines.get(index).map(String::as_str).or(end)
    }

    fn run(&self, start: usize, count: usize) -> Option<Vec<&str>> {
        (start..start + count).map(|line| self.line(line)).collect()
    }
}

/// Returns the number of lines of a range.
pub(super) fn count(range: Range) -> Option<usize> {
    Some((range.end_line as usize).checked_sub(range.start_line as usize)? + 1)
}
