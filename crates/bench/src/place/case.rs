//! A test case with its correct answer.

use std::ops::RangeInclusive;

use super::successor::Unclear;
use super::truth::{LineSpot, is_poor};

/// Maximum number of lines over which the lines of a range may be spread afterwards.
const MAX_RANGE_LEN: usize = 40;

/// Lines of a file at one commit, and their location at another.
pub(super) struct TestCase {
    /// The two commits.
    pub(super) commits: (String, String),
    pub(super) kind: CaseKind,
    pub(super) path: String,
    /// The first and the last line.
    pub(super) range: (usize, usize),
    pub(super) truth: Truth,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum CaseKind {
    Line,
    /// Three lines.
    Range,
    /// A line of a patch that was applied to another base.
    Rebased,
    /// A line that is in the sample only because it was moved.
    Extra,
    /// A blank line or a bracket, which is reported but not counted.
    Poor,
}

/// The change of the lines between the commits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ChangeClass {
    Kept,
    Edited,
    Moved,
    Renamed,
    Deleted,
}

/// The correct answer.
pub(super) struct Truth {
    pub(super) class: ChangeClass,
    /// `None` if the lines were deleted.
    location: Option<TrueLocation>,
}

/// The location of the lines.
struct TrueLocation {
    path: String,
    /// The lines with which an answer may begin and end. There are several because of blank lines, brackets and
    /// doubtful lines at the ends of the range, and because lines were split.
    starts: RangeInclusive<usize>,
    ends: RangeInclusive<usize>,
    /// Whether "deleted" is a correct answer too.
    is_doubtful: bool,
}

/// The quality of an answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AnswerVerdict {
    Correct,
    /// A location that is not the true one, or a location for deleted lines.
    Wrong,
    /// No location for lines that still exist.
    GivenUp,
}

impl Truth {
    /// Combines the locations of the lines of a range; `None` if the result is not clear.
    ///
    /// The location of a range extends from its first to its last remaining meaningful line.
    pub(super) fn new(lines: &[&[u8]], spots: &[Result<LineSpot, Unclear>]) -> Option<Self> {
        let is_meaningful = |line: &&[u8]| lines.len() == 1 || !is_poor(line);
        let before = lines.iter().take_while(|line| !is_meaningful(line)).count();
        let after = lines.iter().rev().take_while(|line| !is_meaningful(line)).count();
        let pairs = lines.iter().zip(spots).filter(|(line, _)| is_meaningful(line));
        let asked: Vec<&LineSpot> =
            pairs.map(|(_, spot)| spot.as_ref().ok()).collect::<Option<_>>()?;
        let left: Vec<&LineSpot> = asked.iter().copied().filter(|spot| !spot.is_deleted).collect();
        if left.is_empty() {
            let deleted = Self { class: ChangeClass::Deleted, location: None };
            return Some(deleted).filter(|_| !asked.is_empty());
        }
        let any = |test: fn(&LineSpot) -> bool| left.iter().any(|spot| test(spot));
        let class = match () {
            () if any(|spot| spot.is_moved) => ChangeClass::Moved,
            () if any(|spot| spot.is_renamed) => ChangeClass::Renamed,
            () if any(|spot| spot.is_edited) || left.len() < asked.len() => ChangeClass::Edited,
            () => ChangeClass::Kept,
        };
        let is_ordered = left.is_sorted_by(|a, b| a.path == b.path && a.line < b.line);
        let is_doubtful = left.iter().all(|spot| spot.is_doubtful);
        let mut certain = left.iter().filter(|spot| is_doubtful || !spot.is_doubtful);
        let first = certain.clone().next()?;
        let last = certain.next_back()?;
        // Includes the lines that replaced deleted ones, which an answer may include or not.
        let all = asked.iter().filter(|spot| !spot.is_deleted || spot.is_replaced);
        let all = all.filter(|spot| left.iter().any(|other| other.path == spot.path));
        let start = all.clone().map(|spot| spot.line - spot.parts.0.min(spot.line)).min()?;
        let end = all.map(|spot| spot.line + spot.reach.max(spot.parts.1)).max()?;
        let before = before + first.line.saturating_sub(start).min(MAX_RANGE_LEN);
        let after = after + end.saturating_sub(last.line).min(MAX_RANGE_LEN);
        let location = TrueLocation {
            path: first.path.clone(),
            starts: first.line.saturating_sub(before)..=first.line + first.reach,
            ends: last.line..=last.line + after,
            is_doubtful,
        };
        let is_clear = is_ordered && last.line - first.line <= MAX_RANGE_LEN;
        is_clear.then_some(Self { class, location: Some(location) })
    }

    /// Judges an answer, which has a path, a first and a last line.
    pub(super) fn judge(&self, answer: Option<&(String, usize, usize)>) -> AnswerVerdict {
        let is_correct = match (answer, &self.location) {
            (None, None) => true,
            (None, Some(location)) if location.is_doubtful => true,
            (None, Some(_)) => return AnswerVerdict::GivenUp,
            (Some(_), None) => false,
            (Some((path, first, last)), Some(location)) => {
                let TrueLocation { path: true_path, starts, ends, .. } = location;
                path == true_path && starts.contains(first) && ends.contains(last)
            }
        };
        if is_correct { AnswerVerdict::Correct } else { AnswerVerdict::Wrong }
    }
}
