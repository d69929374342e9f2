//! Which lines are shown, and which are folded away.

use std::ops::Range;

use super::diffed::DiffRows;
use super::line::Kind;

/// How many unchanged lines are shown around a change or a thread.
const CONTEXT_LINES: usize = 3;
/// Fewer hidden lines than this are no relief.
const MIN_FOLDED_LINES: usize = 4;

/// A run of lines that is shown or hidden.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Run {
    /// Indices of lines that are shown.
    Shown(Range<usize>),
    /// Indices of lines that are not.
    Hidden(Range<usize>),
}

/// Parts the lines into what is shown and what is folded.
///
/// `open` are lines of the new side to show besides, counted from 0; so are those of threads, `marks`.
pub(crate) fn fold(diffed: &DiffRows<'_>, open: &[Range<u32>], marks: &[Range<u32>]) -> Vec<Run> {
    let lines = &diffed.lines;
    let mut visible = vec![!diffed.whole; lines.len()];
    let mut show = |index: usize, around: usize| {
        let from = index.saturating_sub(around);
        let until = (index + around + 1).min(lines.len());
        for flag in visible.get_mut(from..until).unwrap_or_default() {
            *flag = true;
        }
    };
    let within =
        |ranges: &[Range<u32>], line: u32| ranges.iter().any(|range| range.contains(&line));
    for (index, line) in lines.iter().enumerate() {
        if line.kind != Kind::Context {
            show(index, CONTEXT_LINES);
        }
        if line.new.is_some_and(|number| within(marks, number)) {
            show(index, CONTEXT_LINES);
        }
        if line.new.is_some_and(|number| within(open, number)) {
            show(index, 0);
        }
    }
    runs(&visible)
}

fn runs(visible: &[bool]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut start = 0;
    for part in visible.chunk_by(|a, b| a == b) {
        let end = start + part.len();
        let shown = part.first() == Some(&true) || part.len() < MIN_FOLDED_LINES;
        match runs.last_mut() {
            Some(Run::Shown(last)) if shown => last.end = end,
            _ if shown => runs.push(Run::Shown(start..end)),
            _ => runs.push(Run::Hidden(start..end)),
        }
        start = end;
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::{Run, runs};

    #[test]
    fn a_few_hidden_lines_are_shown() {
        let visible: Vec<bool> = "#...#....#".chars().map(|mark| mark == '#').collect();
        assert_eq!(runs(&visible), [Run::Shown(0..5), Run::Hidden(5..9), Run::Shown(9..10)]);
        assert_eq!(runs(&[]), []);
    }
}
