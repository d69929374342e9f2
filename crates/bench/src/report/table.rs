//! The rows, below a heading for each group.

use super::{Report, number};
use crate::figure::{Figure, Unit};
use crate::programs::Program;

/// Writes all rows, and the notes below them.
pub(super) fn rows(report: &Report) -> String {
    let mut lines = vec![heading()];
    let mut notes: Vec<&str> = Vec::new();
    for group in &report.groups {
        let (title, others, seconds) = (group.title, group.others, group.seconds);
        lines.push(format!("{title} ({seconds} s; others used {others:.2} processors)\n"));
        let of_group = report.figures.iter().filter(|figure| figure.group == group.name);
        for figure in of_group.filter(|figure| figure.exponent_bound.is_none()) {
            let mark = figure.note.as_deref().map(|note| number_of(note, &mut notes));
            lines.push(row(figure, mark, report.is_busy()));
        }
    }
    let notes = notes.iter().enumerate();
    lines.extend(notes.map(|(at, note)| format!("[{}] {note}\n", at + 1)));
    lines.concat()
}

/// Returns the number of a note, which is added if it is not there.
fn number_of<'a>(note: &'a str, notes: &mut Vec<&'a str>) -> usize {
    let known = notes.iter().position(|known| *known == note);
    let at = known.unwrap_or_else(|| {
        notes.push(note);
        notes.len() - 1
    });
    at + 1
}

fn heading() -> String {
    let programs: String =
        Program::ALL.iter().map(|program| format!(" {:>9}", program.name())).collect();
    format!(
        "{:<43} {:<14} {:>9} {:>11} {:>10} {:>8}  {:<10}{programs}\n",
        "figure", "corpus", "skein", "baseline", "ratio", "target", "verdict"
    )
}

fn row(figure: &Figure, mark: Option<usize>, busy: bool) -> String {
    let time = |time: Option<f64>| time.map_or("-".to_owned(), number::time);
    let name = match mark {
        Some(mark) => format!("{} [{mark}]", figure.name),
        None => figure.name.clone(),
    };
    let value = number::value(figure.value, figure.unit);
    let (bound, verdict) = match figure.bound {
        Some(bound) => (number::bound(bound, figure.unit), verdict(figure, busy)),
        None => ("-".to_owned(), ""),
    };
    let line = format!(
        "  {name:<41} {:<14} {:>9} {:>11} {value:>10} {bound:>8}  {verdict:<10}{}",
        figure.corpus,
        time(figure.skein_ms),
        time(figure.baseline_ms),
        programs(figure),
    );
    format!("{}\n", line.trim_end())
}

fn verdict(figure: &Figure, busy: bool) -> &'static str {
    match (busy, figure.is_over()) {
        (true, _) => "not judged",
        (false, true) => "OVER",
        (false, false) => "ok",
    }
}

/// Writes what other programs take, in a column for each.
fn programs(figure: &Figure) -> String {
    let shown = |amount: &f64| match figure.unit {
        Unit::Ratio | Unit::Milliseconds => number::time(*amount),
        unit => number::value(*amount, unit),
    };
    let column = |program: &Program| figure.programs.get(program).map(shown).unwrap_or_default();
    Program::ALL.iter().map(|program| format!(" {:>9}", column(program))).collect()
}
