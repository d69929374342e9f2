//! Finds the checkpoint that an id means.

use std::path::{Path, PathBuf};

use skein_format::checkpoint::Form;
use skein_format::id::is_plain_name;
use skein_format::time::Time;

use super::error::WorkError;
use super::latest::tomorrow;
use crate::discover::{Checkpoints, Workspace};
use crate::env::Env;
use crate::find::{FindError, Found, find, is_checkpoint, near};
use crate::handle::slug_of;
use crate::ids::{Named, checkpoint_names};
use crate::kind::Kind;
use crate::read::checkpoint::{self, Dated, dated, is_thread};

/// A checkpoint's file, and which kind of file it is.
pub(crate) type Place = (Form, PathBuf);

/// Finds the checkpoint that `text` means, without reading any.
///
/// An exact id comes first, then the path of a file, a slug, and the start of an id or slug; what was put away counts
/// where nothing else is meant.
pub(crate) fn checkpoint(workspace: &Workspace, env: &Env, text: &str) -> Result<Place, FindError> {
    if let Some(place) = exact(&workspace.checkpoints, text) {
        return Ok(place);
    }
    if text == "@last" {
        return changed_last(workspace, env);
    }
    let all = checkpoint_names(&workspace.checkpoints);
    match among(text, &all) {
        Err(FindError::None { near, .. }) => elsewhere(workspace, env, text, near),
        found => found,
    }
}

/// Returns the path of the file of the checkpoint that `text` means, which is an id too.
pub fn file_of(workspace: &Workspace, env: &Env, text: &str) -> Result<String, WorkError> {
    Ok(checkpoint(workspace, env, text)?.1.display().to_string())
}

/// Finds the checkpoint that was changed last, by what the files say.
fn changed_last(workspace: &Workspace, env: &Env) -> Result<Place, FindError> {
    last(workspace, env, |one| one.updated_at.or(one.created_at))
}

/// Finds the checkpoint that was made last, by what the files say; what became of its steps since does not count.
pub(crate) fn newest(workspace: &Workspace, env: &Env) -> Result<Place, FindError> {
    last(workspace, env, |one| one.created_at.or(one.updated_at))
}

fn last(
    workspace: &Workspace,
    env: &Env,
    time: impl Fn(&Dated) -> Option<Time>,
) -> Result<Place, FindError> {
    // A clock that is ahead does not make a checkpoint the newest for ever.
    let possible = tomorrow(env.clock.now());
    let at = |one: &Dated| time(one).filter(|at| *at <= possible);
    let all = dated(&workspace.checkpoints);
    let found = all.iter().max_by(|a, b| (at(a), &a.id).cmp(&(at(b), &b.id)));
    let Dated { id, form, .. } = found.ok_or(FindError::Nothing)?;
    let dir = match form {
        Form::Thread => workspace.checkpoints.threads(),
        Form::Legacy => workspace.checkpoints.legacy(),
    };
    Ok((*form, dir.join(format!("{id}.json"))))
}

/// Looks for a file of exactly that name, without listing the threads.
pub(crate) fn exact(checkpoints: &Checkpoints, text: &str) -> Option<Place> {
    if !is_plain_name(text) {
        return None;
    }
    let name = format!("{text}.json");
    let places = [(Form::Thread, checkpoints.threads()), (Form::Legacy, checkpoints.legacy())];
    let live = places.into_iter().find_map(|(form, dir)| {
        let path = dir.join(&name);
        (is_checkpoint(&name, form) && path.is_file()).then_some((form, path))
    });
    let away = || {
        let mut dirs = months(checkpoints).into_iter();
        let path = dirs.find_map(|dir| Some(dir.join(&name)).filter(|path| path.is_file()))?;
        is_thread(&name).then_some((Form::Thread, path))
    };
    live.or_else(away)
}

/// Finds a checkpoint among those that were put away.
pub(crate) fn archived(checkpoints: &Checkpoints, text: &str) -> Result<PathBuf, FindError> {
    let mut all = Vec::new();
    for dir in months(checkpoints) {
        crate::ids::add(&mut all, Kind::Checkpoint, Some(Form::Thread), &dir, ".json", is_thread);
    }
    among(text, &all).map(|(_, path)| path)
}

/// Returns the folders of the archive, the latest first.
pub(crate) fn months(checkpoints: &Checkpoints) -> Vec<PathBuf> {
    let entries = checkpoints.archive().read_dir().into_iter().flatten().filter_map(Result::ok);
    let mut dirs: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    dirs.retain(|dir| dir.is_dir());
    dirs.sort_unstable_by(|a, b| b.cmp(a));
    dirs
}

/// Finds the one of these names that is meant: an id, a slug, the start of one of them.
fn among(text: &str, all: &[Named]) -> Result<Place, FindError> {
    let slug = |named: &Named| slug_of(named.kind, &named.id);
    let tests: [&dyn Fn(&Named) -> bool; 3] =
        [&|named| named.id == text, &|named| slug(named).as_deref() == Some(text), &|named| {
            named.id.starts_with(text) || slug(named).is_some_and(|slug| slug.starts_with(text))
        }];
    for test in tests.into_iter().filter(|_| !text.is_empty()) {
        let hits: Vec<&Named> = all.iter().filter(|named| test(named)).collect();
        match hits.as_slice() {
            [] => {}
            [one] => return Ok((one.form.unwrap_or(Form::Thread), one.path.clone())),
            many => {
                let candidates = described(many);
                return Err(FindError::Ambiguous { text: text.to_owned(), candidates });
            }
        }
    }
    Err(FindError::None { text: text.to_owned(), near: near(text, all) })
}

/// Returns the ids of checkpoints with their titles.
fn described(many: &[&Named]) -> Vec<(String, String)> {
    let title = |named: &Named| {
        let bytes = skein_store::read(&named.path).ok()?.bytes;
        let form = named.form.unwrap_or(Form::Thread);
        let row = checkpoint::row(&bytes, &named.id, named.path.display().to_string(), form);
        Some(format!("checkpoint: {}", row.title))
    };
    let kind = || Kind::Checkpoint.as_str().to_owned();
    many.iter().map(|named| (named.id.clone(), title(named).unwrap_or_else(kind))).collect()
}

/// Takes the path of a file, or what was put away; says so where a thread of another kind is meant.
fn elsewhere(
    workspace: &Workspace,
    env: &Env,
    text: &str,
    near: Vec<String>,
) -> Result<Place, FindError> {
    match find(workspace, env, text) {
        Ok(Found::Checkpoint { form, path }) => Ok((form, path)),
        Ok(_) => Err(FindError::NoCheckpoint { text: text.to_owned() }),
        Err(FindError::None { text, .. }) => Err(FindError::None { text, near }),
        Err(error) => Err(error),
    }
}

/// Returns whether a checkpoint was put away.
pub(crate) fn is_archived(checkpoints: &Checkpoints, path: &Path) -> bool {
    path.parent().and_then(Path::parent) == Some(checkpoints.archive().as_path())
}
