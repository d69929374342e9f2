//! A test case with its correct answer.

use std::fmt;
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
    /// The correct answer, or why it is not clear.
    pub(super) truth: Result<Truth, Unclear>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChangeClass {
    Kept,
    Edited,
    Moved,
    Renamed,
    /// Other lines stand in their place.
    Rewritten,
    /// Deleted without replacement.
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

/// The answer of the program.
pub(super) struct Located {
    /// The path, the first and the last line; `None` if the program reports that the code is gone.
    pub(super) location: Option<(String, usize, usize)>,
    /// Whether the location is what stands in the place of the code.
    pub(super) is_replacement: bool,
    pub(super) state: String,
    pub(super) confidence: f64,
}

/// The quality of an answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AnswerVerdict {
    Correct,
    /// A location that is not the true one, or a location for lines that were deleted without replacement.
    Wrong,
    /// No location for lines that still exist, or in whose place others stand.
    GivenUp,
}

impl AnswerVerdict {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Correct => "correct",
            Self::Wrong => "wrong",
            Self::GivenUp => "given up",
        }
    }
}

impl fmt::Display for Truth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(TrueLocation { path, starts, ends, .. }) = &self.location else {
            return write!(f, "{:?}", self.class);
        };
        let [starts, ends] = [starts, ends].map(|lines| (lines.start() + 1)..=(lines.end() + 1));
        write!(f, "{:?} {path} {starts:?} to {ends:?}", self.class)
    }
}

impl Truth {
    /// Combines the locations of the lines of a range.
    ///
    /// The location of a range extends from its first to its last remaining meaningful line.
    pub(super) fn new(
        lines: &[&[u8]],
        spots: &[Result<LineSpot, Unclear>],
    ) -> Result<Self, Unclear> {
        let is_meaningful = |line: &&[u8]| lines.len() == 1 || !is_poor(line);
        let before = lines.iter().take_while(|line| !is_meaningful(line)).count();
        let after = lines.iter().rev().take_while(|line| !is_meaningful(line)).count();
        let pairs = lines.iter().zip(spots).filter(|(line, _)| is_meaningful(line));
        let asked: Vec<&LineSpot> = pairs
            .map(|(_, spot)| spot.as_ref().map_err(|reason| *reason))
            .collect::<Result<_, _>>()?;
        let is_left = |spot: &&LineSpot| !spot.is_deleted && spot.replacement.is_none();
        let left: Vec<&LineSpot> = asked.iter().copied().filter(is_left).collect();
        if left.is_empty() {
            return Self::of_lost(&asked, (before, after)).ok_or(Unclear::Ambiguous);
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
        let first = certain.clone().next().ok_or(Unclear::Ambiguous)?;
        let last = certain.next_back().ok_or(Unclear::Ambiguous)?;
        // Includes the lines that stand in the place of others, which an answer may include or not.
        let all = asked.iter().filter(|spot| !spot.is_deleted);
        let all = all.filter(|spot| left.iter().any(|other| other.path == spot.path));
        let start = all.clone().map(|spot| spot.first_line()).min();
        let end = all.map(|spot| spot.last_line()).max();
        let (start, end) = (start.unwrap_or(first.line), end.unwrap_or(last.line));
        let before = before + first.line.saturating_sub(start).min(MAX_RANGE_LEN);
        let after = after + end.saturating_sub(last.line).min(MAX_RANGE_LEN);
        let location = TrueLocation {
            path: first.path.clone(),
            starts: first.line.saturating_sub(before)..=first.line + first.reach,
            ends: last.line..=last.line + after,
            is_doubtful,
        };
        let is_clear = is_ordered && last.line - first.line <= MAX_RANGE_LEN;
        let truth = Self { class, location: Some(location) };
        if is_clear { Ok(truth) } else { Err(Unclear::Ambiguous) }
    }

    /// Combines the locations of lines of which none is left: any of the lines in their place is right.
    ///
    /// The numbers are those of the blank lines and brackets at both ends of the range.
    fn of_lost(asked: &[&LineSpot], (before, after): (usize, usize)) -> Option<Self> {
        let replaced: Vec<&&LineSpot> =
            asked.iter().filter(|spot| spot.replacement.is_some()).collect();
        let Some(first) = replaced.first() else {
            let deleted = Self { class: ChangeClass::Deleted, location: None };
            return Some(deleted).filter(|_| !asked.is_empty());
        };
        let start = replaced.iter().map(|spot| spot.first_line()).min()?;
        let end = replaced.iter().map(|spot| spot.last_line()).max()?;
        let location = TrueLocation {
            path: first.path.clone(),
            starts: start.saturating_sub(before)..=end,
            ends: start..=end + after,
            is_doubtful: replaced.iter().all(|spot| spot.is_doubtful),
        };
        let is_clear = replaced.iter().all(|spot| spot.path == first.path);
        is_clear.then_some(Self { class: ChangeClass::Rewritten, location: Some(location) })
    }

    /// Returns whether an answer has a line of the true location.
    pub(super) fn is_touched_by(&self, answer: &Located) -> bool {
        let (Some((path, first, last)), Some(location)) = (&answer.location, &self.location) else {
            return false;
        };
        let TrueLocation { path: true_path, starts, ends, .. } = location;
        path == true_path && first <= ends.end() && starts.start() <= last
    }

    /// Judges an answer.
    ///
    /// What stands in the place of code is right if the code is in it, unless it is long.
    pub(super) fn judge(&self, answer: &Located) -> AnswerVerdict {
        let is_correct = match (&answer.location, &self.location) {
            (None, None) => true,
            (None, Some(location)) if location.is_doubtful => true,
            (None, Some(_)) => return AnswerVerdict::GivenUp,
            (Some(_), None) => false,
            (Some((path, first, last)), Some(location)) => {
                let TrueLocation { path: true_path, starts, ends, .. } = location;
                let is_exact = starts.contains(first) && ends.contains(last);
                let has_all = first <= starts.end() && ends.start() <= last;
                let is_around = has_all && answer.is_replacement && last - first < MAX_RANGE_LEN;
                path == true_path && (is_exact || is_around)
            }
        };
        if is_correct { AnswerVerdict::Correct } else { AnswerVerdict::Wrong }
    }
}
