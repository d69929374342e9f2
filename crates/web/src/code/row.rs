//! Rows of a page.

use std::collections::BTreeMap;
use std::ops::Range;

use super::diffed::DiffRows;
use super::fold::{Run, fold};
use super::layout::{groups, lay};
use super::line::{Kind, Line};
use super::paint::Painter;
use skein_highlight::Language;

/// How many rows stand in one table; the browser skips tables that are out of sight.
const CHUNK: usize = 120;

/// How the two sides are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Layout {
    /// One below the other.
    Unified,
    /// Side by side.
    Split,
    /// A file as it is.
    Whole,
}

/// What to show of a file.
pub(crate) struct Shown<'a> {
    pub(crate) layout: Layout,
    pub(crate) language: Option<Language>,
    /// Lines of the new side that are shown besides, counted from 0.
    pub(crate) open: &'a [Range<u32>],
    /// Lines of the new side that threads are on, counted from 0.
    pub(crate) marks: &'a [Range<u32>],
}

/// A row; `T` is what stands between lines. Numbers are counted from 1.
pub(crate) enum Row<T> {
    /// Lines that are folded away: those of the new side from one to another.
    Fold { from: u32, to: u32, count: usize, section: String },
    /// A line.
    One { css: &'static str, marked: bool, old: Option<u32>, new: Option<u32>, html: String },
    /// A line of each side.
    Two { left: Side, right: Side },
    /// What stands between lines.
    Threads(Vec<T>),
}

/// One side of a row.
#[derive(Clone)]
pub(crate) struct Side {
    pub(crate) css: &'static str,
    pub(crate) marked: bool,
    pub(crate) number: Option<u32>,
    pub(crate) html: String,
}

/// Rows that are laid out together.
pub(crate) type Chunk<T> = Vec<Row<T>>;

/// Makes the rows of a file, with the threads behind the lines that they end on, counted from 0.
///
/// Threads on lines that are not among the rows are left in the map.
pub(crate) fn rows<T>(
    diffed: &DiffRows<'_>,
    shown: &Shown<'_>,
    threads: &mut BTreeMap<u32, Vec<T>>,
) -> Vec<Chunk<T>> {
    let runs = match shown.layout {
        Layout::Whole => vec![Run::Shown(0..diffed.lines.len())],
        Layout::Unified | Layout::Split => fold(diffed, shown.open, shown.marks),
    };
    let painter = Painter::new(diffed, shown);
    let mut chunks = Chunks { full: Vec::new(), last: Vec::new() };
    for run in runs {
        match run {
            Run::Hidden(range) => chunks.push(hidden(diffed, range, shown.language)),
            Run::Shown(range) => {
                for group in groups(diffed.lines.get(range).unwrap_or_default()) {
                    for (line, row) in lay(shown.layout, &painter, group) {
                        chunks.push(row);
                        let here = line.and_then(|line| threads.remove(&line));
                        here.into_iter().for_each(|here| chunks.push(Row::Threads(here)));
                    }
                }
            }
        }
    }
    chunks.finish()
}

struct Chunks<T> {
    full: Vec<Chunk<T>>,
    last: Chunk<T>,
}

impl<T> Chunks<T> {
    fn push(&mut self, row: Row<T>) {
        self.last.push(row);
        if self.last.len() >= CHUNK {
            self.full.push(std::mem::take(&mut self.last));
        }
    }

    fn finish(mut self) -> Vec<Chunk<T>> {
        if !self.last.is_empty() {
            self.full.push(self.last);
        }
        self.full
    }
}

/// Stands for lines that are folded away, under the heading of the changed place that follows.
fn hidden<T>(diffed: &DiffRows<'_>, range: Range<usize>, language: Option<Language>) -> Row<T> {
    let lines = diffed.lines.get(range.clone()).unwrap_or_default();
    let number = |line: Option<&Line<'_>>| line.and_then(|line| line.new).map_or(0, |at| at + 1);
    let following = diffed.lines.get(range.end..).unwrap_or_default();
    let unchanged = following.iter().take_while(|line| line.kind == Kind::Context);
    let section = match language {
        // git takes the last line that begins with a letter, which few selectors do.
        Some(Language::Css | Language::Scss | Language::Less) => {
            open_rule(diffed.lines.get(..range.end).unwrap_or_default())
        }
        _ => unchanged.filter_map(|line| line.section).next().unwrap_or_default(),
    };
    Row::Fold {
        from: number(lines.first()),
        to: number(lines.last()),
        count: lines.len(),
        section: section.to_owned(),
    }
}

/// Returns the heading of the rule of a style sheet that is still open after some lines.
fn open_rule<'a>(lines: &'a [Line<'_>]) -> &'a str {
    let mut closed = 0_usize;
    for line in lines.iter().rev().filter(|line| line.kind != Kind::Removed) {
        for character in line.text.chars().rev() {
            match (character, closed) {
                ('{', 0) => return line.text.split('{').next().unwrap_or_default().trim(),
                ('{', _) => closed -= 1,
                ('}', _) => closed += 1,
                _ => {}
            }
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use skein_model::view::{DiffFile, DiffHunk, DiffLine};

    use super::*;

    /// Ten lines, of which the fifth was changed and the sixth added.
    fn file() -> DiffFile {
        let line = |kind, old_line, new_line, text: &str| DiffLine {
            kind,
            old_line,
            new_line,
            text: text.to_owned(),
        };
        let lines = vec![
            line("context", Some(3), Some(3), "4"),
            line("removed", Some(4), None, "5 the old one"),
            line("added", None, Some(4), "5 the new one"),
            line("added", None, Some(5), "6"),
            line("context", Some(5), Some(6), "7"),
        ];
        let header = "@@ -4,3 +4,4 @@ fn x()".to_owned();
        DiffFile {
            path: "a.txt".to_owned(),
            old_path: None,
            status: "modified",
            binary: false,
            added: 2,
            removed: 1,
            hunks: vec![DiffHunk { header, lines }],
        }
    }

    fn check(layout: Layout, count: u32, thread: u32, expected: &str) {
        let text: Vec<String> = (1..=count)
            .map(|number| if number == 5 { "5 the new one".to_owned() } else { number.to_string() })
            .collect();
        let file = file();
        let diffed = DiffRows::new(&file, Some(&text));
        let mut threads = BTreeMap::from([(thread, vec!["hello"])]);
        let shown = Shown { layout, language: None, open: &[], marks: &[] };
        let mut out = String::new();
        for row in rows(&diffed, &shown, &mut threads).into_iter().flatten() {
            let number = |number: Option<u32>| number.map_or("-".to_owned(), |at| at.to_string());
            match row {
                Row::Fold { from, to, count, section } => {
                    writeln!(out, "fold {from}-{to} ({count}) {section}").unwrap();
                }
                Row::One { css, old, new, html, .. } => {
                    writeln!(out, "{} {} {css}|{html}", number(old), number(new)).unwrap();
                }
                Row::Two { left, right } => {
                    let side =
                        |side: Side| format!("{} {}|{}", number(side.number), side.css, side.html);
                    writeln!(out, "{} || {}", side(left), side(right)).unwrap();
                }
                Row::Threads(threads) => writeln!(out, "threads {}", threads.join(",")).unwrap(),
            }
        }
        writeln!(out, "left: {}", threads.len()).unwrap();
        assert_eq!(out, expected);
    }

    #[test]
    fn unified_folds_what_is_far_and_puts_threads_behind_their_line() {
        check(
            Layout::Unified,
            14,
            5,
            "1 1 |1\n2 2 |2\n3 3 |3\n4 4 |4\n5 - del|5 the <b>old</b> one\n- 5 add|5 the <b>new</b> one\n- 6 add|6\n\
             threads hello\n6 7 |7\n7 8 |8\n8 9 |9\nfold 10-14 (5) \nleft: 0\n",
        );
    }

    #[test]
    fn split_pairs_removed_with_added_lines() {
        check(
            Layout::Split,
            9,
            99,
            "1 |1 || 1 |1\n2 |2 || 2 |2\n3 |3 || 3 |3\n4 |4 || 4 |4\n\
             5 del|5 the <b>old</b> one || 5 add|5 the <b>new</b> one\n- none| || 6 add|6\n\
             6 |7 || 7 |7\n7 |8 || 8 |8\n8 |9 || 9 |9\nleft: 1\n",
        );
    }
}
