//! Follows a line from commit to commit.

use super::likeness::{letters, likeness};
use super::pasted::{Pasted, pasted};
use super::patch::{Change, Hunk, Step};
use super::successor::{Successor, parts, successor};

/// How many neighbours must come along when a line is brought back after its deletion.
const BROUGHT_BACK: usize = 2;

/// What became of a line.
#[derive(Clone, Debug)]
pub(crate) enum Fate {
    At(Spot),
    Deleted,
    /// Deleted, and another line was written in its place.
    Replaced(Spot),
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
    /// Whether nothing of it is left but a line that was written in its place.
    pub(crate) is_replaced: bool,
    /// How many lines above and below have most of their words from it.
    pub(crate) parts: (usize, usize),
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
            is_replaced: false,
            parts: (0, 0),
        }
    }
}

/// Returns where a line is after all steps.
pub(crate) fn follow(steps: &[(String, Step)], mut spot: Spot) -> Fate {
    let mut lost: Option<(&Hunk, usize)> = None;
    // Where the same text was written again after its deletion.
    let mut again = false;
    for (_, step) in steps {
        match lost {
            None => match follow_step(step, &mut spot) {
                Next::Here => {}
                Next::Lost(hunk, index) => lost = Some((hunk, index)),
                Next::Unknown => return Fate::Unknown,
            },
            // What was deleted may be brought back, as by the revert of the deletion.
            Some((hunk, index)) => {
                if let Pasted::At(place) = pasted(step, hunk, index)
                    && (place.support >= BROUGHT_BACK || place.path == spot.path)
                {
                    again |= place.support < BROUGHT_BACK;
                    spot.is_moved |= spot.path != place.path;
                    (spot.path, spot.line) = (place.path.to_owned(), place.line);
                    (spot.is_replaced, spot.parts) = (false, (0, 0));
                    lost = None;
                } else if spot.is_replaced {
                    // Where the replacement goes matters only as long as it can be followed.
                    let next = follow_step(step, &mut spot);
                    spot.is_replaced = matches!(next, Next::Here);
                }
            }
        }
    }
    spot.is_doubtful |= again;
    match lost {
        Some(_) if spot.is_replaced => Fate::Replaced(spot),
        Some(_) => Fate::Deleted,
        None => Fate::At(spot),
    }
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
    spot.parts = (0, 0);
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
            spot.parts = parts(hunk, index, line);
            stay(change, spot, hunk.new_start + line)
        }
        (Successor::None, Pasted::None) => match resembles(change, hunk, index) {
            Some(line) => {
                spot.is_edited = true;
                spot.is_doubtful = true;
                stay(change, spot, line)
            }
            None if hunk.new.is_empty() => Next::Lost(hunk, index),
            None => {
                spot.is_replaced = true;
                let height = index * hunk.new.len() / hunk.old.len().max(1);
                match stay(change, spot, hunk.new_start + height) {
                    // One line for one line: who reads the change sees that it took its place.
                    Next::Here if hunk.old.len() == 1 && hunk.new.len() == 1 => {
                        (spot.is_edited, spot.is_doubtful, spot.is_replaced) = (true, true, false);
                        Next::Here
                    }
                    _ => Next::Lost(hunk, index),
                }
            }
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
