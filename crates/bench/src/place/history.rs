//! Reads commits, their patches and their files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use skein_git::{FileDiff, FileStatus, LineKind, parse_patch};

use crate::Outcome;

/// Patches without context lines, independent of the user's configuration.
const PATCH: [&str; 8] = [
    "-p",
    "-U0",
    "--find-renames",
    "--diff-algorithm=histogram",
    "--no-color",
    "--no-ext-diff",
    "--src-prefix=a/",
    "--dst-prefix=b/",
];

/// Larger files are ignored.
const MAX_TEXT_LEN: usize = 1 << 20;

/// A repository and its first-parent history.
pub(crate) struct History {
    dir: PathBuf,
    /// The commits, oldest first.
    pub(crate) commits: Vec<String>,
}

/// A patch that is in the history, and also in a commit outside of it, on another base.
pub(crate) struct RebasedPatch {
    pub(crate) outside: String,
    /// The index of the commit in the history.
    pub(crate) inside: usize,
}

/// The lines that one hunk replaces; line numbers start at 0.
pub(crate) struct Replacement {
    pub(crate) old_start: usize,
    pub(crate) old: Vec<Vec<u8>>,
    pub(crate) new_start: usize,
    pub(crate) new: Vec<Vec<u8>>,
}

/// The change of one file.
pub(crate) struct PatchedFile {
    /// `None` for a new file, and for a binary one that was not renamed.
    pub(crate) old_path: Option<String>,
    /// `None` for a deleted file, and for a binary one that was not renamed.
    pub(crate) new_path: Option<String>,
    pub(crate) hunks: Vec<Replacement>,
    pub(crate) is_binary: bool,
}

/// All changes of one commit.
pub(crate) type CommitChanges = Vec<PatchedFile>;

impl History {
    pub(crate) fn open(dir: &Path) -> Outcome<Self> {
        let list = skein_git::run(dir, ["rev-list", "--first-parent", "--reverse", "HEAD"])?;
        let commits = String::from_utf8(list)?.lines().map(str::to_owned).collect();
        Ok(Self { dir: dir.to_owned(), commits })
    }

    /// Returns the changes of each commit after `from` up to `to`.
    pub(crate) fn changes_between(&self, from: &str, to: &str) -> Outcome<Vec<CommitChanges>> {
        let range = format!("{from}..{to}");
        let order =
            ["--first-parent", "--diff-merges=first-parent", "--reverse", "--format=commit %H"];
        let args = ["-c", "core.quotePath=false", "log"].into_iter().chain(order).chain(PATCH);
        let log = skein_git::run(&self.dir, args.chain([range.as_str()]))?;
        // Every line of a hunk begins with another character.
        let mut starts: Vec<usize> = memchr::memmem::find_iter(&log, "\ncommit ").collect();
        starts.push(log.len());
        let mut from = 0;
        let patches = starts.into_iter().map(|end| {
            let patch = log.get(from..end).unwrap_or_default();
            from = end;
            patch
        });
        Ok(patches.filter(|patch| !patch.is_empty()).map(parse).collect())
    }

    /// Returns the difference between two trees.
    pub(crate) fn difference(&self, from: &str, to: &str) -> Outcome<CommitChanges> {
        let args = ["-c", "core.quotePath=false", "diff"].into_iter().chain(PATCH);
        Ok(parse(&skein_git::run(&self.dir, args.chain([from, to]))?))
    }

    /// Returns the text of a file in a commit, unless it is missing, binary or too large.
    pub(crate) fn text(&self, commit: &str, path: &str) -> Option<Vec<u8>> {
        let text = skein_git::run(&self.dir, ["cat-file", "blob", &format!("{commit}:{path}")]);
        text.ok().filter(|text| text.len() <= MAX_TEXT_LEN && !text.contains(&0))
    }

    /// Returns the patches that other branches share with the history.
    pub(crate) fn rebased_patches(&self) -> Outcome<Vec<RebasedPatch>> {
        let indices: BTreeMap<&str, usize> =
            self.commits.iter().map(String::as_str).zip(0..).collect();
        let inside = self.patch_ids(&["--first-parent", "HEAD"])?;
        let outside = self.patch_ids(&["--all", "--not", "HEAD"])?;
        let found = outside.into_iter().filter_map(|(patch, outside)| {
            let inside = indices.get(inside.get(&patch)?.as_str())?;
            Some(RebasedPatch { outside, inside: *inside })
        });
        Ok(found.collect())
    }

    /// Returns commits by the ids of their patches.
    fn patch_ids(&self, revisions: &[&str]) -> Outcome<BTreeMap<String, String>> {
        let args = ["log", "-p", "--no-merges", "--no-color", "--no-ext-diff"];
        let mut log = skein_git::command(&self.dir)
            .args(args)
            .args(revisions)
            .stdout(Stdio::piped())
            .spawn()?;
        let output = log.stdout.take().ok_or("git log has no output")?;
        let ids =
            skein_git::command(&self.dir).args(["patch-id", "--stable"]).stdin(output).output()?;
        log.wait()?;
        let ids = String::from_utf8(ids.stdout)?;
        let pairs = ids.lines().filter_map(|line| line.split_once(' '));
        Ok(pairs.map(|(patch, commit)| (patch.to_owned(), commit.to_owned())).collect())
    }
}

fn parse(patch: &[u8]) -> CommitChanges {
    parse_patch(patch).into_iter().map(PatchedFile::from_diff).collect()
}

impl PatchedFile {
    fn from_diff(diff: FileDiff) -> Self {
        // Changes of nothing but the mode, and empty files, have no lines to follow.
        let has_lines = !diff.hunks.is_empty() || diff.status == FileStatus::Renamed;
        let hunks = diff.hunks.into_iter().map(|hunk| {
            let (mut old, mut new) = (Vec::new(), Vec::new());
            for line in hunk.lines {
                let side = if line.kind == LineKind::Removed { &mut old } else { &mut new };
                side.push(line.bytes);
            }
            // The start of an empty range is the line before it.
            let start = |start: u32, lines: u32| (start - u32::from(lines > 0)) as usize;
            let old_start = start(hunk.old_start, hunk.old_lines);
            let new_start = start(hunk.new_start, hunk.new_lines);
            Replacement { old_start, old, new_start, new }
        });
        Self {
            hunks: hunks.collect(),
            old_path: diff.old_path.filter(|_| has_lines),
            new_path: diff.new_path.filter(|_| has_lines),
            is_binary: diff.binary,
        }
    }
}
