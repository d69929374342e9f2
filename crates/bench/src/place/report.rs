//! Prints how many answers are correct, by class.

use std::collections::BTreeMap;

use super::AnsweredCase;
use super::case::{AnswerVerdict, CaseKind, ChangeClass, TestCase, Truth};
use super::successor::Unclear;
use crate::corpus::prose::seeded;

/// The number of samples for an interval.
const BOOTSTRAP_SAMPLES: usize = 1_000;

/// The confidence from which an answer counts as certain.
const CERTAIN: f64 = 0.9;

/// A case with the verdict about the answer.
pub(super) struct JudgedCase<'a> {
    case: &'a TestCase,
    truth: &'a Truth,
    verdict: AnswerVerdict,
    /// Whether the answer is a location with a confidence of at least 0.9.
    is_certain: bool,
    /// Whether the answer is what stands in the place of the code.
    is_replacement: bool,
    /// Whether the answer has a line of the true location.
    is_in_hunk: bool,
}

impl<'a> JudgedCase<'a> {
    /// Judges an answer; `None` if the correct one is not clear.
    pub(super) fn new(answered: &'a AnsweredCase<'a>) -> Option<Self> {
        let AnsweredCase { case, located, .. } = answered;
        let truth = case.truth.as_ref().ok()?;
        Some(Self {
            case,
            truth,
            verdict: truth.judge(located),
            is_certain: located.location.is_some() && located.confidence >= CERTAIN,
            is_replacement: located.is_replacement,
            is_in_hunk: truth.is_touched_by(located),
        })
    }

    fn counts(&self) -> bool {
        !matches!(self.case.kind, CaseKind::Poor | CaseKind::Extra)
    }

    fn is_moved(&self) -> bool {
        self.case.kind != CaseKind::Poor && self.truth.class == ChangeClass::Moved
    }

    fn is_class(&self, class: ChangeClass) -> bool {
        self.counts() && self.truth.class == class
    }

    fn is_correct(&self) -> bool {
        self.verdict == AnswerVerdict::Correct
    }

    fn is_wrong(&self) -> bool {
        self.verdict == AnswerVerdict::Wrong
    }

    fn is_wrong_and_certain(&self) -> bool {
        self.is_wrong() && self.is_certain
    }
}

/// Prints the shares of all answers, and how many of the drawn cases were left out.
pub(super) fn print_report<'a>(
    judged: &[JudgedCase<'_>],
    drawn: impl Iterator<Item = &'a TestCase>,
) {
    let drawn: Vec<&TestCase> = drawn.collect();
    let left_out =
        |reason| drawn.iter().filter(|case| case.truth.as_ref().err() == Some(&reason)).count();
    let (ambiguous, disagreed) = (left_out(Unclear::Ambiguous), left_out(Unclear::Disagreement));
    let (all, judged_count) = (drawn.len() - ambiguous - disagreed, judged.len());
    println!("{all} cases, {judged_count} of them answered in time");
    println!("{disagreed} more left out because git's histogram and Myers algorithms disagree");
    println!("{ambiguous} more left out because several answers are equally good\n");
    print_counts(judged);
    print_intervals(judged);
}

type Test = fn(&JudgedCase<'_>) -> bool;

fn print_counts(judged: &[JudgedCase<'_>]) {
    const ROWS: [(&str, Test); 13] = [
        ("all", |one| one.counts()),
        ("same", |one| one.is_class(ChangeClass::Kept)),
        ("same, renamed file", |one| one.is_class(ChangeClass::Renamed)),
        ("edited", |one| one.is_class(ChangeClass::Edited)),
        ("rewritten", |one| one.is_class(ChangeClass::Rewritten)),
        ("moved", |one| one.is_class(ChangeClass::Moved)),
        ("deleted", |one| one.is_class(ChangeClass::Deleted)),
        ("(answered as replaced)", |one| one.counts() && one.is_replacement),
        ("moved, with extra cases", |one| one.is_moved()),
        ("single lines", |one| one.case.kind == CaseKind::Line),
        ("three lines", |one| one.case.kind == CaseKind::Range),
        ("rebased patches", |one| one.case.kind == CaseKind::Rebased),
        ("(blank or bracket)", |one| one.case.kind == CaseKind::Poor),
    ];
    let (certain, blank) = ("wrong >= 0.9", "");
    println!(
        "  {blank:<26} {:>6} {:>9} {:>8} {:>8} {certain:>13}",
        "cases", "correct", "wrong", "gone"
    );
    for (name, test) in ROWS {
        let cases: Vec<_> = judged.iter().filter(|one| test(one)).collect();
        let share = |test: fn(&JudgedCase<'_>) -> bool| {
            percent(&[(cases.len(), cases.iter().filter(|one| test(one)).count())])
        };
        let (correct, wrong) = (share(|one| one.is_correct()), share(|one| one.is_wrong()));
        let gone = share(|one| one.verdict == AnswerVerdict::GivenUp);
        let (all, certain) = (cases.len(), share(|one| one.is_wrong_and_certain()));
        println!(
            "  {name:<26} {all:>6} {correct:>8.2}% {wrong:>7.2}% {gone:>7.2}% {certain:>12.2}%"
        );
    }
}

fn print_intervals(judged: &[JudgedCase<'_>]) {
    /// The name, the cases, and those of them that count.
    const ROWS: [(&str, Test, Test); 9] = [
        ("correct", |one| one.counts(), |one| one.is_correct()),
        ("wrong", |one| one.counts(), |one| one.is_wrong()),
        ("wrong, confidence >= 0.9", |one| one.counts(), |one| one.is_wrong_and_certain()),
        ("rewritten, correct", |one| one.is_class(ChangeClass::Rewritten), |one| one.is_correct()),
        (
            "rewritten, in the right hunk",
            |one| one.is_class(ChangeClass::Rewritten),
            |one| one.is_in_hunk,
        ),
        ("deleted, correct", |one| one.is_class(ChangeClass::Deleted), |one| one.is_correct()),
        ("deleted, wrong", |one| one.is_class(ChangeClass::Deleted), |one| one.is_wrong()),
        ("moved, correct", |one| one.is_moved(), |one| one.is_correct()),
        ("moved, wrong", |one| one.is_moved(), |one| one.is_wrong()),
    ];
    println!("\n  {:<28} {:>6} {:>9} {:>20}", "", "cases", "share", "95 % interval");
    for (name, is_case, is_hit) in ROWS {
        let mut pairs: BTreeMap<&(String, String), (usize, usize)> = BTreeMap::new();
        for one in judged.iter().filter(|one| is_case(one)) {
            let (all, hits) = pairs.entry(&one.case.commits).or_default();
            *all += 1;
            *hits += usize::from(is_hit(one));
        }
        let pairs: Vec<(usize, usize)> = pairs.into_values().collect();
        let (low, high) = interval(&pairs);
        let (all, share) = (pairs.iter().map(|pair| pair.0).sum::<usize>(), percent(&pairs));
        println!("  {name:<28} {all:>6} {share:>8.2}% {low:>9.2}% to {high:.2}%");
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
