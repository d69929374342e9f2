//! Finds the checkpoint that an id refers to, in one store.

use std::path::{Path, PathBuf};

use skein_format::checkpoint::CheckpointFileKind;
use skein_format::id::{CheckpointId, is_file_stem};
use skein_model::date_filter::clock_tolerance;
use skein_model::normalize_path::stem;
use skein_model::{Kind, similar_ids};
use skein_workspace::{CheckpointStore, Workspace};

pub use crate::location::CheckpointFile;
use crate::location::FindError;
use crate::rows::checkpoint::{read_heads, threads_with_id};
use crate::thread_names::{ThreadName, checkpoints_in, is_checkpoint, matching, slug_of};

/// Finds the last changed checkpoint, by the times in the files.
pub(crate) fn changed_last(workspace: &Workspace) -> Result<CheckpointFile, FindError> {
    // Times in the future are ignored, so that a wrong clock does not make a checkpoint the newest for ever.
    let possible = clock_tolerance(workspace.env.clock.now());
    let all = read_heads(&workspace.checkpoints, &|id, file, head| {
        let at = head.updated_at.or(head.created_at).filter(|at| *at <= possible);
        (at, id.to_owned(), file)
    });
    let last = all.into_iter().max_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    last.map(|(_, _, file)| file).ok_or(FindError::Nothing)
}

/// Finds the checkpoint whose file contains this id, also as the id of the former auto-checkpoint.
pub fn renamed(
    checkpoints: &CheckpointStore,
    id: &str,
) -> Result<Option<CheckpointFile>, FindError> {
    match threads_with_id(checkpoints, id).as_slice() {
        [] => Ok(None),
        [one] => Ok(Some((CheckpointFileKind::Thread, one.clone()))),
        many => {
            let kind = || Kind::Checkpoint.as_str().to_owned();
            let candidates = many.iter().map(|path| (stem(path), kind())).collect();
            Err(FindError::ambiguous(id, candidates))
        }
    }
}

/// Returns whether a text has the form of a complete id, which must not match as a prefix of another one.
pub(crate) fn is_whole_id(text: &str) -> bool {
    CheckpointId::parse(text).is_some_and(|id| id.time().is_some())
}

/// Finds the file with exactly this name, also in the archive, without listing the threads.
pub fn exact(checkpoints: &CheckpointStore, text: &str) -> Option<CheckpointFile> {
    if !is_file_stem(text) {
        return None;
    }
    let name = format!("{text}.json");
    let file = |form, path: PathBuf| {
        (is_checkpoint(&name, form) && path.is_file()).then_some((form, path))
    };
    let thread = file(CheckpointFileKind::Thread, checkpoints.file(&name));
    let legacy = || file(CheckpointFileKind::Legacy, checkpoints.legacy().join(&name));
    let in_archive = |dir: PathBuf| file(CheckpointFileKind::Thread, dir.join(&name));
    thread.or_else(legacy).or_else(|| months(checkpoints).into_iter().find_map(in_archive))
}

/// Returns the names of the checkpoints in the archive.
pub(crate) fn archived(checkpoints: &CheckpointStore) -> Vec<ThreadName> {
    let months = months(checkpoints).into_iter();
    months.flat_map(|dir| checkpoints_in(&dir, CheckpointFileKind::Thread)).collect()
}

/// Returns the folders of the archive, latest first.
fn months(checkpoints: &CheckpointStore) -> Vec<PathBuf> {
    let entries = checkpoints.archive().read_dir().into_iter().flatten().filter_map(Result::ok);
    let mut dirs: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    dirs.retain(|dir| dir.is_dir());
    dirs.sort_unstable_by(|a, b| b.cmp(a));
    dirs
}

/// Returns the checkpoint that a text identifies, if it is exactly one of these.
pub(crate) fn only(text: &str, all: &[ThreadName]) -> Option<CheckpointFile> {
    match matching(text, all, ThreadName::name).as_slice() {
        [one] => Some((one.form(), one.path.clone())),
        _ => None,
    }
}

/// Returns whether a checkpoint is in the archive.
pub fn is_archived(checkpoints: &CheckpointStore, path: &Path) -> bool {
    path.parent().and_then(Path::parent) == Some(checkpoints.archive().as_path())
}

/// Returns ids that contain the text, else ids with a similar start; slugs are compared too.
pub(crate) fn near(text: &str, all: &[ThreadName]) -> Vec<String> {
    let slugs: Vec<Option<String>> =
        all.iter().map(|named| slug_of(named.kind, &named.id)).collect();
    let ids = all.iter().map(|named| named.id.as_str());
    similar_ids(text, ids.zip(slugs.iter().map(Option::as_deref)))
}
