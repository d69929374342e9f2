//! Compares two states.

use std::process::Command;

use crate::file_diff::{FileDiff, FileStatus};
use crate::patch::parse_patch;
use crate::pathspec::pathspecs;
use crate::repo::Repo;
use crate::run::RunError;
use crate::scratch::TempIndex;
use crate::side::{DiffSide, compare};
use crate::snapshot::RawPath;

/// How large an untracked file may be to be shown with its content.
const MAX_UNTRACKED: u64 = 2_000_000;

/// Arguments without which the configuration or the attributes of a repository could run programs,
/// or change what the output looks like.
///
/// To look into a submodule git would start another git, without these settings.
pub(crate) const PLAIN: [&str; 10] = [
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-relative",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--find-renames",
    "--diff-algorithm=default",
    "--ignore-submodules=dirty",
    "--submodule=short",
];

/// What a comparison shows.
#[derive(Clone, Copy, Debug)]
pub struct DiffOptions<'a> {
    /// The files and folders to compare; all when there are none.
    ///
    /// A file that was renamed to or from another path counts as added or deleted.
    pub paths: &'a [String],
    /// Whether files that are neither tracked nor ignored count as part of the worktree, when that
    /// is the new side.
    ///
    /// One that is larger than 2 MB is shown without its content.
    pub untracked: bool,
    /// Files and folders that never appear.
    pub exclude: &'a [String],
    /// How many lines to show around a change.
    pub context: u32,
}

impl Default for DiffOptions<'_> {
    fn default() -> Self {
        Self { paths: &[], untracked: false, exclude: &[], context: 3 }
    }
}

impl Repo {
    /// Returns how the files differ between two sides, by path.
    ///
    /// A file of more than 16 MiB is shown without its content.
    pub fn diff(
        &self,
        old: &DiffSide,
        new: &DiffSide,
        options: &DiffOptions<'_>,
    ) -> Result<Vec<FileDiff>, RunError> {
        let mut untracked = Vec::new();
        if options.untracked && *new == DiffSide::Worktree {
            untracked = self.untracked(options.paths, options.exclude)?;
        }
        let (large, small): (Vec<_>, Vec<_>) =
            untracked.into_iter().partition(|path| self.size(path) > MAX_UNTRACKED);
        let mut files = Vec::new();
        if *old == DiffSide::Index && !small.is_empty() {
            // With these files in the index too, there would be nothing to compare them with.
            files.extend(self.added(&small, options)?);
            files.extend(self.compare(old, new, options, &[])?);
        } else {
            files.extend(self.compare(old, new, options, &small)?);
        }
        files.extend(large.iter().map(|path| without_content(path)));
        files.sort_by(|a, b| a.path().cmp(b.path()));
        Ok(files)
    }

    fn compare(
        &self,
        old: &DiffSide,
        new: &DiffSide,
        options: &DiffOptions<'_>,
        untracked: &[RawPath],
    ) -> Result<Vec<FileDiff>, RunError> {
        let mut command = self.patch(options)?;
        if !compare(&mut command, old, new) {
            return Ok(Vec::new());
        }
        command.arg("--").args(pathspecs(options.paths, options.exclude));
        Ok(parse_patch(&self.finish_with(command, untracked)?))
    }

    /// Returns files of the worktree as if there had been nothing before.
    fn added(
        &self,
        files: &[RawPath],
        options: &DiffOptions<'_>,
    ) -> Result<Vec<FileDiff>, RunError> {
        let scratch = TempIndex::empty(self)?;
        self.record(scratch.isolate(self.git_on_files()?), files)?;
        let mut command = scratch.isolate(self.patch(options)?);
        compare(&mut command, &DiffSide::Tree(self.empty_tree()?), &DiffSide::Index);
        Ok(parse_patch(&self.finish(command)?))
    }

    /// Returns a command that prints a patch, for the sides to be added.
    fn patch(&self, options: &DiffOptions<'_>) -> Result<Command, RunError> {
        let mut command = self.git_on_files()?;
        command
            .args(["-c", "core.bigFileThreshold=16m", "diff", "--patch"])
            .args(PLAIN)
            .arg("--inter-hunk-context=0")
            .arg(format!("--unified={}", options.context));
        Ok(command)
    }

    /// Runs a command to its end, with these untracked files in the index that it sees.
    pub(crate) fn finish_with(
        &self,
        command: Command,
        untracked: &[RawPath],
    ) -> Result<Vec<u8>, RunError> {
        if untracked.is_empty() {
            return self.finish(command);
        }
        let scratch = TempIndex::new(self)?;
        self.record(scratch.isolate(self.git_on_files()?), untracked)?;
        self.finish(scratch.isolate(command))
    }
}

fn without_content(path: &[u8]) -> FileDiff {
    FileDiff {
        old_path: None,
        new_path: Some(String::from_utf8_lossy(path).into_owned()),
        status: FileStatus::Added,
        binary: true,
        old_mode: None,
        new_mode: None,
        hunks: Vec::new(),
    }
}
