//! Reads commits, their patches and their files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use skein_git::{FileDiff, FileStatus, LineKind, parse_patch};

use crate::Outcome;

/// Options for patches without context lines, independent of the user's configuration.
const PATCH: [&str; 6] =
    ["-U0", "--find-renames", "--no-color", "--no-ext-diff", "--src-prefix=a/", "--dst-prefix=b/"];

const HISTOGRAM: &str = "--diff-algorithm=histogram";
const MYERS: &str = "--diff-algorithm=myers";

/// Maximum size of a file that is used, in bytes.
const MAX_TEXT_LEN: usize = 1 << 20;

/// A repository and its first-parent history.
pub(super) struct History {
    dir: PathBuf,
    /// The commits, oldest first.
    pub(super) commits: Vec<String>,
}

/// The lines that one hunk replaces; line numbers start at 0.
pub(super) struct Replacement {
    pub(super) old_start: usize,
    pub(super) old: Vec<Vec<u8>>,
    pub(super) new_start: usize,
    pub(super) new: Vec<Vec<u8>>,
}

/// The first old line of a hunk, the one after the last, and the same of the new lines.
type HunkRanges = (usize, usize, usize, usize);

/// The change of one file.
pub(super) struct PatchedFile {
    /// `None` for a new file, and for a binary one that was not renamed.
    pub(super) old_path: Option<String>,
    /// `None` for a deleted file, and for a binary one that was not renamed.
    pub(super) new_path: Option<String>,
    /// The hunks of git's histogram algorithm.
    pub(super) hunks: Vec<Replacement>,
    /// The lines of the hunks on which Myers' algorithm agrees.
    pub(super) agreed: BTreeSet<HunkRanges>,
    pub(super) is_binary: bool,
}

/// All changes of one commit.
pub(super) type CommitChanges = Vec<PatchedFile>;

impl History {
    pub(super) fn open(dir: &Path) -> Outcome<Self> {
        let list = skein_git::run(dir, ["rev-list", "--first-parent", "--reverse", "HEAD"])?;
        let commits = String::from_utf8(list)?.lines().map(str::to_owned).collect();
        Ok(Self { dir: dir.to_owned(), commits })
    }

    /// Returns the changes of each commit after `from` up to `to`.
    pub(super) fn changes_between(&self, from: &str, to: &str) -> Outcome<Vec<CommitChanges>> {
        let mut changes = self.changes_by(HISTOGRAM, from, to)?;
        for (commit, other) in changes.iter_mut().zip(self.changes_by(MYERS, from, to)?) {
            agree(commit, &other);
        }
        Ok(changes)
    }

    fn changes_by(&self, algorithm: &str, from: &str, to: &str) -> Outcome<Vec<CommitChanges>> {
        let order = ["--first-parent", "--diff-merges=first-parent", "--reverse", "--format=%x00"];
        let args = ["-c", "core.quotePath=false", "log"].into_iter().chain(order).chain(PATCH);
        let range = format!("{from}..{to}");
        let log = skein_git::run(&self.dir, args.chain([algorithm, range.as_str()]))?;
        // A patch of text has no NUL byte.
        Ok(log.split(|byte| *byte == 0).skip(1).map(parse).collect())
    }

    /// Returns the difference between two trees.
    pub(super) fn difference(&self, from: &str, to: &str) -> Outcome<CommitChanges> {
        let args = ["-c", "core.quotePath=false", "diff"].into_iter().chain(PATCH);
        Ok(parse(&skein_git::run(&self.dir, args.chain([HISTOGRAM, from, to]))?))
    }

    /// Returns the text of a file in a commit, unless it is missing, empty, binary or too large.
    pub(super) fn text(&self, commit: &str, path: &str) -> Option<Vec<u8>> {
        let text = skein_git::run(&self.dir, ["cat-file", "blob", &format!("{commit}:{path}")]);
        text.ok().filter(|text| (1..=MAX_TEXT_LEN).contains(&text.len()) && !text.contains(&0))
    }

    /// Returns each patch of another branch that is also in the history, on another base: its commit on that branch, and the index of
    /// its commit in the history.
    pub(super) fn rebased_patches(&self) -> Outcome<Vec<(String, usize)>> {
        let indices: BTreeMap<_, _> = self.commits.iter().zip(0..).collect();
        let inside = self.patch_ids(&["--first-parent", "HEAD"])?;
        let outside = self.patch_ids(&["--all", "--not", "HEAD"])?;
        let inside = |patch: &String| indices.get(inside.get(patch)?).copied();
        Ok(outside.into_iter().filter_map(|(id, commit)| Some((commit, inside(&id)?))).collect())
    }

    /// Returns commits by the ids of their patches.
    fn patch_ids(&self, revisions: &[&str]) -> Outcome<BTreeMap<String, String>> {
        let mut log = skein_git::command(&self.dir);
        log.args(["log", "-p", "--no-merges", "--no-color", "--no-ext-diff"]).args(revisions);
        let mut log = log.stdout(Stdio::piped()).spawn()?;
        let output = log.stdout.take().ok_or("git log has no output")?;
        let mut ids = skein_git::command(&self.dir);
        let ids = ids.args(["patch-id", "--stable"]).stdin(output).output()?;
        log.wait()?;
        let ids = String::from_utf8(ids.stdout)?;
        let pairs = ids.lines().filter_map(|line| line.split_once(' '));
        Ok(pairs.map(|(patch, commit)| (patch.to_owned(), commit.to_owned())).collect())
    }
}

/// Records the hunks that are the same in the changes of another algorithm.
fn agree(commit: &mut CommitChanges, other: &CommitChanges) {
    for file in commit {
        let is_same =
            |one: &&PatchedFile| one.old_path == file.old_path && one.new_path == file.new_path;
        let hunks = other.iter().find(is_same).map(|one| one.hunks.as_slice()).unwrap_or_default();
        let others: BTreeSet<_> = hunks.iter().map(Replacement::ranges).collect();
        file.agreed = file.hunks.iter().map(Replacement::ranges).collect();
        file.agreed.retain(|ranges| others.contains(ranges));
    }
}

fn parse(patch: &[u8]) -> CommitChanges {
    parse_patch(patch).into_iter().map(PatchedFile::from_diff).collect()
}

impl Replacement {
    /// Returns the first old and new line, and those after the last ones.
    pub(super) fn ranges(&self) -> HunkRanges {
        let (old, new) = (self.old_start + self.old.len(), self.new_start + self.new.len());
        (self.old_start, old, self.new_start, new)
    }
}

impl PatchedFile {
    fn from_diff(diff: FileDiff) -> Self {
        // Empty files and changes of the mode have no lines to follow.
        let has_lines = !diff.hunks.is_empty() || diff.status == FileStatus::Renamed;
        let hunks = diff.hunks.into_iter().map(|hunk| {
            let (old, new): (Vec<_>, Vec<_>) =
                hunk.lines.into_iter().partition(|line| line.kind == LineKind::Removed);
            let [old, new] =
                [old, new].map(|lines| lines.into_iter().map(|line| line.bytes).collect());
            // The start of an empty range is the line before it.
            let start = |start: u32, lines: u32| (start - u32::from(lines > 0)) as usize;
            let old_start = start(hunk.old_start, hunk.old_lines);
            let new_start = start(hunk.new_start, hunk.new_lines);
            Replacement { old_start, old, new_start, new }
        });
        Self {
            hunks: hunks.collect(),
            agreed: BTreeSet::new(),
            old_path: diff.old_path.filter(|_| has_lines),
            new_path: diff.new_path.filter(|_| has_lines),
            is_binary: diff.binary,
        }
    }
}
