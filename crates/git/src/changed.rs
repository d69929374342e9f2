//! Lists the files that differ.

use std::iter::Peekable;

use crate::diff::PLAIN;
use crate::file_diff::FileStatus;
use crate::object_id::CommitId;
use crate::pathspec::Pathspecs;
use crate::repo::Repo;
use crate::run::{RunError, split, text};
use crate::side::{DiffSide, compare};

/// A file that differs.
///
/// In paths, bytes that are not UTF-8 are replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    /// How it changed.
    pub status: FileStatus,
    /// The path on the old side; `None` for a file that was added.
    pub old_path: Option<String>,
    /// The path on the new side; `None` for a file that was deleted.
    pub new_path: Option<String>,
}

impl Repo {
    /// Returns which files differ between a commit and another side, by path.
    ///
    /// Untracked files are not included.
    pub fn changed_paths(
        &self,
        old: &CommitId,
        new: &DiffSide,
    ) -> Result<Vec<ChangedFile>, RunError> {
        let mut command = self.git_on_files()?;
        command.args(["diff", "--name-status", "-z"]).args(PLAIN);
        if !compare(&mut command, &DiffSide::Commit(old.clone()), new) {
            return Ok(Vec::new());
        }
        command.paths(Pathspecs::ALL);
        let mut changed = parse(&mut split(&self.finish(command)?).peekable());
        changed.sort_by(|a, b| path(a).cmp(path(b)));
        Ok(changed)
    }
}

/// Parses the output of `--name-status -z`, up to a part that is not a status.
pub(crate) fn parse<'a>(parts: &mut Peekable<impl Iterator<Item = &'a [u8]>>) -> Vec<ChangedFile> {
    let mut changed: Vec<ChangedFile> = Vec::new();
    while let Some(letter) = parts.next_if(|part| is_status(part)).and_then(<[u8]>::first) {
        let path = parts.next().map(text);
        let (status, old_path, new_path) = match letter {
            b'A' => (FileStatus::Added, None, path),
            b'D' => (FileStatus::Deleted, path, None),
            b'R' => (FileStatus::Renamed, path, parts.next().map(text)),
            b'C' => (FileStatus::Copied, path, parts.next().map(text)),
            b'T' => (FileStatus::TypeChanged, path.clone(), path),
            _ => (FileStatus::Modified, path.clone(), path),
        };
        let entry = ChangedFile { status, old_path, new_path };
        // git prints a file with a conflict twice: once as unmerged, once with its change.
        if changed.last().is_none_or(|last| self::path(last) != self::path(&entry)) {
            changed.push(entry);
        }
    }
    changed
}

/// Returns whether a part is a letter, perhaps with a similarity: `M`, `R100`.
fn is_status(part: &[u8]) -> bool {
    matches!(part, [b'A'..=b'Z', score @ ..] if score.len() <= 3 && score.iter().all(u8::is_ascii_digit))
}

fn path(changed: &ChangedFile) -> &str {
    changed.new_path.as_deref().or(changed.old_path.as_deref()).unwrap_or_default()
}
