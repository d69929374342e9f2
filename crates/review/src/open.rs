//! Opens the store of review threads for writing.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use skein_catalog::find::find_review;
use skein_catalog::location::of_row;
use skein_catalog::source_text::leads_to_source;
use skein_catalog::{FindError, ThreadLocation, WorktreeScope, drafts, list};
use skein_format::diagnostic::Code;
use skein_format::review::Status;
use skein_model::normalize_path::stem;
use skein_model::view::FileDiagnostic;
use skein_model::{Filter, Kind};
use skein_store::{CreateError, DirLock, create_new, ensure_dir, lock, open_inside};
use skein_workspace::{Env, ReviewStore, Workspace};

use super::update::load;
use super::write_error::WriteError;
use super::{agents_file, exclude};

/// Many writers may stand in line, each for some milliseconds.
const LOCK_TIMEOUT: Duration = Duration::from_secs(60);

/// A store that may be written.
pub struct LockedStore {
    pub guard: DirLock,
    /// What was done besides, each in a line for the user.
    pub notes: Vec<String>,
}

/// Takes the lock of a store that exists.
pub fn existing(env: &Env, reviews: &ReviewStore) -> Result<DirLock, WriteError> {
    Ok(lock(&*env.fs, &reviews.store(), LOCK_TIMEOUT)?)
}

/// Takes the lock that a thread file is written under: that of its store, or of the drafts.
pub(crate) fn of_thread(
    env: &Env,
    reviews: &ReviewStore,
    path: &Path,
) -> Result<DirLock, WriteError> {
    match path.parent() {
        Some(dir) if dir != reviews.threads() => Ok(lock(&*env.fs, dir, LOCK_TIMEOUT)?),
        _ => existing(env, reviews),
    }
}

/// Takes the lock of the store, and creates it where there is none.
pub fn ensure(env: &Env, workspace: &Workspace) -> Result<LockedStore, WriteError> {
    let reviews = &workspace.reviews;
    if reviews.exists {
        ensure_dir(&*env.fs, &reviews.threads(), 0o777)?;
        return Ok(LockedStore { guard: existing(env, reviews)?, notes: Vec::new() });
    }
    may_create(workspace)?;
    ensure_dir(&*env.fs, &reviews.threads(), 0o777)?;
    let guard = existing(env, reviews)?;
    let path = reviews.store().join("AGENTS.md");
    match create_new(&*env.fs, &guard, &path, agents_file::TEXT.as_bytes(), 0o666) {
        Ok(_) | Err(CreateError::Exists { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    let mut notes = vec![format!("Created the store: {}", reviews.store().display())];
    notes.extend(exclude::hide(env, workspace)?);
    Ok(LockedStore { guard, notes })
}

/// Makes sure that the store can be made, where there is none: not in a bare repository, nor in the place of something else.
pub(crate) fn may_create(workspace: &Workspace) -> Result<(), WriteError> {
    let path = workspace.reviews.store();
    let is_bare = workspace.git.as_ref().is_some_and(|git| git.top.is_none());
    if !workspace.reviews.exists && is_bare {
        return Err(WriteError::Bare { dir: workspace.reviews.root.clone() });
    }
    if !workspace.reviews.exists && is_not_owned(&workspace.diagnostics, &path) {
        return Err(WriteError::NotOwned { path, root: workspace.reviews.root.clone() });
    }
    match foreign(&workspace.diagnostics).filter(|_| !workspace.reviews.exists) {
        Some(diag) => {
            let (path, why) = (PathBuf::from(&diag.path), diag.message.clone());
            Err(WriteError::ForeignStore { path, why })
        }
        None => Ok(()),
    }
}

fn is_not_owned(diagnostics: &[FileDiagnostic], store: &Path) -> bool {
    let is_this = |diag: &FileDiagnostic| Path::new(&diag.path) == store;
    diagnostics.iter().any(|diag| diag.code == Code::StoreNotOwned.as_str() && is_this(diag))
}

fn foreign(diagnostics: &[FileDiagnostic]) -> Option<&FileDiagnostic> {
    diagnostics.iter().find(|diag| diag.code == Code::StoreForeign.as_str())
}

/// Returns the directory that the path of a thread's code is relative to, which may be another worktree.
pub fn root_of(workspace: &Workspace, env: &Env, text: &str) -> Result<PathBuf, WriteError> {
    Ok(thread(workspace, env, text)?.0.root)
}

/// Returns the file with the code of a thread; none where there is none, or a link leads out of the workspace.
///
/// An editor follows links, so they are looked at before it is given the file.
pub fn code_file(
    workspace: &Workspace,
    env: &Env,
    text: &str,
    path: &str,
) -> Result<Option<PathBuf>, WriteError> {
    let reviews = thread(workspace, env, text)?.0;
    let opens = open_inside(&reviews.root, path).is_ok() && leads_to_source(&reviews, path);
    Ok(opens.then(|| reviews.root.join(path)))
}

/// Finds the threads that are to get a status, each once, and makes sure that all of them can be written.
///
/// Returns their files, which are names of threads too.
pub fn writable(
    workspace: &Workspace,
    env: &Env,
    ids: &[String],
    status: Status,
) -> Result<Vec<String>, WriteError> {
    let (mut files, mut seen) = (Vec::new(), HashSet::new());
    for id in ids {
        let (reviews, path) = to_get_status(workspace, env, id, status)?;
        load(&reviews, &path)?;
        let file = path.display().to_string();
        if seen.insert(file.clone()) {
            files.push(file);
        }
    }
    Ok(files)
}

/// Finds the review thread that `text` means: of several at a place the only open one.
pub(crate) fn thread(
    workspace: &Workspace,
    env: &Env,
    text: &str,
) -> Result<(ReviewStore, PathBuf), WriteError> {
    thread_preferring(workspace, env, text, Some(Status::Open))
}

/// Finds the review thread that `text` means: of several at a place the only one with the preferred status.
pub(super) fn thread_preferring(
    workspace: &Workspace,
    env: &Env,
    text: &str,
    preferred: Option<Status>,
) -> Result<(ReviewStore, PathBuf), WriteError> {
    let found = match text {
        "@last" => last(workspace, env)?,
        _ => find_review(workspace, env, text, preferred)?,
    };
    match found {
        ThreadLocation::Review { reviews, path } => Ok((reviews, path)),
        _ => Err(WriteError::OtherKind { id: text.to_owned() }),
    }
}

/// Finds the review thread that `text` means, and refuses a draft: others cannot see what it answers.
pub(crate) fn published(
    workspace: &Workspace,
    env: &Env,
    text: &str,
) -> Result<(ReviewStore, PathBuf), WriteError> {
    published_preferring(workspace, env, text, Status::Open)
}

/// Finds the review thread that is to get a status: of several at a place the only one that has the other status.
pub(super) fn to_get_status(
    workspace: &Workspace,
    env: &Env,
    text: &str,
    status: Status,
) -> Result<(ReviewStore, PathBuf), WriteError> {
    let before = match status {
        Status::Open => Status::Resolved,
        Status::Resolved => Status::Open,
    };
    published_preferring(workspace, env, text, before)
}

fn published_preferring(
    workspace: &Workspace,
    env: &Env,
    text: &str,
    preferred: Status,
) -> Result<(ReviewStore, PathBuf), WriteError> {
    let (reviews, path) = thread_preferring(workspace, env, text, Some(preferred))?;
    if path.parent() == Some(drafts::dir(workspace, env).as_path()) {
        return Err(WriteError::Draft { id: stem(&path) });
    }
    Ok((reviews, path))
}

/// Returns the path of the file of the review thread that `text` means, which is an id too.
///
/// Among all threads `@last` may be one of another kind.
pub fn file_of(workspace: &Workspace, env: &Env, text: &str) -> Result<String, WriteError> {
    Ok(thread(workspace, env, text)?.1.display().to_string())
}

fn last(workspace: &Workspace, env: &Env) -> Result<ThreadLocation, FindError> {
    let filter = Filter { kind: Some(Kind::Review), ..Filter::default() };
    let rows = list(workspace, env, &filter, WorktreeScope::ThisWorktree).threads;
    let last = rows.into_iter().find(|row| row.usable).ok_or(FindError::Nothing)?;
    Ok(of_row(workspace, &last))
}
