//! Shows answers, to be looked at.

use super::case::{Case, Kind, Verdict};
use super::method::lines;
use super::tally::Judged;

/// Prints the first answers with a verdict.
pub(crate) fn show(judged: &[Judged<'_>], verdict: Verdict, most: usize) {
    let found = judged.iter().filter(|one| one.verdict == verdict && one.case.kind != Kind::Poor);
    for one in found.take(most) {
        show_one(one);
    }
}

fn show_one(one: &Judged<'_>) {
    let case = one.case;
    let (first, last) = case.range;
    println!(
        "--- {} {} {} +{} {:?} confidence {:.2}",
        case.kind.name(),
        case.truth.class.name(),
        case.ends.0,
        case.distance,
        one.answer.state,
        one.answer.confidence
    );
    println!("{}", case.ends.1);
    print!("asked  {}", excerpt(&case.path, &case.old, first, last));
    match &case.truth.target {
        Some(target) => print!("truth  {}", at(case, &target.path, target.first, target.last)),
        None => println!("truth  deleted"),
    }
    if let Some((path, first, last)) = &one.answer.place {
        print!("placed {}", at(case, path, *first, *last));
    }
}

fn at(case: &Case, path: &str, first: usize, last: usize) -> String {
    let own = case.new.as_ref().filter(|(name, _)| name == path).map(|(_, text)| text);
    let other = || case.others.iter().find(|file| file.path == path).map(|file| &file.new);
    own.or_else(other).map_or("?\n".to_owned(), |text| excerpt(path, text, first, last))
}

/// Shows lines with two more on either side, numbered from 1.
fn excerpt(path: &str, text: &[u8], first: usize, last: usize) -> String {
    let from = first.saturating_sub(2);
    let shown = lines(text).into_iter().enumerate().skip(from).take(last + 3 - from);
    let shown = shown.map(|(number, line)| {
        let mark = if (first..=last).contains(&number) { '>' } else { ' ' };
        let line: String = String::from_utf8_lossy(line).chars().take(110).collect();
        format!("  {mark}{:>5} {line}\n", number + 1)
    });
    format!("{path}\n{}", shown.collect::<String>())
}
