//! Decides which lines are shown, and which are folded.

use std::ops::Range;

use skein_model::view::DiffLineKind;

use super::diffed::DiffRows;

/// The number of unchanged lines that are shown around a change or a thread.
const CONTEXT_LINES: usize = 3;
/// Fewer lines than this are not folded.
const MIN_FOLDED_LINES: usize = 4;
/// A whole file with more lines is sent in pieces: 10,000 lines are 44,000 elements, which a browser needs seconds for.
const MAX_WHOLE_LINES: usize = 2_000;
/// The number of lines of a piece.
const PIECE_LINES: usize = 1_000;

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
    let mut visible = vec![!diffed.whole; diffed.lines.len()];
    show(&mut visible, diffed, open, marks);
    runs(&visible)
}

/// Splits the lines of a whole file into those that are shown and the pieces that are loaded when they are scrolled to.
///
/// `open` are lines of the pieces that were loaded, `marks` those of threads.
pub(crate) fn pieces(
    diffed: &DiffRows<'_>,
    open: &[Range<u32>],
    marks: &[Range<u32>],
) -> Vec<LineRun> {
    let count = diffed.lines.len();
    if count <= MAX_WHOLE_LINES {
        return vec![LineRun::Shown(0..count)];
    }
    let mut visible = vec![false; count];
    visible.iter_mut().take(PIECE_LINES).for_each(|line| *line = true);
    show(&mut visible, diffed, open, marks);
    let mut pieces = Vec::new();
    for run in runs(&visible) {
        match run {
            LineRun::Hidden(range) => {
                let starts = range.clone().step_by(PIECE_LINES);
                let piece = |start: usize| start..range.end.min(start + PIECE_LINES);
                pieces.extend(starts.map(|start| LineRun::Hidden(piece(start))));
            }
            LineRun::Shown(_) => pieces.push(run),
        }
    }
    pieces
}

/// Marks the lines that were changed, have a thread, or were unfolded.
fn show(visible: &mut [bool], diffed: &DiffRows<'_>, open: &[Range<u32>], marks: &[Range<u32>]) {
    let mut show = |index: usize, around: usize| {
        let first = index.saturating_sub(around);
        let count = index + around + 1 - first;
        visible.iter_mut().skip(first).take(count).for_each(|line| *line = true);
    };
    let within =
        |ranges: &[Range<u32>], line: u32| ranges.iter().any(|range| range.contains(&line));
    for (index, line) in diffed.lines.iter().enumerate() {
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
    use super::super::diffed::DiffRows;
    use super::{LineRun, pieces, runs};

    #[test]
    fn a_long_file_is_split_into_pieces() {
        let check = |count: usize, open: &[std::ops::Range<u32>], expected: &[LineRun]| {
            let text = vec![String::new(); count];
            let mark = 5_000..5_001;
            let marks = std::slice::from_ref(&mark);
            assert_eq!(pieces(&DiffRows::unchanged(&text), open, marks), expected, "{count}");
        };
        check(2_000, &[], &[LineRun::Shown(0..2_000)]);
        let end = [LineRun::Shown(4_997..5_004), LineRun::Hidden(5_004..5_100)];
        let hidden = |range| LineRun::Hidden(range);
        let start = [LineRun::Shown(0..1_000), hidden(1_000..2_000), hidden(2_000..3_000)];
        let middle = [hidden(3_000..4_000), hidden(4_000..4_997)];
        check(5_100, &[], &[&start[..], &middle, &end].concat());
        let start = [LineRun::Shown(0..2_000), hidden(2_000..3_000)];
        check(5_100, std::slice::from_ref(&(1_000..2_000)), &[&start[..], &middle, &end].concat());
    }

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
