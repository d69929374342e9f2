//! Turns a changed file into rows.

use std::collections::BTreeMap;
use std::ops::Range;

use skein_highlight::Language;
use skein_model::view::DiffLineKind;

use super::diffed::DiffRows;
use super::fold::{LineRun, fold, pieces};
use super::layout::{groups, lay_out};
use super::line::CodeLine;
use super::paint::Painter;
use super::row::{CodeLayout, Row, RowChunk, RowOptions};

/// The maximum number of rows in one table. The browser skips tables that are out of sight.
const MAX_CHUNK_LEN: usize = 120;

/// Makes the rows of a file, with the threads after the lines on which they end, counted from 0.
///
/// Threads on lines that are not among the rows are left in the map.
pub(crate) fn rows<T>(
    diffed: &DiffRows<'_>,
    shown: &RowOptions<'_>,
    threads: &mut BTreeMap<u32, Vec<T>>,
) -> Vec<RowChunk<T>> {
    let runs = match shown.layout {
        CodeLayout::Whole => pieces(diffed, shown.open, shown.marks),
        CodeLayout::Unified | CodeLayout::Split => fold(diffed, shown.open, shown.marks),
    };
    let painter = Painter::new(diffed, shown);
    let mut rows = Vec::new();
    for run in runs {
        match run {
            LineRun::Hidden(range) => rows.push(hidden(diffed, range, shown.language)),
            LineRun::Shown(range) => {
                for group in groups(diffed.lines.get(range).unwrap_or_default()) {
                    for (line, row) in lay_out(shown.layout, &painter, group) {
                        rows.push(row);
                        let here = line.and_then(|line| threads.remove(&line));
                        here.into_iter().for_each(|here| rows.push(Row::Threads(here)));
                    }
                }
            }
        }
    }
    let mut rows = rows.into_iter().peekable();
    let mut chunks = Vec::new();
    while rows.peek().is_some() {
        chunks.push(rows.by_ref().take(MAX_CHUNK_LEN).collect());
    }
    chunks
}

/// Returns the row for folded lines, with the heading of the change that follows.
fn hidden<T>(diffed: &DiffRows<'_>, range: Range<usize>, language: Option<Language>) -> Row<T> {
    let lines = diffed.lines.get(range.clone()).unwrap_or_default();
    let number =
        |line: Option<&CodeLine<'_>>| line.and_then(|line| line.new).map_or(0, |at| at + 1);
    let following = diffed.lines.get(range.end..).unwrap_or_default();
    let unchanged = following.iter().take_while(|line| line.kind == DiffLineKind::Context);
    let section = match language {
        // git uses the last line that begins with a letter, but few selectors begin with one.
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

/// Returns the selector of the rule of a style sheet that is not closed at the end of some lines.
fn open_rule<'a>(lines: &'a [CodeLine<'_>]) -> &'a str {
    let mut closed = 0_usize;
    for line in lines.iter().rev().filter(|line| line.kind != DiffLineKind::Removed) {
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

    use skein_model::view::{DiffFile, DiffHunk, DiffLine, DiffStatus};

    use super::super::row::RowSide;
    use super::*;

    /// Ten lines, of which the fifth was changed and the sixth added.
    fn file() -> DiffFile {
        let line = |kind, old_line, new_line, text: &str| DiffLine {
            kind,
            old_line,
            new_line,
            text: text.to_owned(),
            marks: Vec::new(),
        };
        let lines = vec![
            line(DiffLineKind::Context, Some(3), Some(3), "4"),
            line(DiffLineKind::Removed, Some(4), None, "5 the old one"),
            line(DiffLineKind::Added, None, Some(4), "5 the new one"),
            line(DiffLineKind::Added, None, Some(5), "6"),
            line(DiffLineKind::Context, Some(5), Some(6), "7"),
        ];
        let header = "@@ -4,3 +4,4 @@ fn x()".to_owned();
        DiffFile {
            path: "a.txt".to_owned(),
            old_path: None,
            status: DiffStatus::Modified,
            old_mode: None,
            new_mode: None,
            binary: false,
            diff_disabled: false,
            added: 2,
            removed: 1,
            hunks: vec![DiffHunk { header, lines }],
        }
    }

    fn check(layout: CodeLayout, count: u32, thread: u32, expected: &str) {
        let text: Vec<String> = (1..=count)
            .map(|number| if number == 5 { "5 the new one".to_owned() } else { number.to_string() })
            .collect();
        let file = file();
        let diffed = DiffRows::new(&file, Some(&text));
        let mut threads = BTreeMap::from([(thread, vec!["hello"])]);
        let shown = RowOptions { layout, language: None, open: &[], marks: &[] };
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
                    let side = |side: RowSide| {
                        format!("{} {}|{}", number(side.number), side.css, side.html)
                    };
                    writeln!(out, "{} || {}", side(left), side(right)).unwrap();
                }
                Row::Threads(threads) => writeln!(out, "threads {}", threads.join(",")).unwrap(),
            }
        }
        writeln!(out, "left: {}", threads.len()).unwrap();
        assert_eq!(out, expected);
    }

    #[test]
    fn unified_folds_distant_lines_and_puts_threads_after_their_line() {
        check(
            CodeLayout::Unified,
            14,
            5,
            "1 1 |1\n2 2 |2\n3 3 |3\n4 4 |4\n5 - del|5 the <b>old</b> one\n- 5 add|5 the <b>new</b> one\n- 6 add|6\n\
             threads hello\n6 7 |7\n7 8 |8\n8 9 |9\nfold 10-14 (5) \nleft: 0\n",
        );
    }

    #[test]
    fn split_pairs_removed_with_added_lines() {
        check(
            CodeLayout::Split,
            9,
            99,
            "1 |1 || 1 |1\n2 |2 || 2 |2\n3 |3 || 3 |3\n4 |4 || 4 |4\n\
             5 del|5 the <b>old</b> one || 5 add|5 the <b>new</b> one\n- none| || 6 add|6\n\
             6 |7 || 7 |7\n7 |8 || 8 |8\n8 |9 || 9 |9\nleft: 1\n",
        );
    }
}
