//! Counts verdicts and prints them.

use super::case::{Case, Class, Kind, Verdict};
use super::interval::share;
use super::method::Answer;
use super::sample::DISTANCES;

/// How many answers were how good.
#[derive(Clone, Copy, Default)]
pub(crate) struct Count {
    correct: usize,
    wrong: usize,
    given_up: usize,
}

impl Count {
    fn add(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Correct => self.correct += 1,
            Verdict::Wrong => self.wrong += 1,
            Verdict::GivenUp => self.given_up += 1,
        }
    }

    fn all(self) -> usize {
        self.correct + self.wrong + self.given_up
    }

    fn line(self, name: &str) -> String {
        let share = |part: usize| 100.0 * part as f64 / self.all().max(1) as f64;
        let (correct, wrong, given_up) =
            (share(self.correct), share(self.wrong), share(self.given_up));
        let all = self.all();
        format!("  {name:<26} {all:>6} {correct:>8.2}% {wrong:>7.2}% {given_up:>8.2}%\n")
    }
}

/// A case, and what one method said about it.
pub(crate) struct Judged<'a> {
    pub(crate) case: &'a Case,
    pub(crate) answer: Answer,
    pub(crate) verdict: Verdict,
}

impl<'a> Judged<'a> {
    pub(crate) fn new(case: &'a Case, answer: Answer) -> Self {
        let place = answer.place.as_ref().map(|(path, first, last)| (path.as_str(), *first, *last));
        let verdict = case.truth.judge(place);
        Self { case, answer, verdict }
    }

    fn counts(&self) -> bool {
        self.case.kind != Kind::Poor && !self.case.is_extra
    }

    /// Returns whether the case counts for the moved lines, as those do that were asked about because they moved.
    fn is_moved(&self) -> bool {
        self.case.kind != Kind::Poor && self.case.truth.class == Class::Moved
    }

    fn is_certain(&self) -> bool {
        self.counts() && self.answer.place.is_some() && self.answer.confidence >= 0.9
    }
}

/// Returns the head of the tables.
pub(crate) fn head() -> String {
    format!("  {:<26} {:>6} {:>9} {:>8} {:>9}\n", "", "cases", "correct", "wrong", "given up")
}

/// Returns one line for everything.
pub(crate) fn total(name: &str, judged: &[Judged<'_>]) -> String {
    count(judged, |one| one.counts()).line(name)
}

/// Returns a line for each class, distance and kind.
pub(crate) fn breakdown(judged: &[Judged<'_>]) -> String {
    let mut text = String::new();
    for class in Class::ALL {
        let of_class = |one: &Judged<'_>| one.counts() && one.case.truth.class == class;
        text += &count(judged, of_class).line(class.name());
    }
    text += &count(judged, |one| one.is_moved()).line("moved, with extra cases");
    for distance in DISTANCES {
        let is_linear = |one: &Judged<'_>| one.counts() && one.case.kind != Kind::Rebased;
        let of_distance = |one: &Judged<'_>| is_linear(one) && one.case.distance == distance;
        text += &count(judged, of_distance).line(&format!("{distance} commits later"));
    }
    for kind in Kind::ALL {
        let of_kind = |one: &Judged<'_>| one.case.kind == kind && !one.case.is_extra;
        text += &count(judged, of_kind).line(kind.name());
    }
    text
}

/// Returns how often places were wrong, by how sure the method was of them.
pub(crate) fn calibration(judged: &[Judged<'_>]) -> String {
    const BINS: [(f32, f32); 6] =
        [(0.0, 0.5), (0.5, 0.7), (0.7, 0.8), (0.8, 0.9), (0.9, 0.95), (0.95, 1.01)];
    let mut text = String::new();
    for (low, high) in BINS.into_iter().chain([(0.9, 1.01)]) {
        let inside = |one: &Judged<'_>| {
            let confidence = one.answer.confidence;
            one.counts() && one.answer.place.is_some() && confidence >= low && confidence < high
        };
        let high = high.min(1.0);
        text += &count(judged, inside).line(&format!("confidence {low:.2} to {high:.2}"));
    }
    text
}

/// Returns the shares that matter most, with their intervals.
pub(crate) fn intervals(judged: &[Judged<'_>]) -> String {
    type Test = fn(&Judged<'_>) -> bool;
    let rows: [(&str, Verdict, Test); 5] = [
        ("correct", Verdict::Correct, |one| one.counts()),
        ("wrong", Verdict::Wrong, |one| one.counts()),
        ("wrong of confidence 0.9 on", Verdict::Wrong, |one| one.is_certain()),
        ("moved, correct", Verdict::Correct, |one| one.is_moved()),
        ("moved, wrong", Verdict::Wrong, |one| one.is_moved()),
    ];
    let mut text = format!("  {:<26} {:>9} {:>20}\n", "", "share", "95 % interval");
    for (name, verdict, test) in rows {
        let (share, low, high) = share(judged, verdict, test);
        let row = format!("  {name:<26} {share:>8.2}% {low:>9.2}% to {high:.2}%\n");
        text.push_str(&row);
    }
    text
}

fn count(judged: &[Judged<'_>], test: impl Fn(&Judged<'_>) -> bool) -> Count {
    let mut count = Count::default();
    for one in judged.iter().filter(|one| test(one)) {
        count.add(one.verdict);
    }
    count
}
