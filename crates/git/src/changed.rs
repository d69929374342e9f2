//! Lists the files that differ.

use crate::commit_id::CommitId;
use crate::diff::PLAIN;
use crate::file_diff::FileStatus;
use crate::repo::Repo;
use crate::run::RunError;
use crate::side::{DiffSide, compare};

/// A file that differs.
///
/// In paths, bytes that are not UTF-8 are replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    /// What happened to it.
    pub status: FileStatus,
    /// The path on the old side; `None` for a file that was added.
    pub old_path: Option<String>,
    /// The path on the new side; `None` for a file that was deleted.
    pub new_path: Option<String>,
}

impl Repo {
    /// Returns which files differ between a commit and another side, by path.
    ///
    /// Of the worktree, only the files that git knows count.
    ///
    /// # Errors
    ///
    /// When git cannot be run, or one of the sides is not there.
    pub fn changed_paths(
        &self,
        old: &CommitId,
        new: &DiffSide,
    ) -> Result<Vec<ChangedFile>, RunError> {
        let mut changed = self.name_status(old, new)?;
        changed.sort_by(|a, b| path(a).cmp(path(b)));
        Ok(changed)
    }

    /// Returns the old and the new path of each file that was renamed since a commit.
    ///
    /// # Errors
    ///
    /// As for [`Repo::changed_paths`].
    pub fn renames(
        &self,
        old: &CommitId,
        new: &DiffSide,
    ) -> Result<Vec<(String, String)>, RunError> {
        let changed = self.changed_paths(old, new)?;
        let renamed = changed.into_iter().filter(|changed| changed.status == FileStatus::Renamed);
        Ok(renamed.filter_map(|changed| changed.old_path.zip(changed.new_path)).collect())
    }

    fn name_status(&self, old: &CommitId, new: &DiffSide) -> Result<Vec<ChangedFile>, RunError> {
        let mut command = self.git_on_files()?;
        command.args(["diff", "--name-status", "-z"]).args(PLAIN);
        if !compare(&mut command, &DiffSide::Commit(old.clone()), new) {
            return Ok(Vec::new());
        }
        command.arg("--");
        Ok(parse(&self.finish(command)?))
    }
}

/// Reads what git prints with `--name-status -z`.
pub(crate) fn parse(stdout: &[u8]) -> Vec<ChangedFile> {
    let mut changed: Vec<ChangedFile> = Vec::new();
    let mut parts = stdout.split(|&byte| byte == 0);
    while let (Some([letter, ..]), Some(first)) = (parts.next(), parts.next()) {
        let path = Some(shown(first));
        let entry = match letter {
            b'A' => ChangedFile { status: FileStatus::Added, old_path: None, new_path: path },
            b'D' => ChangedFile { status: FileStatus::Deleted, old_path: path, new_path: None },
            b'R' | b'C' => {
                let status = if *letter == b'R' { FileStatus::Renamed } else { FileStatus::Copied };
                ChangedFile { status, old_path: path, new_path: parts.next().map(shown) }
            }
            b'T' => ChangedFile {
                status: FileStatus::TypeChanged,
                old_path: path.clone(),
                new_path: path,
            },
            _ => {
                ChangedFile { status: FileStatus::Modified, old_path: path.clone(), new_path: path }
            }
        };
        // A conflict comes in addition to what happened to the file.
        if changed.last().is_none_or(|last| self::path(last) != self::path(&entry)) {
            changed.push(entry);
        }
    }
    changed
}

fn path(changed: &ChangedFile) -> &str {
    changed.new_path.as_deref().or(changed.old_path.as_deref()).unwrap_or_default()
}

fn shown(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}
