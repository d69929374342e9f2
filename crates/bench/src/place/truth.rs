//! Follows a line from commit to commit.

use super::history::{CommitChanges, PatchedFile, Replacement};
use super::pasted::{AddedLine, find_pasted, removed_copies};
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
    /// The first and the last of the lines that stand in its place, if it was rewritten.
    pub(super) replacement: Option<(usize, usize)>,
    /// The number of lines above and below that have most of their words from it.
    pub(super) parts: (usize, usize),
}

/// A hunk that removed a line, and the index of the line among those that the hunk removes.
type Removal<'a> = (&'a Replacement, usize);

impl LineSpot {
    pub(super) fn new(path: &str, line: usize) -> Self {
        Self { path: path.to_owned(), line, ..Self::default() }
    }

    /// Returns the location of the line after all commits.
    pub(super) fn follow(mut self, commits: &[CommitChanges]) -> Result<Self, Unclear> {
        let mut removal: Option<Removal<'_>> = None;
        // Whether the same text was written again after its deletion.
        let mut is_rewritten = false;
        for commit in commits {
            let Some((hunk, index)) = removal else {
                removal = self.follow_commit(commit)?;
                continue;
            };
            // A later commit may restore the line, for example by reverting the removal.
            if let Ok(Some(added)) = find_pasted(commit, hunk, index)
                && (added.support >= MIN_RESTORED_NEIGHBOURS || added.path == self.path)
            {
                is_rewritten |= added.support < MIN_RESTORED_NEIGHBOURS;
                let is_elsewhere = self.path != added.path;
                if self.replacement.is_some() && (is_rewritten || is_elsewhere) {
                    return Err(Unclear::Ambiguous);
                }
                let is_moved = self.is_moved || self.path != added.path;
                self.paste(&added);
                (self.is_moved, self.replacement, self.parts) = (is_moved, None, (0, 0));
                removal = None;
            } else if let Some(lines) = self.replacement {
                self.replacement = Some(self.follow_replacement(commit, lines)?);
            }
        }
        self.is_doubtful |= is_rewritten;
        self.is_deleted = removal.is_some() && self.replacement.is_none();
        Ok(self)
    }

    /// Returns the first line of the location, with the lines above that may belong to it.
    pub(super) fn first_line(&self) -> usize {
        let (above, _) = self.parts;
        self.replacement.map_or(self.line.saturating_sub(above), |(first, _)| first)
    }

    /// Returns the last line of the location, with the lines below that may belong to it.
    pub(super) fn last_line(&self) -> usize {
        let (_, below) = self.parts;
        self.replacement.map_or(self.line + self.reach.max(below), |(_, last)| last)
    }

    /// Returns where the lines that stand in the place of the line are after a commit.
    ///
    /// A hunk that replaces some of them belongs to them.
    fn follow_replacement(
        &mut self,
        commit: &CommitChanges,
        (first, last): (usize, usize),
    ) -> Result<(usize, usize), Unclear> {
        let of_file = |change: &&PatchedFile| change.old_path.as_ref() == Some(&self.path);
        let Some(change) = commit.iter().find(of_file) else { return Ok((first, last)) };
        let path =
            change.new_path.clone().filter(|_| !change.is_binary).ok_or(Unclear::Ambiguous)?;
        let (mut start, mut end) = (first, last + 1);
        for hunk in &change.hunks {
            let (old_start, old_end, new_start, new_end) = hunk.ranges();
            if (old_start < last + 1 && old_end > first) && !change.agreed.contains(&hunk.ranges())
            {
                return Err(Unclear::Disagreement);
            }
            if old_end <= first {
                start = first + new_end - old_end;
            } else if old_start <= first {
                start = new_start;
            }
            if old_end <= last {
                end = last + 1 + new_end - old_end;
            } else if old_start <= last {
                end = new_end;
            }
        }
        self.is_renamed |= self.path != path;
        self.path = path;
        if start < end { Ok((start, end - 1)) } else { Err(Unclear::Ambiguous) }
    }

    fn follow_commit<'a>(
        &mut self,
        commit: &'a CommitChanges,
    ) -> Result<Option<Removal<'a>>, Unclear> {
        let of_file = |change: &&PatchedFile| change.old_path.as_ref() == Some(&self.path);
        let Some(change) = commit.iter().find(of_file) else { return Ok(None) };
        if change.is_binary {
            return Err(Unclear::Ambiguous);
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
    ) -> Result<Option<Removal<'a>>, Unclear> {
        let path = change.new_path.as_ref().ok_or(Unclear::Ambiguous)?;
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
    ) -> Result<Option<Removal<'a>>, Unclear> {
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
            // Several files lost the text, and this one has a successor of it: the other file may have it from any of them.
            let copies = hunk.old.get(index).map_or(0, |text| removed_copies(commit, text));
            let is_copy = added.path != self.path && copies > 1;
            if is_copy && here.is_some_and(|successor| !successor.is_doubtful) {
                return Err(Unclear::Ambiguous);
            }
            self.paste(added);
            return Ok(None);
        }
        if let Some(edited) = here.filter(|successor| !successor.is_doubtful) {
            self.is_edited = true;
            self.reach = edited.reach;
            self.parts = surrounding_parts(hunk, index, edited.line);
            return self.stay(change, hunk.new_start + edited.line);
        }
        successor?;
        if pasted?.is_some() || find_similar(change, hunk, index).is_some() {
            return Err(Unclear::Ambiguous);
        }
        if !change.agreed.contains(&hunk.ranges()) {
            return Err(Unclear::Disagreement);
        }
        if !hunk.new.is_empty() {
            self.replacement = Some((hunk.new_start, hunk.new_start + hunk.new.len() - 1));
            self.stay(change, hunk.new_start)?;
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// A hunk: the first old line, the old lines, the first new line, and the new lines.
    type Hunk<'a> = (usize, &'a [&'a str], usize, &'a [&'a str]);

    fn commit(hunks: &[Hunk<'_>], is_agreed: bool) -> CommitChanges {
        let lines = |lines: &[&str]| lines.iter().map(|line| line.as_bytes().to_vec()).collect();
        let hunks: Vec<Replacement> = hunks
            .iter()
            .map(|(old_start, old, new_start, new)| Replacement {
                old_start: *old_start,
                old: lines(old),
                new_start: *new_start,
                new: lines(new),
            })
            .collect();
        let agreed = hunks.iter().filter(|_| is_agreed).map(Replacement::ranges);
        let agreed: BTreeSet<_> = agreed.collect();
        let path = Some("a".to_owned());
        vec![PatchedFile {
            old_path: path.clone(),
            new_path: path,
            hunks,
            agreed,
            is_binary: false,
        }]
    }

    #[track_caller]
    fn check(commits: &[CommitChanges], expected: &str) {
        let found = match LineSpot::new("a", 5).follow(commits) {
            Ok(spot) if spot.is_deleted => "deleted".to_owned(),
            Ok(LineSpot { replacement: Some((first, last)), .. }) => {
                format!("rewritten {first}-{last}")
            }
            Ok(spot) => format!("line {}", spot.line),
            Err(_) => "unclear".to_owned(),
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn a_removed_line_is_rewritten_if_other_lines_stand_in_its_place() {
        let rewritten = commit(&[(4, &["begin(a);", "return;"], 4, &["self.evict();"])], true);
        check(&[rewritten], "rewritten 4-4");
        check(&[commit(&[(5, &["return;"], 5, &[])], true)], "deleted");
        check(&[commit(&[(5, &["return a;"], 5, &["x", "return b;"])], true)], "line 6");
    }

    #[test]
    fn a_hunk_on_which_the_algorithms_disagree_is_unclear() {
        check(&[commit(&[(5, &["return;"], 5, &["self.evict();"])], false)], "unclear");
        check(&[commit(&[(5, &["return;"], 5, &[])], false)], "unclear");
    }

    #[test]
    fn a_text_that_several_files_lost_is_not_moved_if_its_line_was_edited() {
        let file = |path: &str, old: &[&str], new: &[&str]| {
            let mut changes = commit(&[(4, old, 4, new)], true);
            changes[0].old_path = Some(path.to_owned());
            changes[0].new_path = Some(path.to_owned());
            changes
        };
        let old = ["@app.after_request", "def after_request(response):"];
        let new = ["@app.before_request", "def before_request(response):"];
        let pasted = || file("quoted", &[], &old);
        check(&[[file("a", &old, &new), pasted()].into_iter().flatten().collect()], "line 5");
        let both = [file("a", &old, &new), file("b", &old, &new), pasted()];
        check(&[both.into_iter().flatten().collect()], "unclear");
    }

    #[test]
    fn the_lines_in_the_place_of_a_line_are_followed() {
        let rewritten = || commit(&[(5, &["return;"], 5, &["x", "self.evict();"])], true);
        check(&[rewritten(), commit(&[(0, &[], 0, &["use a;"])], true)], "rewritten 6-7");
        check(
            &[rewritten(), commit(&[(6, &["self.evict();"], 6, &["b", "c"])], true)],
            "rewritten 5-7",
        );
        check(&[rewritten(), commit(&[(6, &[], 6, &["b"])], true)], "rewritten 5-7");
        check(&[rewritten(), commit(&[(5, &["x", "self.evict();"], 5, &[])], true)], "unclear");
        check(
            &[rewritten(), commit(&[(6, &["self.evict();", "end(a);"], 6, &[])], true)],
            "rewritten 5-5",
        );
    }
}
