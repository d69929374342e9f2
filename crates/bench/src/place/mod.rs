//! Measures how often the program finds code again, on the history of real repositories.
//!
//! ```text
//! cargo run --release -p skein-bench -- place REPO… [--program target/release/skein] [--cases 2000] [--minutes 20]
//! ```
//!
//! # Cases
//!
//! Each pair is a random commit of the first-parent history, and the commit that is 5, 20 or 60 commits later. Up to
//! six files that differ are used; of each file one line anywhere, one line up to five lines from a change, two lines
//! inside changes, and three-line ranges inside and near a change. This is harder than everyday use, where most
//! comments are on code that does not change. Blank lines and lone brackets are reported and not counted. Moved
//! code is rare, so ten more lines inside the changes of each file are followed, and those that were moved are
//! used too; they count only for the moved lines.
//!
//! Rebased patches are real ones: a commit of another branch, usually the head of a pull request, whose patch is
//! also in the history, on another base. Two lines that it added to each file that differs are used, in the
//! history right after the patch and 5 and 20 commits later.
//!
//! # Truth
//!
//! A line is followed from commit to commit, through small differences that git computes with its histogram
//! algorithm, without context, and with its detection of renames. For a line that a commit removed, the first
//! rule that applies decides:
//!
//! 1. The same text in the hunk. Equal lines are paired in order, if there are as many after as before.
//! 2. The same text among all lines that the commit added to any file, with at least one of the three lines on
//!    either side the same, in one location more than in any other.
//! 3. In a hunk of as many lines after as before, the line at the same position, if its similarity is 0.6.
//! 4. The lines into which it was split: each has 0.6 of its words from the line, and together they have 0.6 of
//!    the line's words. Any of them is right.
//! 5. The line of the hunk with a similarity of at least 0.6, if each is the most similar one to the other.
//! 6. The same text anywhere else, without neighbours, if the commit removed it once and added it once.
//!
//! A line for which no rule finds another was rewritten if its hunk has new lines: any of them is right, and
//! "gone" is not. Later commits may change these lines in turn. If its hunk has no new lines, the line was deleted,
//! and only "gone" is right, unless a later commit restores it together with two neighbours. A range was rewritten
//! or deleted if all its lines were.
//!
//! The program under test uses a histogram diff too, so such a hunk counts only if git's Myers algorithm finds the
//! same one. Cases on which the two disagree are left out, and so are cases with several equally good answers,
//! lines of which another hunk of the same file has a similar one (0.75), lines of which the text is written again
//! later, without two of its neighbours or in another file, and ranges whose lines went to several files, out of order, or more than forty
//! lines apart. If a later commit writes the text of a deleted line again in the same file, without two of its
//! neighbours, both that line and "gone" are right.
//!
//! An answer for a split line may leave out or include lines next to it that have 0.6 of their words from the line.
//! At the ends of a range, lines in the place of rewritten ones, blank lines and brackets may be included or not.
//!
//! The similarity is that of common substrings, not the one of the crate under test. For a rebased patch, the
//! n-th line that it added to a file on one base is the n-th that it added on the other.
//!
//! # Verdicts
//!
//! Correct is the true location, or none for deleted lines; wrong is any other location; given up is none for
//! lines that still exist or were rewritten. An answer in the state `replaced` is correct if it contains the true
//! location and has at most forty lines: it says that the code is somewhere in it.  Intervals are computed by bootstrapping over pairs of commits, because the cases of
//! one pair depend on each other.

mod ask;
mod case;
mod history;
mod pasted;
mod sample;
mod similarity;
mod successor;
mod truth;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::Outcome;
use crate::corpus::prose::seeded;
use crate::program::Skein;
use ask::ask;
use case::{AnswerVerdict, CaseKind, ChangeClass, Located, TestCase};
use sample::draw_sample;

/// The number of samples for an interval.
const BOOTSTRAP_SAMPLES: usize = 1_000;

/// A case with the verdict about the answer.
struct JudgedCase<'a> {
    case: &'a TestCase,
    verdict: AnswerVerdict,
    /// Whether the answer is a location with a confidence of at least 0.9.
    is_confident: bool,
    /// Whether the answer is what stands in the place of the code.
    is_replacement: bool,
}

/// Draws cases from each repository, runs the program, and prints the share of correct answers.
///
/// Every other answer is printed as progress.
pub(crate) fn run(
    skein: &Skein,
    repositories: &[PathBuf],
    cases: usize,
    minutes: u64,
) -> Outcome<()> {
    let wanted = cases.div_ceil(repositories.len().max(1));
    let time = Duration::from_secs(minutes * 60) / u32::try_from(repositories.len().max(1))?;
    let mut samples = Vec::new();
    for dir in repositories {
        eprintln!("drawing from {}", dir.display());
        samples.push((dir, draw_sample(dir, wanted)?));
    }
    let mut judged: Vec<JudgedCase<'_>> = Vec::new();
    for (dir, sample) in &samples {
        eprintln!("asking about {} cases of {}", sample.cases.len(), dir.display());
        for (case, located) in ask(skein, dir, &sample.cases, Instant::now() + time)? {
            let verdict = case.truth.judge(&located);
            if verdict != AnswerVerdict::Correct {
                eprintln!("{}", described(case, &located, verdict));
            }
            let is_confident = located.location.is_some() && located.confidence >= 0.9;
            let is_replacement = located.is_replacement;
            judged.push(JudgedCase { case, verdict, is_confident, is_replacement });
        }
    }
    let drawn: usize = samples.iter().map(|(_, sample)| sample.cases.len()).sum();
    let unclear: usize = samples.iter().map(|(_, sample)| sample.unclear).sum();
    println!("{drawn} cases; {unclear} left out because the correct answer is not clear\n");
    print_counts(&judged);
    print_intervals(&judged);
    Ok(())
}

/// Describes an answer that is not correct; line numbers start at 1.
fn described(case: &TestCase, located: &Located, verdict: AnswerVerdict) -> String {
    let (first, last) = (case.range.0 + 1, case.range.1 + 1);
    let answer = match &located.location {
        Some((path, first, last)) => format!("{path}:{}-{}", first + 1, last + 1),
        None => "gone".to_owned(),
    };
    let (verdict, confidence, truth) = (verdict.as_str(), located.confidence, &case.truth);
    let (from, to, path) = (&case.commits.0, &case.commits.1, &case.path);
    let kind = case.kind;
    format!(
        "{verdict} {kind:?} {from}..{to} {path}:{first}-{last}: {answer} ({confidence:.2}), not {truth}"
    )
}

impl JudgedCase<'_> {
    fn counts(&self) -> bool {
        !matches!(self.case.kind, CaseKind::Poor | CaseKind::Extra)
    }

    fn is_moved(&self) -> bool {
        self.case.kind != CaseKind::Poor && self.case.truth.class == ChangeClass::Moved
    }

    fn is_class(&self, class: ChangeClass) -> bool {
        self.counts() && self.case.truth.class == class
    }
}

type Test = fn(&JudgedCase<'_>) -> bool;

fn print_counts(judged: &[JudgedCase<'_>]) {
    const ROWS: [(&str, Test); 13] = [
        ("all", |one| one.counts()),
        ("kept or shifted", |one| one.is_class(ChangeClass::Kept)),
        ("edited", |one| one.is_class(ChangeClass::Edited)),
        ("moved", |one| one.is_class(ChangeClass::Moved)),
        ("renamed file", |one| one.is_class(ChangeClass::Renamed)),
        ("rewritten", |one| one.is_class(ChangeClass::Rewritten)),
        ("(answered as replaced)", |one| one.counts() && one.is_replacement),
        ("deleted", |one| one.is_class(ChangeClass::Deleted)),
        ("moved, with extra cases", |one| one.is_moved()),
        ("single lines", |one| one.case.kind == CaseKind::Line),
        ("three lines", |one| one.case.kind == CaseKind::Range),
        ("rebased patches", |one| one.case.kind == CaseKind::Rebased),
        ("(blank or bracket)", |one| one.case.kind == CaseKind::Poor),
    ];
    println!("  {:<26} {:>6} {:>9} {:>8} {:>9}", "", "cases", "correct", "wrong", "given up");
    for (name, test) in ROWS {
        let cases: Vec<_> = judged.iter().filter(|one| test(one)).collect();
        let share = |verdict| {
            let count = cases.iter().filter(|one| one.verdict == verdict).count();
            percent(&[(cases.len(), count)])
        };
        let (correct, wrong) = (share(AnswerVerdict::Correct), share(AnswerVerdict::Wrong));
        let (all, given_up) = (cases.len(), share(AnswerVerdict::GivenUp));
        println!("  {name:<26} {all:>6} {correct:>8.2}% {wrong:>7.2}% {given_up:>8.2}%");
    }
}

fn print_intervals(judged: &[JudgedCase<'_>]) {
    const ROWS: [(&str, AnswerVerdict, Test); 6] = [
        ("correct", AnswerVerdict::Correct, |one| one.counts()),
        ("wrong", AnswerVerdict::Wrong, |one| one.counts()),
        ("wrong, confidence >= 0.9", AnswerVerdict::Wrong, |one| one.counts() && one.is_confident),
        ("rewritten, correct", AnswerVerdict::Correct, |one| one.is_class(ChangeClass::Rewritten)),
        ("moved, correct", AnswerVerdict::Correct, |one| one.is_moved()),
        ("moved, wrong", AnswerVerdict::Wrong, |one| one.is_moved()),
    ];
    println!("\n  {:<26} {:>9} {:>20}", "", "share", "95 % interval");
    for (name, verdict, test) in ROWS {
        let mut pairs: BTreeMap<&(String, String), (usize, usize)> = BTreeMap::new();
        for one in judged.iter().filter(|one| test(one)) {
            let (all, hits) = pairs.entry(&one.case.commits).or_default();
            *all += 1;
            *hits += usize::from(one.verdict == verdict);
        }
        let pairs: Vec<(usize, usize)> = pairs.into_values().collect();
        let (low, high) = interval(&pairs);
        println!("  {name:<26} {:>8.2}% {low:>9.2}% to {high:.2}%", percent(&pairs));
    }
}

/// Returns the 95 % interval of the share, from the number of cases and hits of each pair of commits.
fn interval(pairs: &[(usize, usize)]) -> (f64, f64) {
    let mut random = seeded(1, 0);
    let mut shares: Vec<f64> = (0..BOOTSTRAP_SAMPLES)
        .map(|_| {
            let drawn = pairs.iter().filter_map(|_| random.choice(pairs));
            percent(&drawn.copied().collect::<Vec<_>>())
        })
        .collect();
    shares.sort_unstable_by(f64::total_cmp);
    let bound = |index: usize| shares.get(index).copied().unwrap_or_default();
    (bound(BOOTSTRAP_SAMPLES / 40), bound(BOOTSTRAP_SAMPLES - 1 - BOOTSTRAP_SAMPLES / 40))
}

fn percent(pairs: &[(usize, usize)]) -> f64 {
    let (all, hits) = pairs.iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    100.0 * hits as f64 / all.max(1) as f64
}
