//! Lists the files that differ from `HEAD`, and those that git tracks or ignores.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use crate::command::{GitArg, GitCommand};
use crate::pathspec::{Pathspecs, TOP, pathspecs};
use crate::repo::Repo;
use crate::run::{RunError, answer, feed, split, text};

impl Repo {
    /// Returns whether the index or the worktree differs from `HEAD`.
    ///
    /// Untracked files count; ignored ones and paths at or below one of `exclude` do not. A submodule
    /// counts if it has another commit or changes of its own.
    pub fn is_dirty(&self, exclude: &[String]) -> Result<bool, RunError> {
        Ok(self.has_changed_files(exclude)? || !self.changed_submodules()?.is_empty())
    }

    /// Returns the result of [`Repo::is_dirty`] without the changes inside submodules.
    pub(crate) fn has_changed_files(&self, exclude: &[String]) -> Result<bool, RunError> {
        // One byte is enough to know that there is a path.
        Ok(!self.first(self.status_command("normal", exclude)?, 1)?.is_empty())
    }

    /// Returns the result of [`Repo::is_dirty`]; `None` if git fails or needs longer than `limit`.
    pub fn is_dirty_within(&self, limit: Duration, exclude: &[String]) -> Option<bool> {
        self.clone().until(Instant::now() + limit).is_dirty(exclude).ok()
    }

    /// Returns the paths that [`Repo::is_dirty`] counts, sorted.
    ///
    /// Bytes that are not UTF-8 are replaced.
    pub fn status_paths(&self, exclude: &[String]) -> Result<Vec<String>, RunError> {
        let stdout = self.status("all", exclude)?;
        let paths = split(&stdout).filter_map(|entry| entry.get(3..)).map(text);
        let mut paths: Vec<_> = paths.collect();
        paths.extend(self.changed_submodules()?);
        paths.sort();
        paths.dedup();
        Ok(paths)
    }

    /// Returns whether git ignores `path`.
    ///
    /// A tracked file is never ignored.
    pub fn is_ignored(&self, path: &str) -> Result<bool, RunError> {
        let mut command = self.git_with(["check-ignore", "--quiet"]);
        command.paths(Pathspecs::below_top(path));
        Ok(self.answer(command)?.is_some())
    }

    /// Returns whether the index has a file at or below `path`.
    pub fn is_tracked(&self, path: &str) -> Result<bool, RunError> {
        let mut command = self.git_with(["ls-files", "-z"]);
        command.paths(pathspecs(&[path.to_owned()], &[]));
        Ok(!self.finish(command)?.is_empty())
    }

    /// Returns the files of the index that are not in the worktree on purpose, as in a sparse
    /// checkout.
    pub fn not_checked_out(&self) -> Result<BTreeSet<String>, RunError> {
        let mut command = self.git_with(["ls-files", "-t", "-z"]);
        command.paths(pathspecs(&[], &[]));
        let listed = self.finish(command)?;
        let skipped = split(&listed).filter_map(|line| line.strip_prefix(b"S "));
        Ok(skipped.map(text).collect())
    }

    /// Returns the folders that contain a file that git does not ignore, and all their parents,
    /// sorted.
    ///
    /// Deleted files that are still in the index count too. The top is the empty path. Folders
    /// whose name is not UTF-8 are left out.
    pub fn folders(&self, exclude: &[String]) -> Result<BTreeSet<String>, RunError> {
        let mut folders = BTreeSet::from([String::new()]);
        for path in self.files(exclude)? {
            let mut rest = path.as_str();
            while let Some((folder, _)) = rest.rsplit_once('/') {
                // Its parents were added together with it.
                if folder.len() + 1 < path.len() && !folders.insert(folder.to_owned()) {
                    break;
                }
                rest = folder;
            }
        }
        Ok(folders)
    }

    /// Returns the files that git does not ignore, tracked or not, except those at or below one of
    /// `exclude`; names that are not UTF-8 are left out.
    pub fn files(&self, exclude: &[String]) -> Result<BTreeSet<String>, RunError> {
        let args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
        let mut command = self.git_with(args);
        command.paths(pathspecs(&[], exclude));
        let paths = self.finish(command)?;
        Ok(split(&paths).filter_map(|path| String::from_utf8(path.to_vec()).ok()).collect())
    }

    /// Returns those of the paths that git ignores.
    ///
    /// A tracked file is never ignored.
    pub fn ignored(&self, paths: &[String]) -> Result<BTreeSet<String>, RunError> {
        if paths.is_empty() {
            return Ok(BTreeSet::new());
        }
        let mut command = self.git();
        command.args(["check-ignore", "--stdin", "-z"]);
        let input: String = paths.iter().map(|path| format!("{TOP}{path}\0")).collect();
        let stdout = answer(feed(command, self.top(), input.as_bytes()))?.unwrap_or_default();
        let shown = |path: &[u8]| String::from_utf8(path.to_vec()).ok();
        let paths = split(&stdout).filter_map(shown);
        Ok(paths.filter_map(|path| Some(path.strip_prefix(TOP)?.to_owned())).collect())
    }

    fn status(&self, untracked: &str, exclude: &[String]) -> Result<Vec<u8>, RunError> {
        self.finish(self.status_command(untracked, exclude)?)
    }

    /// Returns the command that prints the paths that differ.
    fn status_command(&self, untracked: &str, exclude: &[String]) -> Result<GitCommand, RunError> {
        let mut command = self.git_on_files()?;
        command
            .args(["status", "--porcelain=v1", "-z", "--no-renames", "--ignore-submodules=dirty"])
            .arg(GitArg::option("--untracked-files", untracked))
            .paths(pathspecs(&[], exclude));
        Ok(command)
    }
}
