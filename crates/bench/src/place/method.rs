//! The ways to place lines that are compared.

use imara_diff::{Algorithm, Diff, InternedInput};
use skein_anchor::{
    CandidateFile, OldCode, Placement, Spot, State, Trail, elsewhere, follow, place,
};

use super::case::Case;

/// A way to place lines.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    /// The crate under test with the whole old text.
    Whole,
    /// The crate under test with every commit in between.
    History,
    /// The crate under test with an excerpt of the old text.
    Excerpt,
    /// The lines of the difference that are unchanged, and nothing else.
    DiffMap,
    /// The nearest place with the same text and context, else the old place.
    NearestText,
    /// The old place.
    SameLine,
}

/// A place with a path and how sure the method is of it.
pub(crate) struct Answer {
    pub(crate) place: Option<(String, usize, usize)>,
    pub(crate) state: State,
    pub(crate) confidence: f32,
}

/// How many lines an excerpt has on either side.
const CONTEXT: usize = 3;

impl Method {
    pub(crate) const ALL: [Self; 6] = [
        Self::History,
        Self::Whole,
        Self::Excerpt,
        Self::DiffMap,
        Self::NearestText,
        Self::SameLine,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::History => "place, commit by commit",
            Self::Whole => "place, whole old text",
            Self::Excerpt => "place, excerpt only",
            Self::DiffMap => "diff map",
            Self::NearestText => "nearest equal text",
            Self::SameLine => "same line number",
        }
    }

    pub(crate) fn answer(self, case: &Case) -> Answer {
        match self {
            Self::History => by_history(case),
            Self::Whole => anchored(case, &whole(case)),
            Self::Excerpt => by_excerpt(case),
            Self::DiffMap => Answer::plain(case, diff_map(case)),
            Self::NearestText => Answer::plain(case, Some(nearest(case))),
            Self::SameLine => Answer::plain(case, Some(case.range)),
        }
    }
}

impl Answer {
    fn plain(case: &Case, lines: Option<(usize, usize)>) -> Self {
        let place = case
            .new
            .as_ref()
            .zip(lines)
            .map(|((path, _), (first, last))| (path.clone(), first, last));
        Self { place, state: State::Unverified, confidence: 1.0 }
    }

    fn new(path: &str, placement: &Placement) -> Self {
        let line = |line: u32| usize::try_from(line).unwrap_or_default();
        let place = placement.lines.map(|(first, last)| (path.to_owned(), line(first), line(last)));
        Self { place, state: placement.state, confidence: placement.confidence }
    }
}

/// Returns the question as the crate under test takes it.
pub(crate) fn whole(case: &Case) -> OldCode<'_> {
    let line = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
    OldCode::Whole { text: &case.old, start: line(case.range.0), end: line(case.range.1) }
}

fn anchored(case: &Case, old: &OldCode<'_>) -> Answer {
    let gone = Placement { state: State::Gone, lines: None, confidence: 1.0 };
    let (path, here) = match &case.new {
        Some((path, new)) => (path.as_str(), place(old, new)),
        None => ("", gone),
    };
    if here.lines.is_some() {
        return Answer::new(path, &here);
    }
    let others: Vec<CandidateFile<'_>> = case
        .others
        .iter()
        .filter(|file| file.path != path)
        .map(|file| CandidateFile {
            old: file.old.as_ref().map(|text| text.as_slice()),
            new: &file.new,
        })
        .collect();
    let names: Vec<&str> =
        case.others.iter().map(|file| file.path.as_str()).filter(|name| *name != path).collect();
    match elsewhere(old, &others) {
        Some((index, there)) => Answer::new(names.get(index).copied().unwrap_or_default(), &there),
        None => Answer::new(path, &here),
    }
}

/// Follows the lines through the commits in between, where there are any.
fn by_history(case: &Case) -> Answer {
    let Some(chain) = &case.chain else { return anchored(case, &whole(case)) };
    let line = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
    let start = Spot {
        path: case.path.clone(),
        text: case.old.as_slice().into(),
        lines: (line(case.range.0), line(case.range.1)),
    };
    let direct = anchored(case, &whole(case));
    let gone = Placement { state: State::Gone, lines: None, confidence: 0.9 };
    match follow(&mut chain.as_ref(), start) {
        Trail::At(found) => {
            let state = if found.is_moved { State::Moved } else { State::Edited };
            let lines = Some(found.spot.lines);
            let mut answer = Answer::new(
                &found.spot.path,
                &Placement { state, lines, confidence: found.confidence },
            );
            if answer.place == direct.place {
                answer.confidence = answer.confidence.max(direct.confidence);
            } else {
                answer.confidence = answer.confidence.min(0.89);
            }
            answer
        }
        Trail::Removed if matches!(direct.state, State::Exact | State::Shifted) => {
            Answer { confidence: direct.confidence.min(0.85), ..direct }
        }
        Trail::Removed => Answer::new("", &gone),
        Trail::Unknown => direct,
    }
}

fn by_excerpt(case: &Case) -> Answer {
    let lines = lines(&case.old);
    let (first, last) = case.range;
    let text = |from: usize, to: usize| -> Vec<String> {
        let lines = lines.get(from..to.min(lines.len())).unwrap_or_default();
        lines.iter().map(|line| String::from_utf8_lossy(line).into_owned()).collect()
    };
    let before = text(first.saturating_sub(CONTEXT), first);
    let selection = text(first, last + 1).join("\n");
    let after = text(last + 1, last + 1 + CONTEXT);
    let start = u32::try_from(first).unwrap_or(u32::MAX);
    let old = OldCode::Excerpt { before: &before, selection: &selection, after: &after, start };
    anchored(case, &old)
}

/// Compares two texts as an editor would.
pub(crate) fn compare(old: &[u8], new: &[u8]) -> Diff {
    let input = InternedInput::new(old, new);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    diff
}

fn diff_map(case: &Case) -> Option<(usize, usize)> {
    let (_, new) = case.new.as_ref()?;
    let diff = compare(&case.old, new);
    let map = |line: usize| {
        let line = u32::try_from(line).ok()?;
        let mut shift = 0_i64;
        for hunk in diff.hunks().take_while(|hunk| hunk.before.start <= line) {
            if hunk.before.contains(&line) {
                return None;
            }
            shift = i64::from(hunk.after.end) - i64::from(hunk.before.end);
        }
        usize::try_from(i64::from(line) + shift).ok()
    };
    let found: Vec<usize> = (case.range.0..=case.range.1).filter_map(map).collect();
    found.first().copied().zip(found.last().copied())
}

/// Finds the text as the editor extension does that the format comes from.
///
/// Of the first fifty places where the text stands, be it inside a longer word, the one with the most
/// equal lines around it and the smallest distance; the old place when there is none.
fn nearest(case: &Case) -> (usize, usize) {
    let (old, (first, last)) = (lines(&case.old), case.range);
    let new = case.new.as_ref().map(|(_, text)| lines(text)).unwrap_or_default();
    let selected = old.get(first..=last).unwrap_or_default();
    let matches_at = |line: usize| {
        (line..).zip(selected).all(|(line, text)| {
            let there = new.get(line).copied().unwrap_or_default();
            memchr::memmem::find(there, text).is_some()
        })
    };
    let score = |line: usize| {
        let around = [(0, 2), (0, 1), (last - first + 1, 0), (last - first + 2, 0)];
        let equal = around.iter().filter(|(down, up)| {
            let one = (first + down).checked_sub(*up).and_then(|line| old.get(line));
            let other = (line + down).checked_sub(*up).and_then(|line| new.get(line));
            one.is_some() && one == other
        });
        let equal = i64::try_from(equal.count()).unwrap_or_default();
        equal * 10 - i64::try_from(line.abs_diff(first)).unwrap_or_default()
    };
    let places = (0..new.len()).filter(|line| matches_at(*line)).take(50);
    let best = places.max_by_key(|line| score(*line)).unwrap_or(first);
    (best, best + last - first)
}

/// Returns the lines of a text without their ends.
pub(crate) fn lines(text: &[u8]) -> Vec<&[u8]> {
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    text.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line)).collect()
}
