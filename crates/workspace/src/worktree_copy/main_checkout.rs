//! The copies of the main checkout, which can have thousands of files.
//!
//! A hash of all of them is stored once the copies are up to date, so that a command only lists the files.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::path::Path;

use crate::{CheckpointStore, ReviewStore, Workspace};
use skein_git::{RepoDirs, Worktree};
use skein_store::{ScanOptions, Trace, list_files, lock, write_private};

use super::same::StoreFiles;
use super::{
    ABOUT_FILE, CopiedFile, LOCK_TIMEOUT, copies, copy_dir, read_id, review_files, store_files,
};

/// Maximum number of files that one command copies: each takes two syncs, about a millisecond on a solid-state disk. The next commands
/// copy the rest.
const MAX_COPIED: usize = 64;
/// The file with the hash, in the cache directory.
const HASH_FILE: &str = "copied-threads";

/// Updates the copies of the stores that git ignores. `git clean` does not delete those that it tracks.
pub(super) fn refresh(
    workspace: &Workspace,
    git: &RepoDirs,
    worktree: &Worktree,
) -> io::Result<()> {
    let reviews = workspace.reviews_of(worktree);
    let own_reviews = Some(&reviews).filter(|reviews| reviews.exists && !reviews.is_shared());
    let checkpoints = workspace.checkpoints_in(worktree).filter(|store| !is_shared(store));
    let dirs = workspace.env.dirs.for_root(&reviews.root);
    let hash = hash(own_reviews, checkpoints.as_ref(), &worktree.head.label());
    let hash_file = dirs.cache.join(HASH_FILE);
    let has_copies = read_id(&worktree.git_dir)
        .is_some_and(|id| copies(git).join(id).join(ABOUT_FILE).is_file());
    let last = skein_store::read(&hash_file).ok().map(|snapshot| snapshot.bytes);
    if has_copies && hash.is_some() && last == hash.map(|hash| hash.to_le_bytes().to_vec()) {
        return Ok(());
    }
    let mut files = own_reviews.map(review_files).unwrap_or_default();
    if let Some(store) = &checkpoints {
        let copy_dir = copy_dir(worktree, store);
        // Their names begin with the time: the last ones are copied first.
        let mut names = store_files(&store.threads());
        names.sort_by(|one, other| other.cmp(one));
        files.extend(names.into_iter().map(|name| CopiedFile {
            file: store.threads().join(&name),
            copy: copy_dir.join(name),
        }));
    }
    if files.is_empty() {
        return Ok(());
    }
    let is_complete =
        super::refresh(git, &workspace.env, worktree, &reviews.root, &files, MAX_COPIED)?;
    let Some(hash) = hash.filter(|_| is_complete) else { return Ok(()) };
    let cache = dirs.ensure_cache(&*workspace.env.fs).map_err(io::Error::other)?;
    let guard = lock(&*workspace.env.fs, cache, LOCK_TIMEOUT).map_err(io::Error::other)?;
    write_private(&*workspace.env.fs, &guard, &hash_file, &hash.to_le_bytes())
        .map_err(io::Error::other)
}

fn is_shared(store: &CheckpointStore) -> bool {
    store.threads().join(".gitattributes").is_file()
}

/// Returns a hash of the names and traces of all files, and of the branch; none if a file was written just now and may change again
/// without a change of its trace.
fn hash(
    reviews: Option<&ReviewStore>,
    checkpoints: Option<&CheckpointStore>,
    branch: &str,
) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    branch.hash(&mut hasher);
    if let Some(reviews) = reviews {
        for (name, trace) in thread_traces(&reviews.threads()) {
            if !trace.is_settled() {
                return None;
            }
            (name, trace).hash(&mut hasher);
        }
    }
    let checkpoints = checkpoints.map(StoreFiles::list);
    for (name, trace) in checkpoints.iter().flat_map(StoreFiles::traces) {
        if !trace.is_settled() {
            return None;
        }
        (name, trace).hash(&mut hasher);
    }
    Some(hasher.finish())
}

/// Lists the thread files of a directory with their traces, by name.
fn thread_traces(dir: &Path) -> Vec<(String, Trace)> {
    let keep = |name: &str| !name.starts_with('.');
    let options = ScanOptions { suffix: ".md", keep: &keep, first: 0, threads: None };
    let files = list_files(dir, &options).unwrap_or_default();
    let traced = files.iter().filter_map(|(name, trace)| Some((name.to_owned(), trace?)));
    let mut traces: Vec<(String, Trace)> = traced.collect();
    traces.sort_by(|one, other| one.0.cmp(&other.0));
    traces
}
