//! Lays lines out as unified or split rows.

use skein_model::view::DiffLineKind;

use super::line::CodeLine;
use super::paint::Painter;
use super::row::{CodeLayout, Row, RowSide};

/// Groups lines: each unchanged line is a group, and so are removed lines with the added ones that follow.
pub(super) fn groups<'a, 'b>(
    lines: &'a [CodeLine<'b>],
) -> impl Iterator<Item = &'a [CodeLine<'b>]> {
    lines.chunk_by(|a, b| {
        let changed = (DiffLineKind::Removed, DiffLineKind::Removed) == (a.kind, b.kind);
        changed || (a.kind != DiffLineKind::Context && b.kind == DiffLineKind::Added)
    })
}

/// Makes the rows of a group, each with the line of the new side that it shows, counted from 0.
pub(super) fn lay_out<T>(
    layout: CodeLayout,
    painter: &Painter<'_>,
    group: &[CodeLine<'_>],
) -> Vec<(Option<u32>, Row<T>)> {
    let removed = group.iter().take_while(|line| line.kind == DiffLineKind::Removed).count();
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
        CodeLayout::Unified | CodeLayout::Whole => {
            group.iter().zip(old.chain(new)).map(|(line, side)| one(line, side)).collect()
        }
        CodeLayout::Split => match group {
            [line] if line.kind == DiffLineKind::Context => {
                new.map(|side| both(line, side)).collect()
            }
            _ => beside(rest, old, new),
        },
    }
}

fn one<T>(line: &CodeLine<'_>, side: RowSide) -> (Option<u32>, Row<T>) {
    let RowSide { css, marked, html, .. } = side;
    let number = |line: Option<u32>| line.map(|line| line + 1);
    (line.new, Row::One { css, marked, old: number(line.old), new: number(line.new), html })
}

/// A line that is on both sides.
fn both<T>(line: &CodeLine<'_>, right: RowSide) -> (Option<u32>, Row<T>) {
    let left = RowSide { number: line.old.map(|old| old + 1), marked: false, ..right.clone() };
    (line.new, Row::Two { left, right })
}

/// Removed lines on the left, added ones on the right.
fn beside<T>(
    added: &[CodeLine<'_>],
    mut old: impl ExactSizeIterator<Item = RowSide>,
    mut new: impl ExactSizeIterator<Item = RowSide>,
) -> Vec<(Option<u32>, Row<T>)> {
    let blank = || RowSide { css: "none", marked: false, number: None, html: String::new() };
    let count = old.len().max(new.len());
    let mut row = |index: usize| {
        let left = old.next().unwrap_or_else(blank);
        let right = new.next().unwrap_or_else(blank);
        (added.get(index).and_then(|line| line.new), Row::Two { left, right })
    };
    (0..count).map(&mut row).collect()
}
