//! Lays lines out, one below the other or side by side.

use super::line::{Kind, Line};
use super::paint::Painter;
use super::row::{Layout, Row, Side};

/// Parts lines into runs that belong together: unchanged ones one by one, removed and added ones as a whole.
pub(super) fn groups<'a, 'b>(lines: &'a [Line<'b>]) -> impl Iterator<Item = &'a [Line<'b>]> {
    lines.chunk_by(|a, b| {
        let changed = (Kind::Removed, Kind::Removed) == (a.kind, b.kind);
        changed || (a.kind != Kind::Context && b.kind == Kind::Added)
    })
}

/// Makes the rows of a group, each with the line of the new side that it shows, counted from 0.
pub(super) fn lay<T>(
    layout: Layout,
    painter: &Painter<'_>,
    group: &[Line<'_>],
) -> Vec<(Option<u32>, Row<T>)> {
    let removed = group.iter().take_while(|line| line.kind == Kind::Removed).count();
    let (gone, rest) = group.split_at_checked(removed).unwrap_or((group, &[]));
    let pairs = gone.iter().zip(rest);
    let words: Vec<_> = pairs.map(|(old, new)| skein_anchor::words(&old.text, &new.text)).collect();
    let old = gone.iter().enumerate().map(|(index, line)| {
        painter.side(line, words.get(index).map_or(&[], |(before, _)| before))
    });
    let new = rest
        .iter()
        .enumerate()
        .map(|(index, line)| painter.side(line, words.get(index).map_or(&[], |(_, after)| after)));
    match layout {
        Layout::Unified | Layout::Whole => {
            group.iter().zip(old.chain(new)).map(|(line, side)| one(line, side)).collect()
        }
        Layout::Split => match group {
            [line] if line.kind == Kind::Context => new.map(|side| both(line, side)).collect(),
            _ => beside(rest, old, new),
        },
    }
}

fn one<T>(line: &Line<'_>, side: Side) -> (Option<u32>, Row<T>) {
    let Side { css, marked, html, .. } = side;
    let number = |line: Option<u32>| line.map(|line| line + 1);
    (line.new, Row::One { css, marked, old: number(line.old), new: number(line.new), html })
}

/// A line that is on both sides.
fn both<T>(line: &Line<'_>, right: Side) -> (Option<u32>, Row<T>) {
    let left = Side { number: line.old.map(|old| old + 1), marked: false, ..right.clone() };
    (line.new, Row::Two { left, right })
}

/// Removed lines on the left, added ones on the right.
fn beside<T>(
    added: &[Line<'_>],
    mut old: impl ExactSizeIterator<Item = Side>,
    mut new: impl ExactSizeIterator<Item = Side>,
) -> Vec<(Option<u32>, Row<T>)> {
    let blank = || Side { css: "none", marked: false, number: None, html: String::new() };
    let count = old.len().max(new.len());
    let mut row = |index: usize| {
        let left = old.next().unwrap_or_else(blank);
        let right = new.next().unwrap_or_else(blank);
        (added.get(index).and_then(|line| line.new), Row::Two { left, right })
    };
    (0..count).map(&mut row).collect()
}
