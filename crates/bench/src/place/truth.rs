//! Follows a line from commit to commit.

use std::collections::BTreeSet;

use super::likeness::{letters, likeness};
use super::patch::{Change, Hunk, Step};

/// How alike a line and its successor in one commit must be.
const ALIKE: f64 = 0.6;

/// Below this a line has no successor. In between two readers would not agree.
const UNLIKE: f64 = 0.4;

/// How many letters and digits a line needs, to be found by its text alone.
const TELLING: usize = 8;

/// What became of a line.
#[derive(Clone, Debug)]
pub(crate) enum Fate {
    At(Spot),
    Deleted,
    /// There are several answers, and no rule to choose one.
    Unknown,
}

/// Where a line is, and how it came there.
#[derive(Clone, Debug)]
pub(crate) struct Spot {
    pub(crate) path: String,
    pub(crate) line: usize,
    /// Whether it was cut in one place and pasted in another.
    pub(crate) is_moved: bool,
    /// Whether its file got another name.
    pub(crate) is_renamed: bool,
    pub(crate) is_edited: bool,
    /// Whether one may as well say that it is gone.
    pub(crate) is_doubtful: bool,
}

impl Spot {
    pub(crate) fn new(path: &str, line: usize) -> Self {
        Self {
            path: path.to_owned(),
            line,
            is_moved: false,
            is_renamed: false,
            is_edited: false,
            is_doubtful: false,
        }
    }
}

/// Returns where a line is after all steps.
pub(crate) fn follow(steps: &[Step], spot: Spot) -> Fate {
    let mut fate = Fate::At(spot);
    for step in steps {
        fate = match fate {
            Fate::At(spot) => follow_step(step, spot),
            end => return end,
        };
    }
    fate
}

/// Returns whether a line is blank or has little more than brackets.
pub(crate) fn is_poor(line: &[u8]) -> bool {
    letters(line) < 3
}

fn follow_step(step: &Step, mut spot: Spot) -> Fate {
    let of_file = |change: &&Change| change.old_path.as_deref() == Some(spot.path.as_str());
    let Some(change) = step.iter().find(of_file) else {
        return Fate::At(spot);
    };
    if change.is_binary {
        return Fate::Unknown;
    }
    let line = spot.line;
    let inside = |hunk: &&Hunk| (hunk.old_start..hunk.old_start + hunk.old.len()).contains(&line);
    if let Some(hunk) = change.hunks.iter().find(inside) {
        return changed(step, change, hunk, spot);
    }
    let above = change.hunks.iter().filter(|hunk| hunk.old_start + hunk.old.len() <= line);
    let (removed, added) = above
        .fold((0, 0), |(removed, added), hunk| (removed + hunk.old.len(), added + hunk.new.len()));
    spot.line = line + added - removed;
    renamed(change, spot)
}

/// Takes over the path of a file that goes on under another name.
fn renamed(change: &Change, mut spot: Spot) -> Fate {
    let Some(path) = &change.new_path else { return Fate::Deleted };
    spot.is_renamed |= spot.path != *path;
    spot.path.clone_from(path);
    Fate::At(spot)
}

/// Follows a line that the commit took away.
///
/// The same text in place of it comes first, then the same text anywhere, then a text that is alike.
fn changed(step: &Step, change: &Change, hunk: &Hunk, mut spot: Spot) -> Fate {
    let index = spot.line - hunk.old_start;
    let here = successor(hunk, index);
    if let Some((line, alike)) = here
        && alike >= 1.0
    {
        spot.line = hunk.new_start + line;
        return renamed(change, spot);
    }
    match pasted(step, hunk, index) {
        Pasted::At(path, line) => {
            spot.is_moved = true;
            Fate::At(Spot { path, line, ..spot })
        }
        Pasted::Somewhere => Fate::Unknown,
        Pasted::Nowhere => match here {
            Some((line, alike)) => {
                spot.line = hunk.new_start + line;
                spot.is_edited = true;
                spot.is_doubtful |= alike < ALIKE;
                renamed(change, spot)
            }
            None => Fate::Deleted,
        },
    }
}

/// Returns the line of a hunk that is most like an old one, when the old one is also most like it.
fn successor(hunk: &Hunk, index: usize) -> Option<(usize, f64)> {
    let text = hunk.old.get(index)?;
    let (line, alike) = most_alike(&hunk.new, text, place(index, hunk.old.len()))?;
    let (back, _) = most_alike(&hunk.old, hunk.new.get(line)?, place(line, hunk.new.len()))?;
    let is_mutual = back == index || hunk.old.get(back) == Some(text);
    (alike >= UNLIKE && is_mutual).then_some((line, alike))
}

/// Returns the line most like a text; of several the one at the most similar height.
fn most_alike(lines: &[Vec<u8>], text: &[u8], height: f64) -> Option<(usize, f64)> {
    let ranked = lines.iter().enumerate().map(|(line, other)| {
        let alike = likeness(text, other, UNLIKE, ALIKE);
        (line, alike, alike - (place(line, lines.len()) - height).abs() / 1e4)
    });
    let best = ranked.max_by(|one, other| one.2.total_cmp(&other.2))?;
    Some((best.0, best.1))
}

fn place(line: usize, lines: usize) -> f64 {
    (line as f64 + 0.5) / lines.max(1) as f64
}

enum Pasted {
    At(String, usize),
    Somewhere,
    Nowhere,
}

/// Looks for the text among all lines that the commit added.
fn pasted(step: &Step, hunk: &Hunk, index: usize) -> Pasted {
    let Some(text) = hunk.old.get(index).map(|text| text.trim_ascii()) else {
        return Pasted::Nowhere;
    };
    if letters(text) < TELLING {
        return Pasted::Nowhere;
    }
    let mut places: Vec<(usize, &str, usize)> = Vec::new();
    for change in step {
        let Some(path) = change.new_path.as_deref() else { continue };
        for other in &change.hunks {
            let equal = other.new.iter().enumerate().filter(|(_, line)| line.trim_ascii() == text);
            places.extend(equal.map(|(line, _)| {
                (support(&hunk.old, index, &other.new, line), path, other.new_start + line)
            }));
        }
    }
    let copies = step
        .iter()
        .flat_map(|change| change.hunks.iter().flat_map(|hunk| &hunk.old))
        .filter(|line| line.trim_ascii() == text)
        .count();
    places.sort_unstable();
    match places.as_slice() {
        [] => Pasted::Nowhere,
        [(_, path, line)] if copies == 1 => Pasted::At((*path).to_owned(), *line),
        [.., second, (most, path, line)] if second.0 < *most => {
            Pasted::At((*path).to_owned(), *line)
        }
        [(most, path, line)] if *most > 0 => Pasted::At((*path).to_owned(), *line),
        _ => Pasted::Somewhere,
    }
}

/// Returns how many lines around one line are those around the other.
fn support(old: &[Vec<u8>], index: usize, new: &[Vec<u8>], line: usize) -> usize {
    const AROUND: usize = 3;
    let mut lines = BTreeSet::new();
    for distance in 1..=AROUND {
        let above = index.checked_sub(distance).zip(line.checked_sub(distance));
        for (one, other) in above.into_iter().chain([(index + distance, line + distance)]) {
            let texts = old.get(one).zip(new.get(other));
            if texts
                .is_some_and(|(one, other)| !is_poor(one) && one.trim_ascii() == other.trim_ascii())
            {
                lines.insert(one);
            }
        }
    }
    lines.len()
}
