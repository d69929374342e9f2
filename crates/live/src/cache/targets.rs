//! The directories that are watched.

use std::collections::BTreeSet;
use std::fs::{self, DirEntry, Metadata};
use std::path::{Path, PathBuf};

use skein_catalog::other_worktrees;
use skein_catalog::resume_lock::LOCKS;
use skein_catalog::{branches, drafts, leases};
use skein_git::RepoDirs;
use skein_review::SUBMIT_FILE;
use skein_store::{change_time, file_id};
use skein_workspace::settings::REPOSITORY_FILE;
use skein_workspace::{Workspace, settings};

use crate::tracked_dir::hash;

/// What a watched file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum WatchedFile {
    Review,
    Session,
    Checkpoint,
    /// A file under review.
    Source,
    /// What a repository has checked out, staged and named.
    Repository,
    Settings,
    /// A thread or a checkpoint in another worktree.
    OtherWorktree,
}

type WatchTarget = skein_store::Target<WatchedFile>;
pub(crate) type WatchChange = skein_store::Change<WatchedFile>;

/// Maximum number of folders of references that are watched.
const MAX_REF_FOLDERS: usize = 500;

/// Returns the directories that are always watched.
pub(super) fn core(workspace: &Workspace) -> Vec<WatchTarget> {
    let mut all = stores(workspace);
    if let Some(layout) = &workspace.git {
        all.extend(repository(layout));
    }
    all.extend(threads_elsewhere(workspace));
    all
}

/// Returns the directories of the review threads, the drafts, the checkpoints and the legacy checkpoints.
pub(super) fn thread_dirs(workspace: &Workspace) -> [PathBuf; 4] {
    let (reviews, checkpoints) = (&workspace.reviews, &workspace.checkpoints);
    [reviews.threads(), drafts::dir(workspace), checkpoints.threads(), checkpoints.legacy()]
}

/// Returns the directories of the stores, and of what determines where they are.
pub(crate) fn stores(workspace: &Workspace) -> Vec<WatchTarget> {
    let [reviews, drafts, checkpoints, legacy] = thread_dirs(workspace);
    let mut all = vec![
        target(reviews, WatchedFile::Review, |name| name.ends_with(".md")),
        target(drafts, WatchedFile::Review, |name| name.ends_with(".md")),
        target(workspace.dirs().state, WatchedFile::Review, |name| {
            matches!(name, SUBMIT_FILE | branches::FILE)
        }),
    ];
    let claims = leases::dirs(workspace);
    all.extend(claims.map(|dir| target(dir, WatchedFile::Review, |name| name.ends_with(".json"))));
    for dir in [checkpoints, legacy] {
        all.push(target(dir, WatchedFile::Checkpoint, |name| name.ends_with(".json")));
    }
    // Taking work creates a directory there; a renewal is found by the next full check.
    let locks = workspace.checkpoints.threads().join(LOCKS);
    all.push(target(locks, WatchedFile::Checkpoint, |name| name.ends_with(".lock")));
    all.extend(workspace.sessions.file().into_iter().flat_map(map));
    all.extend(places(workspace));
    all
}

/// Returns the directories of what is open in other worktrees, and of what these have checked out.
fn threads_elsewhere(workspace: &Workspace) -> impl Iterator<Item = WatchTarget> {
    let is_thread = |name: &str| name.ends_with(".md") || name.ends_with(".json");
    let threads = other_worktrees::thread_dirs(workspace).into_iter();
    let threads = threads.map(move |dir| target(dir, WatchedFile::OtherWorktree, is_thread));
    let common = workspace.git.as_ref().map(|layout| layout.common_dir.clone());
    let entries = common.iter().flat_map(|common| common.join("worktrees").read_dir()).flatten();
    let linked: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    let heads = common.into_iter().chain(linked).take(MAX_REF_FOLDERS);
    let heads = heads.map(|dir| target(dir, WatchedFile::OtherWorktree, |name| name == "HEAD"));
    threads.chain(heads).map(|other| WatchTarget { is_optional: true, ..other })
}

/// Returns the directories of files under review, for folders from the root of the reviews.
pub(super) fn sources<'a>(
    root: &Path,
    folders: impl IntoIterator<Item = &'a String>,
) -> Vec<WatchTarget> {
    let source = |folder: &String| {
        let dir = if folder.is_empty() { root.to_owned() } else { root.join(folder) };
        let source = target(dir, WatchedFile::Source, |name| name != ".git");
        WatchTarget { is_optional: true, ..source }
    };
    folders.into_iter().map(source).collect()
}

/// Returns what determines the workspace: settings, and stores nearer than the one that was found.
fn places(workspace: &Workspace) -> Vec<WatchTarget> {
    let reviews = &workspace.reviews;
    let dir = workspace.env.dir.canonicalize().unwrap_or_else(|_| workspace.env.dir.clone());
    let nearer = dir.ancestors().take_while(|dir| *dir != reviews.root);
    let nearer = nearer.filter(|dir| dir.starts_with(&reviews.root));
    let mut all: Vec<WatchTarget> = nearer
        .map(|dir| {
            target(dir.join(&reviews.store_path).join("threads"), WatchedFile::Settings, |_| false)
        })
        .collect();
    let top = workspace.git.as_ref().and_then(|git| git.top.clone()).unwrap_or(dir);
    all.push(target(top, WatchedFile::Settings, |name| name == REPOSITORY_FILE));
    all.push(target(reviews.root.join(".vscode"), WatchedFile::Settings, |name| {
        name == "settings.json"
    }));
    let user = settings::user_file(&workspace.env);
    if let Some(dir) = user.as_deref().and_then(Path::parent) {
        all.push(target(dir.to_owned(), WatchedFile::Settings, |name| name == "config.toml"));
    }
    all
}

/// Returns the directories in which a session map is written: that of a link, and that of its target.
fn map(file: &Path) -> Vec<WatchTarget> {
    let real = file.canonicalize().ok();
    let mut dirs: Vec<PathBuf> = [Some(file), real.as_deref()]
        .iter()
        .flatten()
        .filter_map(|path| path.parent())
        .map(Path::to_owned)
        .collect();
    dirs.dedup();
    dirs.into_iter().map(|dir| target(dir, WatchedFile::Session, |_| true)).collect()
}

fn repository(layout: &RepoDirs) -> Vec<WatchTarget> {
    let (own, common) = (&layout.git_dir, &layout.common_dir);
    let mut all = vec![
        target(own.clone(), WatchedFile::Repository, |name| matches!(name, "HEAD" | "index")),
        target(common.clone(), WatchedFile::Repository, |name| name == "packed-refs"),
        target(common.join("info"), WatchedFile::Repository, |name| name == "exclude"),
        target(common.join("reftable"), WatchedFile::Repository, |name| !name.ends_with(".lock")),
        // Which worktrees there are.
        target(common.join("worktrees"), WatchedFile::Repository, |_| true),
    ];
    let refs = folders_below(&common.join("refs")).into_iter();
    all.extend(
        refs.map(|dir| target(dir, WatchedFile::Repository, |name| !name.ends_with(".lock"))),
    );
    all
}

fn folders_below(top: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::from([top.to_owned()]);
    let mut next = vec![top.to_owned()];
    while let Some(dir) = next.pop().filter(|_| found.len() < MAX_REF_FOLDERS) {
        for entry in dir.read_dir().into_iter().flatten().filter_map(Result::ok) {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) && found.insert(entry.path()) {
                next.push(entry.path());
            }
        }
    }
    found
}

fn target(dir: PathBuf, tag: WatchedFile, accepts: fn(&str) -> bool) -> WatchTarget {
    WatchTarget { dir, tag, accepts, is_optional: false }
}

/// Returns a number that is another one when the repository has something else checked out, staged or named, or a
/// review was submitted. It is used where the system does not report changes.
pub(super) fn fingerprint(workspace: &Workspace) -> u64 {
    let mut targets = workspace.git.as_ref().map(repository).unwrap_or_default();
    targets.push(target(workspace.dirs().state, WatchedFile::Review, |name| name == SUBMIT_FILE));
    let mut files = Vec::new();
    for WatchTarget { dir, accepts, .. } in targets {
        let entries = dir.read_dir().into_iter().flatten().filter_map(Result::ok);
        let is_accepted = |entry: &DirEntry| entry.file_name().to_str().is_some_and(accepts);
        files.extend(entries.filter(is_accepted).map(|entry| entry.path()));
    }
    files.sort();
    let meta = |path: PathBuf| fs::metadata(&path).ok().map(|meta| (path, meta));
    let files = files.into_iter().filter_map(meta).filter(|(_, meta)| meta.is_file());
    let state =
        |(path, meta): (PathBuf, Metadata)| (path, file_id(&meta), meta.len(), change_time(&meta));
    hash(files.map(state).collect::<Vec<_>>())
}
