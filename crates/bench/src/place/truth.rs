//! Follows a line from commit to commit.

use super::history::{CommitChanges, PatchedFile, Replacement};
use super::pasted::{AddedLine, find_pasted};
use super::similarity::{letter_count, similarity};
use super::successor::{Unclear, find_successor, surrounding_parts};

/// Minimum number of equal neighbours for a deleted line to count as restored.
const MIN_RESTORED_NEIGHBOURS: usize = 2;

/// The minimum similarity of a line in another hunk.
const VERY_SIMILAR: f64 = 0.75;

/// The location of a line, and its changes.
#[derive(Default)]
pub(super) struct LineSpot {
    pub(super) path: String,
    pub(super) line: usize,
    /// The number of following lines that belong to it, because it was split.
    pub(super) reach: usize,
    /// Whether it was moved to another location.
    pub(super) is_moved: bool,
    pub(super) is_renamed: bool,
    pub(super) is_edited: bool,
    /// Whether "deleted" is a correct answer too.
    pub(super) is_doubtful: bool,
    pub(super) is_deleted: bool,
    /// Whether the position is that of the line that replaced it.
    pub(super) is_replaced: bool,
    /// The number of lines above and below that have most of their words from it.
    pub(super) parts: (usize, usize),
}

/// A hunk that deleted a line, and the index of the line among those that the hunk removes.
type Deletion<'a> = (&'a Replacement, usize);

impl LineSpot {
    pub(super) fn new(path: &str, line: usize) -> Self {
        Self { path: path.to_owned(), line, ..Self::default() }
    }

    /// Returns the location of the line after all commits.
    pub(super) fn follow(mut self, commits: &[CommitChanges]) -> Result<Self, Unclear> {
        let mut deletion: Option<Deletion<'_>> = None;
        // Whether the same text was written again after its deletion.
        let mut is_rewritten = false;
        for commit in commits {
            let Some((hunk, index)) = deletion else {
                deletion = self.follow_commit(commit)?;
                continue;
            };
            // A later commit may restore the line, for example by reverting the deletion.
            if let Ok(Some(added)) = find_pasted(commit, hunk, index)
                && (added.support >= MIN_RESTORED_NEIGHBOURS || added.path == self.path)
            {
                is_rewritten |= added.support < MIN_RESTORED_NEIGHBOURS;
                let is_moved = self.is_moved || self.path != added.path;
                self.paste(&added);
                (self.is_moved, self.is_replaced, self.parts) = (is_moved, false, (0, 0));
                deletion = None;
            } else if self.is_replaced {
                // The replacement is ignored once it cannot be followed.
                self.is_replaced = matches!(self.follow_commit(commit), Ok(None));
            }
        }
        self.is_doubtful |= is_rewritten;
        self.is_deleted = deletion.is_some();
        Ok(self)
    }

    fn follow_commit<'a>(
        &mut self,
        commit: &'a CommitChanges,
    ) -> Result<Option<Deletion<'a>>, Unclear> {
        let of_file = |change: &&PatchedFile| change.old_path.as_ref() == Some(&self.path);
        let Some(change) = commit.iter().find(of_file) else { return Ok(None) };
        if change.is_binary {
            return Err(Unclear);
        }
        let mut line = self.line;
        for hunk in &change.hunks {
            let old_end = hunk.old_start + hunk.old.len();
            if (hunk.old_start..old_end).contains(&self.line) {
                return self.follow_removed(commit, change, hunk);
            }
            if old_end <= self.line {
                line = line + hunk.new.len() - hunk.old.len();
            }
        }
        self.stay(change, line)
    }

    /// Updates the position in a file that still exists, perhaps under another name.
    fn stay<'a>(
        &mut self,
        change: &PatchedFile,
        line: usize,
    ) -> Result<Option<Deletion<'a>>, Unclear> {
        let path = change.new_path.as_ref().ok_or(Unclear)?;
        self.is_renamed |= self.path != *path;
        (self.path, self.line) = (path.clone(), line);
        Ok(None)
    }

    fn paste(&mut self, added: &AddedLine<'_>) {
        (self.path, self.line, self.is_moved) = (added.path.to_owned(), added.line, true);
    }

    /// Follows a line that a hunk removes.
    fn follow_removed<'a>(
        &mut self,
        commit: &'a CommitChanges,
        change: &PatchedFile,
        hunk: &'a Replacement,
    ) -> Result<Option<Deletion<'a>>, Unclear> {
        let index = self.line - hunk.old_start;
        (self.reach, self.parts) = (0, (0, 0));
        let successor = find_successor(hunk, index);
        let here = successor.as_ref().ok().copied().flatten();
        if let Some(same) = here.filter(|successor| !successor.is_edited) {
            return self.stay(change, hunk.new_start + same.line);
        }
        let pasted = find_pasted(commit, hunk, index);
        // An equal text with equal neighbours has priority over a similar text.
        if let Ok(Some(added)) = &pasted
            && (added.support > 0 || here.is_none())
        {
            self.paste(added);
            return Ok(None);
        }
        if let Some(edited) = here {
            self.is_edited = true;
            self.is_doubtful |= edited.is_doubtful;
            self.reach = edited.reach;
            self.parts = surrounding_parts(hunk, index, edited.line);
            return self.stay(change, hunk.new_start + edited.line);
        }
        successor?;
        pasted?;
        if let Some(line) = find_similar(change, hunk, index) {
            (self.is_edited, self.is_doubtful) = (true, true);
            return self.stay(change, line);
        }
        if hunk.new.is_empty() {
            return Ok(Some((hunk, index)));
        }
        self.is_replaced = true;
        let position = index * hunk.new.len() / hunk.old.len().max(1);
        let is_in_file = self.stay(change, hunk.new_start + position).is_ok();
        if is_in_file && hunk.old.len() == 1 && hunk.new.len() == 1 {
            // One line replaced by one line looks like an edit to a reader.
            (self.is_edited, self.is_doubtful, self.is_replaced) = (true, true, false);
            return Ok(None);
        }
        Ok(Some((hunk, index)))
    }
}

/// Returns whether a line is blank or has little more than brackets.
pub(super) fn is_poor(line: &[u8]) -> bool {
    letter_count(line) < 3
}

/// Returns the only very similar line in the other hunks of the file, for a line that a hunk removes.
///
/// Readers would disagree whether the line was moved and edited, or deleted.
fn find_similar(change: &PatchedFile, hunk: &Replacement, index: usize) -> Option<usize> {
    let text = hunk.old.get(index).filter(|text| letter_count(text) >= 8)?;
    let others = change.hunks.iter().filter(|other| other.new_start != hunk.new_start);
    let lines = others.flat_map(|other| (other.new_start..).zip(&other.new));
    let mut similar = lines
        .filter(|(_, line)| similarity(text, line, VERY_SIMILAR, VERY_SIMILAR) >= VERY_SIMILAR);
    let (line, _) = similar.next()?;
    similar.next().is_none().then_some(line)
}
