//! Which line of a hunk took the place of another.

use super::likeness::{letters, likeness};
use super::patch::Hunk;

/// How alike a line and its successor must be.
const ALIKE: f64 = 0.6;

/// Below this a line has no successor. In between two readers would not agree.
const UNLIKE: f64 = 0.4;

/// Below this a line may have been broken into several.
const BROKEN: f64 = 0.75;

/// What a hunk made of a line.
pub(crate) enum Successor {
    /// The same text.
    Same(usize),
    Edited {
        line: usize,
        /// How many lines below belong to it, because the line was broken.
        reach: usize,
        /// Whether one may as well say that the line is gone.
        is_doubtful: bool,
    },
    /// Several lines are as good, and nothing tells which.
    Several,
    None,
}

/// Returns what became of a line that a hunk takes away.
///
/// Where as many lines came as went it is the one at the same height, if that is alike. Otherwise it is
/// the line that is most like it, if it is the most like that one too. Of equal lines the first becomes
/// the first and the second the second, if there are as many after as before. Where another old line is
/// more like that one, the line at the same height remains as a doubtful answer.
pub(crate) fn successor(hunk: &Hunk, index: usize) -> Successor {
    let Some(text) = hunk.old.get(index) else { return Successor::None };
    let mut none = Successor::None;
    if hunk.old.len() == hunk.new.len()
        && let Some(other) = hunk.new.get(index)
    {
        let edited = |is_doubtful| Successor::Edited { line: index, reach: 0, is_doubtful };
        match likeness(text, other, UNLIKE, ALIKE) {
            alike if alike >= 1.0 => return Successor::Same(index),
            alike if alike >= ALIKE => return edited(false),
            alike if alike >= UNLIKE => none = edited(true),
            _ => {}
        }
    }
    let (alike, places) = most_alike(&hunk.new, |other| likeness(text, other, UNLIKE, ALIKE));
    if alike < BROKEN
        && let Some((line, reach)) = fragments(hunk, index)
    {
        return Successor::Edited { line, reach, is_doubtful: false };
    }
    let Some(first) = places.first().and_then(|line| hunk.new.get(*line)) else { return none };
    let (_, olds) = most_alike(&hunk.old, |other| likeness(other, first, UNLIKE, ALIKE));
    let Some(rank) = olds.iter().position(|line| *line == index) else { return none };
    if alike < UNLIKE {
        return none;
    }
    match places.get(rank) {
        Some(line) if olds.len() == places.len() => match alike >= 1.0 {
            true => Successor::Same(*line),
            false => Successor::Edited { line: *line, reach: 0, is_doubtful: alike < ALIKE },
        },
        _ => Successor::Several,
    }
}

/// Returns the highest likeness, and the lines that have it.
fn most_alike(lines: &[Vec<u8>], alike: impl Fn(&[u8]) -> f64) -> (f64, Vec<usize>) {
    let (mut most, mut places) = (0.0, Vec::new());
    for (line, other) in lines.iter().enumerate() {
        let alike = alike(other);
        if alike > most {
            most = alike;
            places.clear();
        }
        if alike == most && alike > 0.0 {
            places.push(line);
        }
    }
    (most, places)
}

/// Returns the lines into which a line was broken: the first, and how many more.
///
/// Each of them has most of its words from the line, and together they have most of its words.
fn fragments(hunk: &Hunk, index: usize) -> Option<(usize, usize)> {
    let text = hunk.old.get(index)?;
    let whole = words(text);
    let is_part = |line: &Vec<u8>| {
        let of_others = hunk.old.iter().enumerate().filter(|(other, _)| *other != index);
        share(&words(line), &whole) >= ALIKE
            && !of_others.into_iter().any(|(_, other)| likeness(other, line, ALIKE, ALIKE) >= ALIKE)
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
        share(&whole, &lines.flat_map(|line| words(line)).collect::<Vec<_>>())
    };
    let run = runs
        .into_iter()
        .filter(|run| run.len() > 1)
        .max_by(|one, other| covered(one).total_cmp(&covered(other)))?;
    let (first, last) = (run.first()?, run.last()?);
    (covered(&run) >= ALIKE).then_some((*first, last - first))
}

/// Returns how many lines above and below the successor of a line have most of their words from that line.
pub(crate) fn parts(hunk: &Hunk, index: usize, line: usize) -> (usize, usize) {
    let Some(text) = hunk.old.get(index) else { return (0, 0) };
    let whole = words(text);
    let is_part = |line: &&Vec<u8>| share(&words(line), &whole) >= ALIKE;
    let above = hunk.new.get(..line).unwrap_or_default().iter().rev().take_while(is_part).count();
    let below = hunk.new.get(line + 1..).unwrap_or_default();
    (above, below.iter().take_while(is_part).count())
}

/// Returns whether there are only lines without words between two.
fn is_blank_between(hunk: &Hunk, one: usize, other: usize) -> bool {
    let between = hunk.new.get(one + 1..other).unwrap_or_default();
    between.iter().all(|line| letters(line) == 0)
}

fn words(line: &[u8]) -> Vec<&[u8]> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    line.split(|byte| !is_word(byte)).filter(|word| !word.is_empty()).collect()
}

/// Returns the share of the letters of some words that is in words among the others.
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
        let hunk = Hunk { old_start: 0, old: lines(old), new_start: 0, new: lines(new) };
        let said = match successor(&hunk, index) {
            Successor::Same(line) => format!("same {line}"),
            Successor::Edited { line, reach: 0, is_doubtful: false } => format!("edited {line}"),
            Successor::Edited { line, reach: 0, is_doubtful: true } => format!("doubtful {line}"),
            Successor::Edited { line, reach, .. } => format!("broken {line}+{reach}"),
            Successor::Several => "several".to_owned(),
            Successor::None => "none".to_owned(),
        };
        assert_eq!(said, expected);
    }

    #[test]
    fn takes_the_line_that_is_most_alike() {
        check(&["let a = first();"], &["x", "let a = second();"], 0, "edited 1");
        check(&["let a = first();"], &["x", "  let a = first();"], 0, "same 1");
        check(&["let a = first();"], &["return;"], 0, "none");
        check(&["digest 1f3a99c0ab"], &["digest 77de01b2c5"], 0, "doubtful 0");
    }

    #[test]
    fn the_line_at_the_same_height_is_a_doubtful_successor() {
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
    fn a_broken_line_is_all_its_parts() {
        let new = ["render(", "  create(App, {", "    target,", "    base,", "  })", ");"];
        check(&["render(create(App, { target, base }));"], &new, 0, "broken 0+3");
    }
}
