//! Deletes threads by moving them to the trash in the state directory.

use std::collections::BTreeSet;
use std::path::PathBuf;

use skein_catalog::deleted_reviews::{Former, MAX_PLACED, TrashName, trash};
use skein_catalog::placement::Placer;
use skein_catalog::thread_names::review_names;
use skein_catalog::{ThreadRef, worktree_copy};
use skein_model::view::{WriteAction, WriteResult};
use skein_store::{ensure_dir, move_to_trash};
use skein_workspace::{Env, ReviewStore, Workspace};

use super::write_error::WriteError;
use super::write_result::Written;
use super::{index, open};

/// Deletes threads, including unusable ones.
pub fn delete(
    workspace: &Workspace,
    threads: &[ThreadRef],
) -> Result<Vec<WriteResult>, WriteError> {
    let stamp = run_stamp(&workspace.env, threads.iter().map(|thread| &thread.reviews));
    let (mut left, mut done) = (threads.to_vec(), Vec::new());
    while let Some(first) = left.first().cloned() {
        // Threads of one directory are deleted under one lock.
        let is_here = |thread: &ThreadRef| thread.path.parent() == first.path.parent();
        let (here, others): (Vec<_>, Vec<_>) = left.into_iter().partition(is_here);
        left = others;
        done.extend(remove(workspace, &here, &stamp)?);
    }
    Ok(done)
}

/// Deletes every thread of the store.
pub fn clear(workspace: &Workspace) -> Result<Vec<WriteResult>, WriteError> {
    if !workspace.reviews.exists {
        return Ok(Vec::new());
    }
    let paths = review_names(&workspace.reviews).into_iter().map(|named| named.path);
    let thread = |path| ThreadRef { reviews: workspace.reviews.clone(), path };
    let threads: Vec<ThreadRef> = paths.filter(|path| path.is_file()).map(thread).collect();
    remove(workspace, &threads, &run_stamp(&workspace.env, [&workspace.reviews]))
}

/// Returns the stamp shared by all deletions of one command, so that they can be restored together.
///
/// It is the time in seconds, with a number if an earlier command deleted something in the same second.
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

/// Deletes threads in one directory.
fn remove(
    workspace: &Workspace,
    threads: &[ThreadRef],
    stamp: &str,
) -> Result<Vec<WriteResult>, WriteError> {
    let env = &workspace.env;
    let Some(first) = threads.first() else { return Ok(Vec::new()) };
    let former = if first.is_published() { Former::Thread } else { Former::Draft };
    let trash = trash(env, &first.reviews, former);
    ensure_dir(&*env.fs, &trash, 0o700)?;
    let guard = open::of_thread(env, first)?;
    let (mut done, mut failed) = (Vec::new(), None);
    let mut placer = Placer::new(workspace, &first.reviews);
    for thread in threads {
        // The document is empty if the file is not a thread.
        let bytes = skein_store::read(&thread.path).map(|read| read.bytes).unwrap_or_default();
        let doc = thread.parse(bytes).0;
        // If there are many threads, the location in their files is used.
        let placement = if threads.len() <= MAX_PLACED { placer.place(&doc) } else { None };
        if let Err(error) = move_to_trash(&*env.fs, &guard, &trash, &thread.path, stamp) {
            failed = Some(error);
            break;
        }
        if thread.is_published() {
            worktree_copy::forget(workspace, &thread.path);
        }
        let mut written = Written::new(thread.clone(), doc, WriteAction::Deleted);
        written.result.at = placement.map_or(written.result.at, |placement| placement.at());
        done.push(written);
    }
    placer.finish();
    index::follow_written(workspace, &guard, &mut done);
    match failed {
        Some(error) => Err(error.into()),
        None => Ok(done.into_iter().map(|written| written.result).collect()),
    }
}
