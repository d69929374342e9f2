//! Follows a line from commit to commit.

use super::history::{CommitChanges, PatchedFile, Replacement};
use super::pasted::{AddedLine, Pasted, find_pasted};
use super::similarity::{letter_count, similarity};
use super::successor::{LineSuccessor, find_successor, surrounding_parts};

/// How many neighbours must be the same for a deleted line to count as restored.
const MIN_RESTORED_NEIGHBOURS: usize = 2;

/// What happened to a line.
pub(crate) enum Fate {
    At(LineSpot),
    Deleted,
    /// Deleted, and another line was written in its place.
    Replaced(LineSpot),
    /// There are several answers, and no rule decides.
    Unknown,
}

/// Where a line is, and how it got there.
#[derive(Default)]
pub(crate) struct LineSpot {
    pub(crate) path: String,
    pub(crate) line: usize,
    /// How many lines below belong to it, because it was split.
    pub(crate) reach: usize,
    /// Whether it was cut in one place and pasted in another.
    pub(crate) is_moved: bool,
    pub(crate) is_renamed: bool,
    pub(crate) is_edited: bool,
    /// Whether "deleted" is a correct answer too.
    pub(crate) is_doubtful: bool,
    /// Whether only a line that was written in its place is left.
    pub(crate) is_replaced: bool,
    /// How many lines above and below have most of their words from it.
    pub(crate) parts: (usize, usize),
}

impl LineSpot {
    pub(crate) fn new(path: &str, line: usize) -> Self {
        Self { path: path.to_owned(), line, ..Self::default() }
    }
}

/// Returns where a line is after all commits.
pub(crate) fn follow_line(commits: &[CommitChanges], mut spot: LineSpot) -> Fate {
    let mut lost: Option<(&Replacement, usize)> = None;
    // Whether the same text was written again after its deletion.
    let mut is_rewritten = false;
    for commit in commits {
        match lost {
            None => match follow_commit(commit, &mut spot) {
                CommitResult::Here => {}
                CommitResult::Lost(hunk, index) => lost = Some((hunk, index)),
                CommitResult::Unknown => return Fate::Unknown,
            },
            // A later commit may restore the line, for example by reverting the deletion.
            Some((hunk, index)) => {
                if let Pasted::At(added) = find_pasted(commit, hunk, index)
                    && (added.support >= MIN_RESTORED_NEIGHBOURS || added.path == spot.path)
                {
                    is_rewritten |= added.support < MIN_RESTORED_NEIGHBOURS;
                    spot.is_moved |= spot.path != added.path;
                    (spot.path, spot.line) = (added.path.to_owned(), added.line);
                    (spot.is_replaced, spot.parts) = (false, (0, 0));
                    lost = None;
                } else if spot.is_replaced {
                    // The replacement matters only while it can be followed.
                    let next = follow_commit(commit, &mut spot);
                    spot.is_replaced = matches!(next, CommitResult::Here);
                }
            }
        }
    }
    spot.is_doubtful |= is_rewritten;
    match lost {
        Some(_) if spot.is_replaced => Fate::Replaced(spot),
        Some(_) => Fate::Deleted,
        None => Fate::At(spot),
    }
}

/// Returns whether a line is blank or has little more than brackets.
pub(crate) fn is_poor(line: &[u8]) -> bool {
    letter_count(line) < 3
}

/// What one commit did to a line.
enum CommitResult<'a> {
    Here,
    /// Deleted, by this hunk, in which the line has this index.
    Lost(&'a Replacement, usize),
    Unknown,
}

fn follow_commit<'a>(commit: &'a CommitChanges, spot: &mut LineSpot) -> CommitResult<'a> {
    let of_file = |change: &&PatchedFile| change.old_path.as_deref() == Some(spot.path.as_str());
    let Some(change) = commit.iter().find(of_file) else { return CommitResult::Here };
    if change.is_binary {
        return CommitResult::Unknown;
    }
    let line = spot.line;
    let inside =
        |hunk: &&Replacement| (hunk.old_start..hunk.old_start + hunk.old.len()).contains(&line);
    if let Some(hunk) = change.hunks.iter().find(inside) {
        return follow_removed(commit, change, hunk, spot);
    }
    let above = change.hunks.iter().filter(|hunk| hunk.old_start + hunk.old.len() <= line);
    let (removed, added) = above
        .fold((0, 0), |(removed, added), hunk| (removed + hunk.old.len(), added + hunk.new.len()));
    stay(change, spot, line + added - removed)
}

/// Sets the position in a file that still exists, perhaps with another name.
fn stay<'a>(change: &PatchedFile, spot: &mut LineSpot, line: usize) -> CommitResult<'a> {
    let Some(path) = &change.new_path else { return CommitResult::Unknown };
    spot.is_renamed |= spot.path != *path;
    spot.path.clone_from(path);
    spot.line = line;
    CommitResult::Here
}

/// Follows a line that a hunk removes.
fn follow_removed<'a>(
    commit: &'a CommitChanges,
    change: &PatchedFile,
    hunk: &'a Replacement,
    spot: &mut LineSpot,
) -> CommitResult<'a> {
    let index = spot.line - hunk.old_start;
    let here = find_successor(hunk, index);
    spot.reach = 0;
    spot.parts = (0, 0);
    if let LineSuccessor::Same(line) = here {
        return stay(change, spot, hunk.new_start + line);
    }
    let there = find_pasted(commit, hunk, index);
    match (here, there) {
        (LineSuccessor::None | LineSuccessor::Several, Pasted::At(added)) => paste(spot, &added),
        // The same text with the same neighbours counts more than a similar text.
        (_, Pasted::At(added)) if added.support > 0 => paste(spot, &added),
        (LineSuccessor::Edited { line, reach, is_doubtful }, _) => {
            spot.is_edited = true;
            spot.is_doubtful |= is_doubtful;
            spot.reach = reach;
            spot.parts = surrounding_parts(hunk, index, line);
            stay(change, spot, hunk.new_start + line)
        }
        (LineSuccessor::None, Pasted::None) => match find_similar(change, hunk, index) {
            Some(line) => {
                spot.is_edited = true;
                spot.is_doubtful = true;
                stay(change, spot, line)
            }
            None if hunk.new.is_empty() => CommitResult::Lost(hunk, index),
            None => {
                spot.is_replaced = true;
                let position = index * hunk.new.len() / hunk.old.len().max(1);
                match stay(change, spot, hunk.new_start + position) {
                    // One line for one line: a reader of the change takes it for an edit.
                    CommitResult::Here if hunk.old.len() == 1 && hunk.new.len() == 1 => {
                        (spot.is_edited, spot.is_doubtful, spot.is_replaced) = (true, true, false);
                        CommitResult::Here
                    }
                    _ => CommitResult::Lost(hunk, index),
                }
            }
        },
        _ => CommitResult::Unknown,
    }
}

/// Returns the only line in the other hunks of the file that is very similar to a line that a hunk removes.
///
/// Readers would disagree whether the line was moved and edited, or deleted.
fn find_similar(change: &PatchedFile, hunk: &Replacement, index: usize) -> Option<usize> {
    const VERY_SIMILAR: f64 = 0.75;
    let text = hunk.old.get(index).filter(|text| letter_count(text) >= 8)?;
    let others = change.hunks.iter().filter(|other| other.new_start != hunk.new_start);
    let lines = others.flat_map(|other| (other.new_start..).zip(&other.new));
    let mut similar = lines
        .filter(|(_, line)| similarity(text, line, VERY_SIMILAR, VERY_SIMILAR) >= VERY_SIMILAR);
    let (line, _) = similar.next()?;
    similar.next().is_none().then_some(line)
}

fn paste<'a>(spot: &mut LineSpot, added: &AddedLine<'_>) -> CommitResult<'a> {
    (spot.path, spot.line, spot.is_moved) = (added.path.to_owned(), added.line, true);
    CommitResult::Here
}
