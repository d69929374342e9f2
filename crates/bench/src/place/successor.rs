//! Finds the line of a hunk that replaced another line.

use super::history::Replacement;
use super::similarity::{letter_count, similarity};

/// The minimum similarity of a line and its successor.
const SIMILAR: f64 = 0.6;

/// Lines that are less similar than this are not successors. In between, readers would disagree.
const DIFFERENT: f64 = 0.4;

/// A line may have been split only if every new line is less similar than this.
const MAX_SPLIT_SIMILARITY: f64 = 0.75;

/// Why the correct answer is not clear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unclear {
    /// Several answers are equally good, and no rule decides.
    Ambiguous,
    /// git's histogram and Myers algorithms have different hunks.
    Disagreement,
}

/// The line that replaced another.
#[derive(Clone, Copy)]
pub(super) struct LineSuccessor {
    pub(super) line: usize,
    /// The number of following lines that belong to it, because the line was split.
    pub(super) reach: usize,
    pub(super) is_edited: bool,
    /// Whether "deleted" is a correct answer too.
    pub(super) is_doubtful: bool,
}

impl LineSuccessor {
    fn new(line: usize, score: f64) -> Self {
        Self { line, reach: 0, is_edited: score < 1.0, is_doubtful: score < SIMILAR }
    }
}

/// Returns the successor of a line that a hunk removes.
///
/// If the hunk has as many new lines as old ones, the successor is the line at the same position, if it is similar. Otherwise it is the
/// most similar new line, if no old line is more similar to that one. Equal lines are paired in order, if there are as many new ones as
/// old ones. If another old line is more similar, the line at the same position remains as a doubtful answer.
pub(super) fn find_successor(
    hunk: &Replacement,
    index: usize,
) -> Result<Option<LineSuccessor>, Unclear> {
    let Some(text) = hunk.old.get(index) else { return Ok(None) };
    let opposite = hunk.new.get(index).filter(|_| hunk.old.len() == hunk.new.len());
    let score = opposite.map_or(0.0, |other| similarity(text, other, DIFFERENT, SIMILAR));
    let opposite = (score >= DIFFERENT).then(|| LineSuccessor::new(index, score));
    if score >= SIMILAR {
        return Ok(opposite);
    }
    let (score, lines) =
        most_similar(&hunk.new, |other| similarity(text, other, DIFFERENT, SIMILAR));
    if score < MAX_SPLIT_SIMILARITY
        && let Some((line, reach)) = find_parts(hunk, index)
    {
        return Ok(Some(LineSuccessor { line, reach, is_edited: true, is_doubtful: false }));
    }
    let Some(first) = lines.first().and_then(|line| hunk.new.get(*line)) else {
        return Ok(opposite);
    };
    let (_, olds) = most_similar(&hunk.old, |other| similarity(other, first, DIFFERENT, SIMILAR));
    match olds.iter().position(|line| *line == index) {
        Some(rank) if score >= DIFFERENT => match lines.get(rank) {
            Some(line) if olds.len() == lines.len() => Ok(Some(LineSuccessor::new(*line, score))),
            _ => Err(Unclear::Ambiguous),
        },
        _ => Ok(opposite),
    }
}

/// Returns the highest score, and the lines that have it.
fn most_similar(lines: &[Vec<u8>], score: impl Fn(&[u8]) -> f64) -> (f64, Vec<usize>) {
    let (mut highest, mut found) = (0.0, Vec::new());
    for (line, other) in lines.iter().enumerate() {
        let score = score(other);
        if score > highest {
            highest = score;
            found.clear();
        }
        if score == highest && score > 0.0 {
            found.push(line);
        }
    }
    (highest, found)
}

/// Returns the lines into which a line was split: the first, and the number of further ones.
///
/// Each of them has most of its words from the line, and together they have most of the line's words.
fn find_parts(hunk: &Replacement, index: usize) -> Option<(usize, usize)> {
    let old_words = words(hunk.old.get(index)?);
    let is_part = |line: &Vec<u8>| {
        let mut others = hunk.old.iter().enumerate().filter(|(other, _)| *other != index);
        share(&words(line), &old_words) >= SIMILAR
            && !others.any(|(_, other)| similarity(other, line, SIMILAR, SIMILAR) >= SIMILAR)
    };
    let numbers = 0..hunk.new.len();
    let parts: Vec<usize> =
        numbers.filter(|line| hunk.new.get(*line).is_some_and(is_part)).collect();
    let covered = |run: &[usize]| {
        let lines = run.iter().filter_map(|line| hunk.new.get(*line));
        share(&old_words, &lines.flat_map(|line| words(line)).collect::<Vec<_>>())
    };
    let run = parts
        .chunk_by(|one, other| is_blank_between(hunk, *one, *other))
        .filter(|run| run.len() > 1)
        .max_by(|one, other| covered(one).total_cmp(&covered(other)))?;
    let (first, last) = (run.first()?, run.last()?);
    (covered(run) >= SIMILAR).then_some((*first, last - first))
}

/// Returns the number of lines above and below the successor of a line that have most of their words from that line.
pub(super) fn surrounding_parts(hunk: &Replacement, index: usize, line: usize) -> (usize, usize) {
    let Some(text) = hunk.old.get(index) else { return (0, 0) };
    let old_words = words(text);
    let is_part = |line: &&Vec<u8>| share(&words(line), &old_words) >= SIMILAR;
    let above = hunk.new.get(..line).unwrap_or_default().iter().rev().take_while(is_part).count();
    let below = hunk.new.get(line + 1..).unwrap_or_default();
    (above, below.iter().take_while(is_part).count())
}

/// Returns whether the lines between two lines have no words.
fn is_blank_between(hunk: &Replacement, one: usize, other: usize) -> bool {
    let between = hunk.new.get(one + 1..other).unwrap_or_default();
    between.iter().all(|line| letter_count(line) == 0)
}

fn words(line: &[u8]) -> Vec<&[u8]> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    line.split(|byte| !is_word(byte)).filter(|word| !word.is_empty()).collect()
}

/// Returns the share of some words, by length, that are also among the others, from 0 to 1.
fn share(words: &[&[u8]], others: &[&[u8]]) -> f64 {
    let all: usize = words.iter().map(|word| word.len()).sum();
    let common = words.iter().filter(|word| others.contains(word));
    common.map(|word| word.len()).sum::<usize>() as f64 / all.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(old: &[&str], new: &[&str], index: usize, expected: &str) {
        let lines = |lines: &[&str]| lines.iter().map(|line| line.as_bytes().to_vec()).collect();
        let hunk = Replacement { old_start: 0, old: lines(old), new_start: 0, new: lines(new) };
        let found = match find_successor(&hunk, index) {
            Ok(Some(LineSuccessor { line, is_edited: false, .. })) => format!("same {line}"),
            Ok(Some(LineSuccessor { line, is_doubtful: true, .. })) => format!("doubtful {line}"),
            Ok(Some(LineSuccessor { line, reach: 0, .. })) => format!("edited {line}"),
            Ok(Some(LineSuccessor { line, reach, .. })) => format!("split {line}+{reach}"),
            Ok(None) => "none".to_owned(),
            Err(_) => "several".to_owned(),
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn the_most_similar_line_is_the_successor() {
        check(&["let a = first();"], &["x", "let a = second();"], 0, "edited 1");
        check(&["let a = first();"], &["x", "  let a = first();"], 0, "same 1");
        check(&["let a = first();"], &["return;"], 0, "none");
        check(&["digest 1f3a99c0ab"], &["digest 77de01b2c5"], 0, "doubtful 0");
    }

    #[test]
    fn the_line_at_the_same_position_is_a_doubtful_successor() {
        let old = ["lib v1.2 h1:bSDNvY7ZPG5RlJ8otE7V6gM", "lib v1.2/go.mod h1:a8OnRcib4nhh0OaRAV"];
        let new = ["lib v1.7 h1:nwc3DEeHmmLAfoZucVR881u", "lib v1.7/go.mod h1:6Fq8oRcR53rry900zM"];
        check(&old, &new, 0, "doubtful 0");
        check(&["let a = first();", "b"], &["return;", "b"], 0, "none");
    }

    #[test]
    fn pairs_equal_lines_in_order() {
        check(&["with:", "a", "with:"], &["# with:", "b", "# with:"], 2, "edited 2");
        check(&["with:", "a", "with:"], &["# with:"], 2, "several");
    }

    #[test]
    fn the_successor_of_a_split_line_is_all_its_parts() {
        let new = ["render(", "  create(App, {", "    target,", "    base,", "  })", ");"];
        check(&["render(create(App, { target, base }));"], &new, 0, "split 0+3");
    }
}
