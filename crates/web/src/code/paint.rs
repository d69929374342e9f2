//! Colours lines, and marks the words that changed in them.

use std::ops::Range;

use skein_highlight::{ColouredSpan, Language};
use skein_model::view::DiffLineKind;

use super::cell::cell;
use super::diffed::DiffRows;
use super::line::CodeLine;
use super::row::{RowOptions, RowSide};

pub(super) struct Painter<'a> {
    marks: &'a [Range<u32>],
    /// The colours of each side's lines, by their numbers.
    old: Vec<Vec<ColouredSpan>>,
    new: Vec<Vec<ColouredSpan>>,
}

impl<'a> Painter<'a> {
    pub(super) fn new(diffed: &DiffRows<'_>, shown: &RowOptions<'a>) -> Self {
        let removed = diffed.lines.iter().any(|line| line.kind == DiffLineKind::Removed);
        let colours = |number: fn(&CodeLine<'_>) -> Option<u32>| {
            shown.language.map(|language| colours(language, diffed, number)).unwrap_or_default()
        };
        let old = if removed { colours(|line| line.old) } else { Vec::new() };
        Self { marks: shown.marks, old, new: colours(|line| line.new) }
    }

    /// Returns the side of a row for a line; for an unchanged one, the new side.
    pub(super) fn side(&self, line: &CodeLine<'_>, words: &[Range<usize>]) -> RowSide {
        let (colours, number) = match line.kind {
            DiffLineKind::Removed => (&self.old, line.old),
            DiffLineKind::Added | DiffLineKind::Context => (&self.new, line.new),
        };
        let spans = number.and_then(|number| colours.get(number as usize));
        let marked = line.new.is_some_and(|new| self.marks.iter().any(|mark| mark.contains(&new)));
        RowSide {
            css: line.css(),
            marked,
            number: number.map(|number| number + 1),
            html: cell(&line.text, spans.map_or(&[], Vec::as_slice), words) + &line.marks_html(),
        }
    }
}

/// Colours all lines of one side, since a line may depend on any before it.
fn colours(
    language: Language,
    diffed: &DiffRows<'_>,
    number: fn(&CodeLine<'_>) -> Option<u32>,
) -> Vec<Vec<ColouredSpan>> {
    let last = diffed.lines.iter().filter_map(number).max();
    let mut texts = vec![""; last.map_or(0, |last| last as usize + 1)];
    for line in &diffed.lines {
        if let Some(slot) = number(line).and_then(|number| texts.get_mut(number as usize)) {
            *slot = &line.text;
        }
    }
    skein_highlight::lines(language, &texts)
}
