//! Decides which lines are shown, and which are folded.

use std::ops::Range;

use skein_model::view::DiffLineKind;

use super::diffed::DiffRows;

/// The number of unchanged lines that are shown around a change or a thread.
const CONTEXT_LINES: usize = 3;
/// Fewer lines than this are not folded.
const MIN_FOLDED_LINES: usize = 4;

/// A run of lines, by their indices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LineRun {
    Shown(Range<usize>),
    Hidden(Range<usize>),
}

/// Splits the lines into runs that are shown or folded.
///
/// `open` are lines of the new side to show in addition, counted from 0; `marks` are those of threads.
pub(crate) fn fold(
    diffed: &DiffRows<'_>,
    open: &[Range<u32>],
    marks: &[Range<u32>],
) -> Vec<LineRun> {
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
        if line.kind != DiffLineKind::Context {
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

fn runs(visible: &[bool]) -> Vec<LineRun> {
    let mut runs: Vec<LineRun> = Vec::new();
    let mut start = 0;
    for part in visible.chunk_by(|a, b| a == b) {
        let end = start + part.len();
        let shown = part.first() == Some(&true) || part.len() < MIN_FOLDED_LINES;
        match runs.last_mut() {
            Some(LineRun::Shown(last)) if shown => last.end = end,
            _ if shown => runs.push(LineRun::Shown(start..end)),
            _ => runs.push(LineRun::Hidden(start..end)),
        }
        start = end;
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::{LineRun, runs};

    #[test]
    fn short_runs_of_hidden_lines_are_shown() {
        let visible: Vec<bool> = "#...#....#".chars().map(|mark| mark == '#').collect();
        assert_eq!(
            runs(&visible),
            [LineRun::Shown(0..5), LineRun::Hidden(5..9), LineRun::Shown(9..10)]
        );
        assert_eq!(runs(&[]), []);
    }
}
