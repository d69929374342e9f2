//! One question with its correct answer.

use super::truth::{Fate, LineSpot, is_poor};

/// The lines of a range must not be further apart than this afterwards.
const MAX_RANGE_LEN: usize = 40;

/// Lines of a file at one commit, and where they are at another.
pub(crate) struct TestCase {
    /// The two commits.
    pub(crate) commits: (String, String),
    pub(crate) kind: CaseKind,
    pub(crate) path: String,
    /// The first and the last line.
    pub(crate) range: (usize, usize),
    pub(crate) truth: Truth,
    /// Whether it is in the sample only because the line was moved.
    pub(crate) is_extra: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CaseKind {
    Line,
    /// Three lines.
    Range,
    /// A line of a patch that was applied to another base.
    Rebased,
    /// A blank line or a bracket, which is reported but not counted.
    Poor,
}

/// What happened to the lines.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChangeClass {
    Kept,
    Edited,
    Moved,
    Renamed,
    Deleted,
}

/// The correct answer.
pub(crate) struct Truth {
    pub(crate) class: ChangeClass,
    /// `None` if the lines were deleted.
    pub(crate) location: Option<TrueLocation>,
}

/// Where the lines are.
pub(crate) struct TrueLocation {
    path: String,
    first: usize,
    last: usize,
    /// How many lines earlier an answer may begin and later it may end, because of blank lines, brackets and
    /// doubtful lines at the ends of the range.
    slack: (usize, usize),
    /// How many lines later an answer may begin, because the first line was split.
    reach: usize,
    /// Whether "deleted" is a correct answer too.
    is_doubtful: bool,
}

/// How good an answer is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnswerVerdict {
    Correct,
    /// A location that is not the true one, or a location for deleted lines.
    Wrong,
    /// No location for lines that still exist.
    GivenUp,
}

impl ChangeClass {
    /// Classifies the lines that are left of those in the question.
    fn new(left: &[&LineSpot], asked: usize) -> Self {
        let any = |test: fn(&LineSpot) -> bool| left.iter().any(|spot| test(spot));
        match () {
            () if any(|spot| spot.is_moved) => Self::Moved,
            () if any(|spot| spot.is_renamed) => Self::Renamed,
            () if any(|spot| spot.is_edited) || left.len() < asked => Self::Edited,
            () => Self::Kept,
        }
    }
}

impl Truth {
    /// Combines the fates of the lines of a range; `None` if the result is not clear.
    ///
    /// A range is where its meaningful lines are, from the first that is left to the last.
    pub(crate) fn new(lines: &[&[u8]], fates: &[Fate]) -> Option<Self> {
        let is_single = lines.len() == 1;
        let is_meaningful = |line: &&[u8]| is_single || !is_poor(line);
        let slack = (
            lines.iter().take_while(|line| !is_meaningful(line)).count(),
            lines.iter().rev().take_while(|line| !is_meaningful(line)).count(),
        );
        let mut left: Vec<&LineSpot> = Vec::new();
        // With the lines that replaced deleted ones, which an answer may include or not.
        let mut all: Vec<&LineSpot> = Vec::new();
        let mut asked = 0;
        for (_, fate) in lines.iter().zip(fates).filter(|(line, _)| is_meaningful(line)) {
            asked += 1;
            match fate {
                Fate::At(spot) => {
                    left.push(spot);
                    all.push(spot);
                }
                Fate::Replaced(spot) => all.push(spot),
                Fate::Deleted => {}
                Fate::Unknown => return None,
            }
        }
        if asked == 0 {
            return None;
        }
        if left.is_empty() {
            return Some(Self { class: ChangeClass::Deleted, location: None });
        }
        let is_ordered = left.is_sorted_by(|a, b| a.path == b.path && a.line < b.line);
        all.retain(|spot| left.iter().any(|other| other.path == spot.path));
        let location = TrueLocation::new(&left, &all, slack)?;
        let is_clear = is_ordered && location.last - location.first <= MAX_RANGE_LEN;
        is_clear.then_some(Self { class: ChangeClass::new(&left, asked), location: Some(location) })
    }

    /// Judges an answer: a path, and the first and last line.
    pub(crate) fn judge(&self, answer: Option<&(String, usize, usize)>) -> AnswerVerdict {
        match (answer, &self.location) {
            (None, None) => AnswerVerdict::Correct,
            (None, Some(location)) if location.is_doubtful => AnswerVerdict::Correct,
            (None, Some(_)) => AnswerVerdict::GivenUp,
            (Some(_), None) => AnswerVerdict::Wrong,
            (Some((path, first, last)), Some(location)) => {
                let (before, after) = location.slack;
                let starts =
                    location.first.saturating_sub(before)..=location.first + location.reach;
                let ends = location.last..=location.last + after;
                let is_right =
                    *path == location.path && starts.contains(first) && ends.contains(last);
                if is_right { AnswerVerdict::Correct } else { AnswerVerdict::Wrong }
            }
        }
    }
}

impl TrueLocation {
    /// Takes the lines that are left, at least one, and all lines that an answer may include, both in order.
    fn new(left: &[&LineSpot], all: &[&LineSpot], (before, after): (usize, usize)) -> Option<Self> {
        let is_doubtful = left.iter().all(|spot| spot.is_doubtful);
        let is_certain = |spot: &&&LineSpot| is_doubtful || !spot.is_doubtful;
        let (first, last) = (left.iter().find(is_certain)?, left.iter().rev().find(is_certain)?);
        let start = all.iter().map(|spot| spot.line - spot.parts.0.min(spot.line)).min()?;
        let end = all.iter().map(|spot| spot.line + spot.reach.max(spot.parts.1)).max()?;
        let before = before + first.line.saturating_sub(start).min(MAX_RANGE_LEN);
        let after = after + end.saturating_sub(last.line).min(MAX_RANGE_LEN);
        Some(Self {
            path: first.path.clone(),
            first: first.line,
            last: last.line,
            slack: (before, after),
            reach: first.reach,
            is_doubtful,
        })
    }
}
