//! Finds the checkpoint that an id refers to.

use std::path::{Path, PathBuf};

use skein_format::checkpoint::{CheckpointFileKind, is_legacy_file, is_thread_file};
use skein_format::id::{CheckpointId, is_file_stem};
use skein_model::date_filter::clock_tolerance;
use skein_model::normalize_path::stem;
use skein_model::{Kind, similar_ids};
use skein_workspace::{CheckpointStore, Env, Workspace};

use crate::location::FindError;
use crate::rows::checkpoint::{self, read_heads, threads_with_id};
use crate::short_ids::slug_of;
use crate::thread_names::ThreadName;

/// A checkpoint's file, and which kind of file it is.
pub type CheckpointFile = (CheckpointFileKind, PathBuf);

/// Finds the checkpoint that was changed last, by what the files say.
pub(crate) fn changed_last(workspace: &Workspace, env: &Env) -> Result<CheckpointFile, FindError> {
    // A clock that is ahead does not make a checkpoint the newest for ever.
    let possible = clock_tolerance(env.clock.now());
    let all = read_heads(&workspace.checkpoints, &|id, place, head| {
        let at = head.updated_at.or(head.created_at).filter(|at| *at <= possible);
        (at, id.to_owned(), place)
    });
    let last = all.into_iter().max_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    last.map(|(_, _, place)| place).ok_or(FindError::Nothing)
}

/// Finds the checkpoint whose file says that it has this id, or had it as an auto-checkpoint.
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
            Err(FindError::Ambiguous { text: id.to_owned(), candidates })
        }
    }
}

/// Returns whether a text looks like a whole id, which must not match as the start of another one.
pub(crate) fn is_whole_id(text: &str) -> bool {
    CheckpointId::parse(text).is_some_and(|id| id.time().is_some())
}

/// Looks for a file of exactly that name, without listing the threads.
pub fn exact(checkpoints: &CheckpointStore, text: &str) -> Option<CheckpointFile> {
    if !is_file_stem(text) {
        return None;
    }
    let name = format!("{text}.json");
    let thread = (CheckpointFileKind::Thread, checkpoints.file(&name));
    let places = [thread, (CheckpointFileKind::Legacy, checkpoints.legacy().join(&name))];
    let live = places.into_iter().find_map(|(form, path)| {
        (is_checkpoint(&name, form) && path.is_file()).then_some((form, path))
    });
    let away = || {
        let mut dirs = months(checkpoints).into_iter();
        let path = dirs.find_map(|dir| Some(dir.join(&name)).filter(|path| path.is_file()))?;
        is_thread_file(&name).then_some((CheckpointFileKind::Thread, path))
    };
    live.or_else(away)
}

/// Finds a checkpoint among those that were put away.
pub(crate) fn archived(checkpoints: &CheckpointStore, text: &str) -> Result<PathBuf, FindError> {
    let mut all = Vec::new();
    for dir in months(checkpoints) {
        crate::thread_names::add(
            &mut all,
            Kind::Checkpoint,
            Some(CheckpointFileKind::Thread),
            &dir,
            ".json",
            is_thread_file,
        );
    }
    among(text, &all).map(|(_, path)| path)
}

/// Returns the folders of the archive, the latest first.
pub(crate) fn months(checkpoints: &CheckpointStore) -> Vec<PathBuf> {
    let entries = checkpoints.archive().read_dir().into_iter().flatten().filter_map(Result::ok);
    let mut dirs: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    dirs.retain(|dir| dir.is_dir());
    dirs.sort_unstable_by(|a, b| b.cmp(a));
    dirs
}

/// Finds the one of these names that is meant: an id, a slug, the start of one of them.
pub(crate) fn among(text: &str, all: &[ThreadName]) -> Result<CheckpointFile, FindError> {
    let slug = |named: &ThreadName| slug_of(named.kind, &named.id);
    let tests: [&dyn Fn(&ThreadName) -> bool; 3] =
        [&|named| named.id == text, &|named| slug(named).as_deref() == Some(text), &|named| {
            named.id.starts_with(text) || slug(named).is_some_and(|slug| slug.starts_with(text))
        }];
    for test in tests.into_iter().filter(|_| !text.is_empty()) {
        let hits: Vec<&ThreadName> = all.iter().filter(|named| test(named)).collect();
        match hits.as_slice() {
            [] => {}
            [one] => return Ok((one.form.unwrap_or(CheckpointFileKind::Thread), one.path.clone())),
            many => {
                let candidates = described(many);
                return Err(FindError::Ambiguous { text: text.to_owned(), candidates });
            }
        }
    }
    Err(FindError::None { text: text.to_owned(), near: near(text, all) })
}

/// Returns the ids of checkpoints with their titles.
fn described(many: &[&ThreadName]) -> Vec<(String, String)> {
    let title = |named: &ThreadName| {
        let bytes = skein_store::read(&named.path).ok()?.bytes;
        let form = named.form.unwrap_or(CheckpointFileKind::Thread);
        let row = checkpoint::row(&bytes, &named.id, named.path.display().to_string(), form);
        Some(format!("checkpoint: {}", row.title))
    };
    let kind = || Kind::Checkpoint.as_str().to_owned();
    many.iter().map(|named| (named.id.clone(), title(named).unwrap_or_else(kind))).collect()
}

/// Returns whether a checkpoint was put away.
pub fn is_archived(checkpoints: &CheckpointStore, path: &Path) -> bool {
    path.parent().and_then(Path::parent) == Some(checkpoints.archive().as_path())
}

pub(crate) fn is_checkpoint(name: &str, form: CheckpointFileKind) -> bool {
    match form {
        CheckpointFileKind::Thread => is_thread_file(name),
        CheckpointFileKind::Legacy => is_legacy_file(name),
    }
}

/// Returns ids that hold the text, else those that begin almost as it does, by their slugs too.
pub(crate) fn near(text: &str, all: &[ThreadName]) -> Vec<String> {
    let slugs: Vec<Option<String>> =
        all.iter().map(|named| slug_of(named.kind, &named.id)).collect();
    let ids = all.iter().map(|named| named.id.as_str());
    similar_ids(text, ids.zip(slugs.iter().map(Option::as_deref)))
}
