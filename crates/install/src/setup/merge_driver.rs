//! The merge driver of git for thread files.

use std::path::{Path, PathBuf};
use std::time::Duration;

use skein_format::checkpoint::{self, HandoffDoc, is_thread_file};
use skein_format::review::merge;
use skein_model::normalize_path::stem;
use skein_store::{LockError, ReadError, RealFs, ReplaceError, lock, read, replace};

/// Why two versions were not merged. Our version is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum MergeDriverError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Lock(#[from] LockError),
    /// A version is not a usable checkpoint; git can merge them line by line.
    #[error("not a checkpoint in every version, so it is not merged field by field: {path}")]
    NoCheckpoint { path: String },
    #[error(transparent)]
    Write(#[from] ReplaceError),
}

/// The arguments that git passes to a merge driver.
#[derive(Clone, Debug)]
pub struct MergeFiles {
    /// The common ancestor; an empty file if there is none.
    pub base: PathBuf,
    /// Our version, which the merged one replaces.
    pub ours: PathBuf,
    /// Their version.
    pub theirs: PathBuf,
    /// The path of the thread in the repository.
    pub path: String,
}

/// The result of a merge, which is in the file of our version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeOutcome {
    /// Whether a conflict is left, which git reports.
    pub is_conflicted: bool,
    /// Decisions that the user may not expect, one sentence each.
    pub notes: Vec<String>,
}

/// Replaces our version by the merged one.
///
/// The file name determines the format: a checkpoint, `handoff.json`, a table of checkpoints, or otherwise a review thread.
pub fn merge_driver(files: &MergeFiles) -> Result<MergeOutcome, MergeDriverError> {
    let base = read(&files.base)?.bytes;
    let ours = read(&files.ours)?;
    let theirs = read(&files.theirs)?.bytes;
    let path = Path::new(&files.path);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let base = Some(base.as_slice()).filter(|base| !base.is_empty());
    let none = || MergeDriverError::NoCheckpoint { path: files.path.clone() };
    let mut outcome = MergeOutcome { is_conflicted: false, notes: Vec::new() };
    let bytes = match name.as_ref() {
        // The tables are rebuilt with the next checkpoint.
        "INDEX.md" | "recent.md" => ours.bytes.clone(),
        HandoffDoc::FILE_NAME => later_pointer(&ours.bytes, &theirs).ok_or_else(none)?,
        name if is_thread_file(name) => {
            checkpoint::merge(base, &ours.bytes, &theirs, &stem(path)).ok_or_else(none)?
        }
        _ => {
            // The store is two directories above its threads. Threads cannot be about files in the store.
            let store = path.parent().and_then(Path::parent).unwrap_or(Path::new(""));
            let store = store.to_string_lossy();
            let labels = ("ours", "theirs");
            let merged = merge(base, &ours.bytes, &theirs, &stem(path), &store, labels);
            outcome = MergeOutcome { is_conflicted: merged.conflicted, notes: merged.notes };
            merged.bytes
        }
    };
    let dir = files.ours.parent().filter(|dir| !dir.as_os_str().is_empty());
    let guard = lock(&RealFs, dir.unwrap_or(Path::new(".")), Duration::from_secs(10))?;
    replace(&RealFs, &guard, &files.ours, &ours.revision, &bytes)?;
    Ok(outcome)
}

/// Returns the version of `handoff.json` that was written later; `None` if one of them is invalid.
fn later_pointer(ours: &[u8], theirs: &[u8]) -> Option<Vec<u8>> {
    let read = |bytes: &[u8]| Some(HandoffDoc::parse(bytes.to_vec()).0).filter(|doc| doc.usable);
    let (mine, other) = (read(ours)?, read(theirs)?);
    let later = other.created_at > mine.created_at;
    Some(if later { theirs } else { ours }.to_vec())
}
