//! Deletes threads; a copy of each goes to the trash of the state directory.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use skein_catalog::deleted_reviews::{Former, MAX_PLACED, TrashName, trash};
use skein_catalog::placement::Placer;
use skein_catalog::thread_names::review_names;
use skein_catalog::worktree_copy;
use skein_format::review::ReviewDoc;
use skein_model::normalize_path::stem;
use skein_model::view::WriteResult;
use skein_store::{ensure_dir, move_to_trash};
use skein_workspace::{Env, ReviewStore, Workspace};

use super::index::{self, Event};
use super::write_error::WriteError;
use super::{open, write_result};

/// Deletes the threads named; one that cannot be used can be deleted too.
pub fn delete(
    workspace: &Workspace,
    env: &Env,
    ids: &[String],
) -> Result<Vec<WriteResult>, WriteError> {
    let mut all: Vec<(ReviewStore, PathBuf)> = Vec::new();
    for id in ids {
        // Either thread may be meant where a resolved and an open one are at the same place.
        let found = open::thread_preferring(workspace, env, id, None)?;
        if !all.iter().any(|(_, path)| *path == found.1) {
            all.push(found);
        }
    }
    let stamp = run_stamp(env, all.iter().map(|(reviews, _)| reviews));
    let mut done = Vec::new();
    while let Some((reviews, first)) = all.first().cloned() {
        // Threads of one directory go under one lock.
        let same = |path: &PathBuf| path.parent() == first.parent();
        let (here, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|(_, path)| same(path));
        all = others;
        let paths: Vec<PathBuf> = here.into_iter().map(|(_, path)| path).collect();
        done.extend(remove(workspace, env, &reviews, &paths, &stamp)?);
    }
    Ok(done)
}

/// Deletes every thread of the store.
pub fn clear(workspace: &Workspace, env: &Env) -> Result<Vec<WriteResult>, WriteError> {
    if !workspace.reviews.exists {
        return Ok(Vec::new());
    }
    let paths = review_names(&workspace.reviews).into_iter().map(|named| named.path);
    let paths: Vec<PathBuf> = paths.filter(|path| path.is_file()).collect();
    let stamp = run_stamp(env, [&workspace.reviews]);
    remove(workspace, env, &workspace.reviews, &paths, &stamp)
}

/// Returns the stamp that all deletions of one command share, so that they can be restored together.
///
/// It is the second, numbered where an earlier command has deleted something in the same second.
pub(super) fn run_stamp<'a>(
    env: &Env,
    stores: impl IntoIterator<Item = &'a ReviewStore>,
) -> String {
    let second = env.clock.now().compact();
    let mut last_run = 0;
    let dirs: BTreeSet<PathBuf> = stores
        .into_iter()
        .flat_map(|reviews| {
            [Former::Thread, Former::Draft].map(|former| trash(env, reviews, former))
        })
        .collect();
    for entry in dirs.iter().filter_map(|dir| dir.read_dir().ok()).flatten().filter_map(Result::ok)
    {
        let run = TrashName::parse(&entry.path()).filter(|name| name.second == second);
        last_run = last_run.max(run.map_or(0, |name| name.run));
    }
    if last_run == 0 { second } else { format!("{second}.{}", last_run + 1) }
}

fn remove(
    workspace: &Workspace,
    env: &Env,
    reviews: &ReviewStore,
    paths: &[PathBuf],
    stamp: &str,
) -> Result<Vec<WriteResult>, WriteError> {
    let Some(first) = paths.first() else { return Ok(Vec::new()) };
    let published = first.parent() == Some(reviews.threads().as_path());
    let trash = trash(env, reviews, if published { Former::Thread } else { Former::Draft });
    ensure_dir(&*env.fs, &trash, 0o700)?;
    let guard = open::of_thread(env, reviews, first)?;
    let mut done = Vec::new();
    let mut failed = None;
    let mut placer = Placer::new(workspace, reviews, env);
    for path in paths {
        let doc = read(reviews, path);
        // Of a large store only the places that the files name are told.
        let placement = if paths.len() <= MAX_PLACED { placer.place(&doc) } else { None };
        if let Err(error) = move_to_trash(&*env.fs, &guard, &trash, path, stamp) {
            failed = Some(error);
            break;
        }
        if published {
            worktree_copy::forget(workspace, env, path);
        }
        let mut written = write_result::from_doc(path, &doc, "deleted");
        written.at = placement.map_or(written.at, |placement| placement.at());
        done.push(written);
    }
    placer.finish();
    if published {
        let events: Vec<(String, Event<'_>)> =
            done.iter().map(|one| (one.id.clone(), Event::Removed)).collect();
        let stale = index::follow(env, reviews, &workspace.settings, &guard, &events);
        if let Some(last) = done.last_mut() {
            last.diagnostics.extend(stale);
        }
    }
    match failed {
        Some(error) => Err(error.into()),
        None => Ok(done),
    }
}

/// Reads what is there to tell of it; a file that is no thread gives an empty one.
fn read(reviews: &ReviewStore, path: &Path) -> ReviewDoc {
    let bytes = skein_store::read(path).map(|snapshot| snapshot.bytes).unwrap_or_default();
    ReviewDoc::parse(bytes, &stem(path), &reviews.store_path).0
}
