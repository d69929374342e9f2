//! One question with its true answer.

use std::rc::Rc;

use super::history::{Chain, Text};
use super::truth::{Fate, Spot, is_poor};

/// A range that grew to more lines than this has been torn apart.
const TORN: usize = 40;

/// Lines of a file at one commit, the files at another, and where the lines went.
pub(crate) struct Case {
    /// The two commits.
    pub(crate) ends: (String, String),
    /// How many commits lie between.
    pub(crate) distance: usize,
    pub(crate) kind: Kind,
    pub(crate) path: String,
    /// The first and the last line.
    pub(crate) range: (usize, usize),
    pub(crate) old: Text,
    /// The path and the text that the file has at the end; none when it is deleted.
    pub(crate) new: Option<(String, Text)>,
    /// Every other file that differs.
    pub(crate) others: Rc<Vec<File>>,
    /// The commits in between; none where one end is no ancestor of the other.
    pub(crate) chain: Option<Rc<Chain>>,
    pub(crate) truth: Truth,
    /// Whether it is asked about only because it was moved.
    pub(crate) is_extra: bool,
}

/// A file at both ends.
pub(crate) struct File {
    /// The path at the end.
    pub(crate) path: String,
    /// None for a file that is created in between.
    pub(crate) old: Option<Text>,
    pub(crate) new: Text,
}

/// What is asked for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// A line.
    Line,
    /// Three lines.
    Range,
    /// A line of a patch that was put on another base.
    Rebased,
    /// A blank line or a bracket, which is told and not counted.
    Poor,
    /// A line that is asked about only if it was moved.
    Extra,
}

/// What became of the lines.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    Kept,
    Edited,
    Moved,
    Renamed,
    Deleted,
}

/// The true answer.
pub(crate) struct Truth {
    pub(crate) class: Class,
    /// None when the lines are deleted.
    pub(crate) target: Option<Target>,
}

/// Where the lines are.
pub(crate) struct Target {
    pub(crate) path: String,
    pub(crate) first: usize,
    pub(crate) last: usize,
    /// How much earlier a range may begin and how much later it may end. Of the blank lines and
    /// brackets at its ends the truth knows nothing, and of doubtful lines not enough: an answer may
    /// count them in or leave them out.
    pub(crate) slack: (usize, usize),
    /// How much later the range may begin, because its first line was broken.
    pub(crate) reach: usize,
    /// Whether one may as well say that the lines are gone.
    pub(crate) is_doubtful: bool,
}

impl Kind {
    pub(crate) const ALL: [Self; 4] = [Self::Line, Self::Range, Self::Rebased, Self::Poor];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Line => "single lines",
            Self::Range => "three lines",
            Self::Rebased => "rebased patches",
            Self::Poor => "(blank or bracket)",
            Self::Extra => "moved",
        }
    }
}

impl Class {
    pub(crate) const ALL: [Self; 5] =
        [Self::Kept, Self::Edited, Self::Moved, Self::Renamed, Self::Deleted];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept or shifted",
            Self::Edited => "edited",
            Self::Moved => "moved",
            Self::Renamed => "renamed file",
            Self::Deleted => "deleted",
        }
    }

    /// Takes the lines that are left of those asked about.
    fn new(left: &[&Spot], asked: usize) -> Self {
        let any = |test: fn(&Spot) -> bool| left.iter().any(|spot| test(spot));
        match () {
            () if any(|spot| spot.is_moved) => Self::Moved,
            () if any(|spot| spot.is_renamed) => Self::Renamed,
            () if any(|spot| spot.is_edited) || left.len() < asked => Self::Edited,
            () => Self::Kept,
        }
    }
}

impl Truth {
    /// Puts together what became of each line of a range; none when that is not clear.
    ///
    /// A range is where its telling lines are, from the first that is left to the last.
    pub(crate) fn new(lines: &[&[u8]], fates: &[Fate]) -> Option<Self> {
        let is_single = lines.len() == 1;
        let telling = |line: &&[u8]| is_single || !is_poor(line);
        let slack = (
            lines.iter().take_while(|line| !telling(line)).count(),
            lines.iter().rev().take_while(|line| !telling(line)).count(),
        );
        let mut left: Vec<&Spot> = Vec::new();
        // Lines that were written in the place of lost ones may be counted in or left out.
        let mut all: Vec<&Spot> = Vec::new();
        let mut asked = 0;
        for (_, fate) in lines.iter().zip(fates).filter(|(line, _)| telling(line)) {
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
            return Some(Self { class: Class::Deleted, target: None });
        }
        let in_order = left.windows(2).all(|pair| match pair {
            [one, other] => one.path == other.path && one.line < other.line,
            _ => true,
        });
        let near = |spot: &&&Spot| left.iter().any(|other| other.path == spot.path);
        let all: Vec<&Spot> = all.iter().filter(near).copied().collect();
        let target = Target::new(&left, &all, slack)?;
        if target.last - target.first > TORN {
            return None;
        }
        in_order.then_some(Self { class: Class::new(&left, asked), target: Some(target) })
    }

    /// Returns whether one may as well say that the lines are gone.
    pub(crate) fn is_doubtful(&self) -> bool {
        self.target.as_ref().is_some_and(|target| target.is_doubtful)
    }

    /// Judges an answer.
    pub(crate) fn judge(&self, answer: Option<(&str, usize, usize)>) -> Verdict {
        match (answer, &self.target) {
            (None, None) => Verdict::Correct,
            (None, Some(target)) if target.is_doubtful => Verdict::Correct,
            (None, Some(_)) => Verdict::GivenUp,
            (Some(_), None) => Verdict::Wrong,
            (Some((path, first, last)), Some(target)) => {
                let (lead, trail) = target.slack;
                let is_right = path == target.path
                    && (target.first.saturating_sub(lead)..=target.first + target.reach)
                        .contains(&first)
                    && (target.last..=target.last + trail).contains(&last);
                if is_right { Verdict::Correct } else { Verdict::Wrong }
            }
        }
    }
}

impl Target {
    /// Takes the lines that are left, at least one of them, and all that they may be taken for, both in order.
    fn new(left: &[&Spot], all: &[&Spot], (lead, trail): (usize, usize)) -> Option<Self> {
        let is_doubtful = left.iter().all(|spot| spot.is_doubtful);
        let firm = |spot: &&&Spot| is_doubtful || !spot.is_doubtful;
        let (first, last) = (left.iter().find(firm)?, left.iter().rev().find(firm)?);
        let start = all.iter().map(|spot| spot.line - spot.parts.0.min(spot.line)).min()?;
        let end = all.iter().map(|spot| spot.line + spot.reach.max(spot.parts.1)).max()?;
        let lead = lead + first.line.saturating_sub(start).min(TORN);
        let trail = trail + end.saturating_sub(last.line).min(TORN);
        Some(Self {
            path: first.path.clone(),
            first: first.line,
            last: last.line,
            slack: (lead, trail),
            reach: first.reach,
            is_doubtful,
        })
    }
}

/// What an answer is worth.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Correct,
    /// A place that is not the true one, or a place for lines that are deleted.
    Wrong,
    /// No place for lines that are somewhere.
    GivenUp,
}
