//! Finds the line of a hunk that replaced another.

use super::history::Replacement;
use super::similarity::{letter_count, similarity};

/// The minimum similarity of a line and its successor.
const SIMILAR: f64 = 0.6;

/// Below this a line has no successor. In between, readers would disagree.
const DIFFERENT: f64 = 0.4;

/// Below this a line may have been split into several.
const MAX_SPLIT_SIMILARITY: f64 = 0.75;

/// What a hunk did to a line.
pub(crate) enum LineSuccessor {
    /// The same text.
    Same(usize),
    Edited {
        line: usize,
        /// How many lines below belong to it, because the line was split.
        reach: usize,
        /// Whether "deleted" is a correct answer too.
        is_doubtful: bool,
    },
    /// Several lines match equally well.
    Several,
    None,
}

/// Returns what happened to a line that a hunk removes.
///
/// If the hunk has as many new lines as old ones, the successor is the line at the same position, if it is
/// similar. Otherwise it is the most similar new line, if no old line is more similar to that one. Equal
/// lines are paired in order, if there are as many new ones as old ones. If another old line is more
/// similar, the line at the same position remains as a doubtful answer.
pub(crate) fn find_successor(hunk: &Replacement, index: usize) -> LineSuccessor {
    let Some(text) = hunk.old.get(index) else { return LineSuccessor::None };
    let mut none = LineSuccessor::None;
    if hunk.old.len() == hunk.new.len()
        && let Some(other) = hunk.new.get(index)
    {
        let edited = |is_doubtful| LineSuccessor::Edited { line: index, reach: 0, is_doubtful };
        match similarity(text, other, DIFFERENT, SIMILAR) {
            1.0.. => return LineSuccessor::Same(index),
            SIMILAR.. => return edited(false),
            DIFFERENT.. => none = edited(true),
            _ => {}
        }
    }
    let (score, lines) =
        most_similar(&hunk.new, |other| similarity(text, other, DIFFERENT, SIMILAR));
    if score < MAX_SPLIT_SIMILARITY
        && let Some((line, reach)) = find_parts(hunk, index)
    {
        return LineSuccessor::Edited { line, reach, is_doubtful: false };
    }
    let Some(first) = lines.first().and_then(|line| hunk.new.get(*line)) else { return none };
    let (_, olds) = most_similar(&hunk.old, |other| similarity(other, first, DIFFERENT, SIMILAR));
    let Some(rank) = olds.iter().position(|line| *line == index) else { return none };
    if score < DIFFERENT {
        return none;
    }
    match lines.get(rank) {
        Some(line) if olds.len() == lines.len() => match score >= 1.0 {
            true => LineSuccessor::Same(*line),
            false => LineSuccessor::Edited { line: *line, reach: 0, is_doubtful: score < SIMILAR },
        },
        _ => LineSuccessor::Several,
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

/// Returns the lines into which a line was split: the first, and how many more.
///
/// Each of them has most of its words from the line, and together they have most of its words.
fn find_parts(hunk: &Replacement, index: usize) -> Option<(usize, usize)> {
    let text = hunk.old.get(index)?;
    let old_words = words(text);
    let is_part = |line: &Vec<u8>| {
        let of_others = hunk.old.iter().enumerate().filter(|(other, _)| *other != index);
        share(&words(line), &old_words) >= SIMILAR
            && !of_others
                .into_iter()
                .any(|(_, other)| similarity(other, line, SIMILAR, SIMILAR) >= SIMILAR)
    };
    let parts: Vec<usize> = hunk
        .new
        .iter()
        .enumerate()
        .filter(|(_, line)| is_part(line))
        .map(|(line, _)| line)
        .collect();
    let mut runs: Vec<Vec<usize>> = Vec::new();
    for line in parts {
        match runs.last_mut() {
            Some(run) if run.last().is_some_and(|last| is_blank_between(hunk, *last, line)) => {
                run.push(line);
            }
            _ => runs.push(vec![line]),
        }
    }
    let covered = |run: &Vec<usize>| {
        let lines = run.iter().filter_map(|line| hunk.new.get(*line));
        share(&old_words, &lines.flat_map(|line| words(line)).collect::<Vec<_>>())
    };
    let run = runs
        .into_iter()
        .filter(|run| run.len() > 1)
        .max_by(|one, other| covered(one).total_cmp(&covered(other)))?;
    let (first, last) = (run.first()?, run.last()?);
    (covered(&run) >= SIMILAR).then_some((*first, last - first))
}

/// Returns how many lines above and below the successor of a line have most of their words from that line.
pub(crate) fn surrounding_parts(hunk: &Replacement, index: usize, line: usize) -> (usize, usize) {
    let Some(text) = hunk.old.get(index) else { return (0, 0) };
    let old_words = words(text);
    let is_part = |line: &&Vec<u8>| share(&words(line), &old_words) >= SIMILAR;
    let above = hunk.new.get(..line).unwrap_or_default().iter().rev().take_while(is_part).count();
    let below = hunk.new.get(line + 1..).unwrap_or_default();
    (above, below.iter().take_while(is_part).count())
}

/// Returns whether all lines between two have no words.
fn is_blank_between(hunk: &Replacement, one: usize, other: usize) -> bool {
    let between = hunk.new.get(one + 1..other).unwrap_or_default();
    between.iter().all(|line| letter_count(line) == 0)
}

fn words(line: &[u8]) -> Vec<&[u8]> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    line.split(|byte| !is_word(byte)).filter(|word| !word.is_empty()).collect()
}

/// Returns how much of the text of some words, from 0 to 1, is also among the others.
fn share(words: &[&[u8]], others: &[&[u8]]) -> f64 {
    let count =
        |words: &mut dyn Iterator<Item = &&[u8]>| words.map(|word| word.len()).sum::<usize>();
    let all = count(&mut words.iter());
    let common = count(&mut words.iter().filter(|word| others.contains(word)));
    common as f64 / all.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(old: &[&str], new: &[&str], index: usize, expected: &str) {
        let lines = |lines: &[&str]| lines.iter().map(|line| line.as_bytes().to_vec()).collect();
        let hunk = Replacement { old_start: 0, old: lines(old), new_start: 0, new: lines(new) };
        let found = match find_successor(&hunk, index) {
            LineSuccessor::Same(line) => format!("same {line}"),
            LineSuccessor::Edited { line, reach: 0, is_doubtful: false } => {
                format!("edited {line}")
            }
            LineSuccessor::Edited { line, reach: 0, is_doubtful: true } => {
                format!("doubtful {line}")
            }
            LineSuccessor::Edited { line, reach, .. } => format!("split {line}+{reach}"),
            LineSuccessor::Several => "several".to_owned(),
            LineSuccessor::None => "none".to_owned(),
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
    fn a_split_line_is_all_its_parts() {
        let new = ["render(", "  create(App, {", "    target,", "    base,", "  })", ");"];
        check(&["render(create(App, { target, base }));"], &new, 0, "split 0+3");
    }
}
