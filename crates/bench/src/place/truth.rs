//! Follows a line from commit to commit.

use super::likeness::{letters, likeness};
use super::pasted::{Pasted, pasted};
use super::patch::{Change, Hunk, Step};
use super::successor::{Successor, successor};

/// How many neighbours must come along when a line is brought back after its deletion.
const BROUGHT_BACK: usize = 2;

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
    /// How many lines below belong to it too, because it was broken.
    pub(crate) reach: usize,
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
            reach: 0,
            is_moved: false,
            is_renamed: false,
            is_edited: false,
            is_doubtful: false,
        }
    }
}

/// Returns where a line is after all steps.
pub(crate) fn follow(steps: &[Step], mut spot: Spot) -> Fate {
    let mut lost: Option<(&Hunk, usize)> = None;
    for step in steps {
        match lost {
            None => match follow_step(step, &mut spot) {
                Next::Here => {}
                Next::Lost(hunk, index) => lost = Some((hunk, index)),
                Next::Unknown => return Fate::Unknown,
            },
            // What was deleted may be brought back, as by the revert of the deletion.
            Some((hunk, index)) => {
                if let Pasted::At(place) = pasted(step, hunk, index)
                    && place.support >= BROUGHT_BACK
                {
                    (spot.path, spot.line) = (place.path.to_owned(), place.line);
                    lost = None;
                }
            }
        }
    }
    if lost.is_some() { Fate::Deleted } else { Fate::At(spot) }
}

/// Returns whether a line is blank or has little more than brackets.
pub(crate) fn is_poor(line: &[u8]) -> bool {
    letters(line) < 3
}

/// What one commit made of a line.
enum Next<'a> {
    Here,
    /// Deleted, with the hunk that did it and the number of the line in it.
    Lost(&'a Hunk, usize),
    Unknown,
}

fn follow_step<'a>(step: &'a Step, spot: &mut Spot) -> Next<'a> {
    let of_file = |change: &&Change| change.old_path.as_deref() == Some(spot.path.as_str());
    let Some(change) = step.iter().find(of_file) else { return Next::Here };
    if change.is_binary {
        return Next::Unknown;
    }
    let line = spot.line;
    let inside = |hunk: &&Hunk| (hunk.old_start..hunk.old_start + hunk.old.len()).contains(&line);
    if let Some(hunk) = change.hunks.iter().find(inside) {
        return changed(step, change, hunk, spot);
    }
    let above = change.hunks.iter().filter(|hunk| hunk.old_start + hunk.old.len() <= line);
    let (removed, added) = above
        .fold((0, 0), |(removed, added), hunk| (removed + hunk.old.len(), added + hunk.new.len()));
    stay(change, spot, line + added - removed)
}

/// Takes over the path of a file that goes on, be it under another name.
fn stay<'a>(change: &Change, spot: &mut Spot, line: usize) -> Next<'a> {
    let Some(path) = &change.new_path else { return Next::Unknown };
    spot.is_renamed |= spot.path != *path;
    spot.path.clone_from(path);
    spot.line = line;
    Next::Here
}

/// Follows a line that the commit took away.
fn changed<'a>(step: &'a Step, change: &Change, hunk: &'a Hunk, spot: &mut Spot) -> Next<'a> {
    let index = spot.line - hunk.old_start;
    let here = successor(hunk, index);
    spot.reach = 0;
    if let Successor::Same(line) = here {
        return stay(change, spot, hunk.new_start + line);
    }
    let there = pasted(step, hunk, index);
    match (here, there) {
        (Successor::None | Successor::Several, Pasted::At(place)) => {
            paste(spot, place.path, place.line)
        }
        // The same text with the same neighbours is more than a text that is alike.
        (_, Pasted::At(place)) if place.support > 0 => paste(spot, place.path, place.line),
        (Successor::Edited { line, reach, is_doubtful }, _) => {
            spot.is_edited = true;
            spot.is_doubtful |= is_doubtful;
            spot.reach = reach;
            stay(change, spot, hunk.new_start + line)
        }
        (Successor::None, Pasted::None) => match resembles(change, hunk, index) {
            Some(line) => {
                spot.is_edited = true;
                spot.is_doubtful = true;
                stay(change, spot, line)
            }
            None => Next::Lost(hunk, index),
        },
        _ => Next::Unknown,
    }
}

/// Returns the one line of the other hunks of a file that is very much like a line that a hunk takes away.
///
/// One reader would say that the line was moved and edited, the other that it was deleted.
fn resembles(change: &Change, hunk: &Hunk, index: usize) -> Option<usize> {
    const VERY: f64 = 0.75;
    let text = hunk.old.get(index).filter(|text| letters(text) >= 8)?;
    let others = change.hunks.iter().filter(|other| other.new_start != hunk.new_start);
    let lines = others.flat_map(|other| (other.new_start..).zip(&other.new));
    let mut alike = lines.filter(|(_, line)| likeness(text, line, VERY, VERY) >= VERY);
    let (line, _) = alike.next()?;
    alike.next().is_none().then_some(line)
}

fn paste<'a>(spot: &mut Spot, path: &str, line: usize) -> Next<'a> {
    path.clone_into(&mut spot.path);
    spot.line = line;
    spot.is_moved = true;
    Next::Here
}
