//! Compares two versions of the files.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use crate::command::{GitArg, GitCommand};
use crate::file_diff::{FileDiff, FileStatus};
use crate::objects::Objects;
use crate::patch::parse_patch;
use crate::pathspec::pathspecs;
use crate::repo::Repo;
use crate::run::RunError;
use crate::scratch::TempIndex;
use crate::side::{DiffSide, compare};
use crate::snapshot::RawPath;

/// The largest untracked file, in bytes, that is shown with its content.
const MAX_UNTRACKED: u64 = 2_000_000;

/// The largest file, in bytes, that is compared. It is the value of `core.bigFileThreshold` below.
const MAX_COMPARED: usize = 16 << 20;

/// The number of bytes in which git looks for a zero byte.
const TEXT_PREFIX: usize = 8_000;

/// Arguments that keep the configuration and the attributes of a repository from running programs,
/// and from changing the format of the output.
///
/// Submodules are not inspected: git would start another git for them, without these settings.
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

/// Which files a diff includes.
#[derive(Clone, Copy, Debug)]
pub struct DiffOptions<'a> {
    /// The files and folders to compare; all when there are none.
    ///
    /// A file that was renamed to or from another path counts as added or deleted.
    pub paths: &'a [String],
    /// Whether files that are neither tracked nor ignored are included, if the new side is the
    /// worktree.
    ///
    /// Files larger than 2 MB are shown without their content.
    pub untracked: bool,
    /// Files and folders that never appear.
    pub exclude: &'a [String],
    /// The number of context lines around a change.
    pub context: u32,
}

impl Default for DiffOptions<'_> {
    fn default() -> Self {
        Self { paths: &[], untracked: false, exclude: &[], context: 3 }
    }
}

impl Repo {
    /// Returns the differences between two sides, sorted by path.
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
        command.paths(pathspecs(options.paths, options.exclude));
        let mut files = parse_patch(&self.finish_with(command, untracked)?);
        let texts = self.texts_without_diff(&files, old, new)?;
        if texts.is_empty() {
            return Ok(files);
        }
        let mut command = self.patch(options)?;
        compare(command.arg("--text"), old, new);
        command.paths(pathspecs(&texts, &[]));
        for file in parse_patch(&self.finish_with(command, untracked)?) {
            let Some(shown) = files.iter_mut().find(|shown| shown.path() == file.path()) else {
                continue;
            };
            if file.is_text() {
                *shown = FileDiff { is_diff_disabled: true, ..file };
            }
        }
        Ok(files)
    }

    /// Returns the paths of files that git shows without their content although they look like text: attributes such as `-diff` disable
    /// their diff.
    fn texts_without_diff(
        &self,
        files: &[FileDiff],
        old: &DiffSide,
        new: &DiffSide,
    ) -> Result<Vec<String>, RunError> {
        let mut paths = Vec::new();
        let mut objects = None;
        for file in files.iter().filter(|file| file.binary) {
            let side = if file.new_path.is_some() { new } else { old };
            if self
                .start_of(side, file.path(), &mut objects)?
                .is_some_and(|start| !is_binary(&start))
            {
                paths.extend(file.old_path.iter().chain(&file.new_path).cloned());
            }
        }
        Ok(paths)
    }

    /// Returns the first bytes of a file that is not too large to be compared.
    fn start_of(
        &self,
        side: &DiffSide,
        path: &str,
        objects: &mut Option<Objects>,
    ) -> Result<Option<Vec<u8>>, RunError> {
        if *side == DiffSide::Worktree {
            return Ok(start_of_file(&self.top().join(path)));
        }
        let objects = match objects {
            Some(objects) => objects,
            None => objects.insert(Objects::start(self)?),
        };
        // A file that cannot be read stays without content.
        let content = objects.on_side(side, path).ok().flatten();
        Ok(content.filter(|content| content.len() <= MAX_COMPARED))
    }

    /// Returns files of the worktree as added files.
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

    /// Returns a command that prints a patch; the caller adds the sides.
    fn patch(&self, options: &DiffOptions<'_>) -> Result<GitCommand, RunError> {
        let mut command = self.git_on_files()?;
        command
            .args(["-c", "core.bigFileThreshold=16m", "diff", "--patch"])
            .args(PLAIN)
            .arg("--inter-hunk-context=0")
            .arg(GitArg::option("--unified", options.context.to_string()));
        Ok(command)
    }

    /// Runs a command on an index that also has these untracked files.
    pub(crate) fn finish_with(
        &self,
        command: GitCommand,
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

/// Returns the first bytes of a regular file that is not too large to be compared.
fn start_of_file(path: &Path) -> Option<Vec<u8>> {
    let metadata = path.symlink_metadata().ok()?;
    if !metadata.is_file() || metadata.len() > MAX_COMPARED as u64 {
        return None;
    }
    let mut start = Vec::new();
    File::open(path).ok()?.take(TEXT_PREFIX as u64).read_to_end(&mut start).ok()?;
    Some(start)
}

/// Returns whether a file is binary by git's rule: a zero byte near the start.
pub fn is_binary(content: &[u8]) -> bool {
    content.iter().take(TEXT_PREFIX).any(|byte| *byte == 0)
}

fn without_content(path: &[u8]) -> FileDiff {
    FileDiff {
        old_path: None,
        new_path: Some(String::from_utf8_lossy(path).into_owned()),
        status: FileStatus::Added,
        binary: true,
        is_diff_disabled: false,
        old_mode: None,
        new_mode: None,
        hunks: Vec::new(),
    }
}
