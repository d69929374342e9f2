//! A temporary index and object directory, so that git does not change the user's.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::command::GitCommand;
use crate::platform::create_private_dir;
use crate::quoted::quote_path;
use crate::repo::Repo;
use crate::run::RunError;

/// The maximum number of folders, including those left by a crash.
const MAX_FOLDERS: u32 = 10_000;

/// An older folder is no longer in use; no operation takes that long.
const MAX_AGE: Duration = Duration::from_secs(60 * 60);

/// A folder with a separate index, removed on drop.
///
/// It is in the git directory of the worktree, or in the directory for temporary files if the git
/// directory is not writable. After a crash it remains; another process reuses its name after an
/// hour.
pub(crate) struct TempIndex {
    folder: PathBuf,
    /// The directories that objects are read from: the repository, and the submissions if there are
    /// any.
    sources: OsString,
}

impl TempIndex {
    /// Creates the folder, and copies the index of the worktree into it if there is one.
    pub(crate) fn new(repo: &Repo) -> Result<Self, RunError> {
        let scratch = Self::empty(repo)?;
        let index = scratch.folder.join("index");
        copy(&repo.git_dir().join("index"), &index).map_err(|source| failed(&index, source))?;
        Ok(scratch)
    }

    /// Creates the folder without an index file, which git reads as an empty index.
    pub(crate) fn empty(repo: &Repo) -> Result<Self, RunError> {
        let folder = claim_writable(repo.git_dir())?;
        let mut sources = quote_path(&repo.common_dir().join("objects"));
        let submissions = repo.submissions_dir().join("objects");
        if submissions.is_dir() {
            sources.push(":");
            sources.push(quote_path(&submissions));
        }
        let scratch = Self { folder, sources };
        let own_objects = scratch.objects();
        fs::create_dir(&own_objects).map_err(|source| failed(&own_objects, source))?;
        Ok(scratch)
    }

    /// Makes a command use the index in the folder, and write its objects there.
    pub(crate) fn isolate(&self, mut command: GitCommand) -> GitCommand {
        command
            .env("GIT_INDEX_FILE", self.folder.join("index"))
            .env("GIT_OBJECT_DIRECTORY", self.objects())
            .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", &self.sources);
        command
    }

    /// Returns the directory that an isolated command writes objects to.
    pub(crate) fn objects(&self) -> PathBuf {
        self.folder.join("objects")
    }
}

impl Drop for TempIndex {
    fn drop(&mut self) {
        // If this fails, the folder is removed later, like one left by a crash.
        drop(fs::remove_dir_all(&self.folder));
    }
}

/// Creates a folder in the git directory, or in the directory for temporary files if that is not
/// writable.
fn claim_writable(git_dir: &Path) -> Result<PathBuf, RunError> {
    claim(git_dir).or_else(|error| match is_read_only(&error) {
        true => claim(&std::env::temp_dir()),
        false => Err(error),
    })
}

/// Creates a folder that no other process uses and no other user can read.
fn claim(dir: &Path) -> Result<PathBuf, RunError> {
    let mut taken = io::Error::from(ErrorKind::AlreadyExists);
    for number in 0..MAX_FOLDERS {
        let folder = dir.join(format!("skein-scratch-{number}"));
        match create_private_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                if is_left_behind(&folder) && fs::remove_dir_all(&folder).is_ok() {
                    continue;
                }
                taken = error;
            }
            Err(source) => return Err(failed(&folder, source)),
        }
    }
    Err(failed(dir, taken))
}

fn is_read_only(error: &RunError) -> bool {
    let RunError::Scratch { source, .. } = error else { return false };
    matches!(source.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem)
}

/// Returns whether a folder was left by a crash.
fn is_left_behind(folder: &Path) -> bool {
    let made = folder.metadata().and_then(|meta| meta.modified());
    made.is_ok_and(|made| made.elapsed().is_ok_and(|age| age > MAX_AGE))
}

/// Copies the index with its modification time.
///
/// git rereads a file that is not older than the index. With a newer index it would miss a change
/// made at the same instant.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let mut source = match File::open(from) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        source => source?,
    };
    let mut target = OpenOptions::new().write(true).create_new(true).open(to)?;
    io::copy(&mut source, &mut target)?;
    target.set_modified(source.metadata()?.modified()?)
}

fn failed(path: &Path, source: io::Error) -> RunError {
    RunError::Scratch { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_temporary_if_the_git_directory_is_read_only() {
        // Not even root can create a directory here.
        let folder = claim_writable(Path::new("/sys")).unwrap();
        assert!(folder.starts_with(std::env::temp_dir()), "{}", folder.display());
        fs::remove_dir(folder).unwrap();
        let missing = claim_writable(Path::new("/sys/missing/directory"));
        assert!(matches!(missing, Err(RunError::Scratch { .. })));
    }
}
