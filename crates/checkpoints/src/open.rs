//! Opens the store of checkpoints for writing.

use std::path::{Path, PathBuf};

use skein_catalog::checkpoint_lookup::CheckpointFile;
use skein_format::checkpoint::{
    Checkpoint, CheckpointDoc, CheckpointFileKind, CheckpointRef, merge,
};
use skein_git::RepoDirs;
use skein_model::normalize_path::stem;
use skein_model::sanitize::shell_word;
use skein_store::{
    DirLock, Edit, ReadError, RealFs, Revision, ensure_dir, file_id, link_count, read_written,
    relink,
};
use skein_workspace::update::{Document, LockedStore};
use skein_workspace::{CheckpointStore, Workspace, git_exclude};

use super::error::CheckpointError;
use super::share;
use super::store_lock::{LOCK_TIMEOUT, copy_up, existing, inside, locked, not_owned};

/// Locks the store, and creates it if there is none.
///
/// A new store is excluded from git before it is created, so that it cannot be committed by accident.
pub fn ensure(workspace: &Workspace) -> Result<LockedStore, CheckpointError> {
    let Workspace { env, checkpoints, .. } = workspace;
    not_owned(checkpoints)?;
    let dir = checkpoints.threads();
    if let Some(local) = &checkpoints.local {
        let note = format!(
            "{} cannot be written from here: the work is kept in {} until the next command that can write there.",
            dir.display(),
            local.display()
        );
        return Ok(LockedStore { guard: locked(workspace, LOCK_TIMEOUT)?, notes: vec![note] });
    }
    let mut notes = Vec::new();
    if let Some(dir) = workspace.checkpoints_outside() {
        notes.push(format!("The store is outside of this repository: {}", dir.display()));
    }
    if !dir.is_dir() {
        inside(checkpoints, &checkpoints.root.join("workspace"))?;
        let is_shared = is_shared(workspace);
        let hidden = if is_shared { None } else { hide(workspace) };
        ensure_dir(&*env.fs, &dir, 0o777)?;
        notes.push(format!("Created the store: {}", dir.display()));
        notes.extend(hidden);
        if is_shared {
            share_too(workspace, &mut notes);
        }
    }
    Ok(LockedStore { guard: existing(workspace)?, notes })
}

/// Returns whether the repository that will hold the store shares its review threads.
fn is_shared(workspace: &Workspace) -> bool {
    // A store outside the repository is not shared with it.
    workspace.git.is_some()
        && workspace.reviews.is_shared()
        && workspace.checkpoints_outside().is_none()
}

/// Shares a new store along with the review threads.
fn share_too(workspace: &Workspace, notes: &mut Vec<String>) {
    match share::share(workspace, notes) {
        Ok(Some((top, path))) => {
            let place = if top == workspace.top() {
                String::new()
            } else {
                format!("-C {} ", shell_word(&top.to_string_lossy()))
            };
            notes.push(format!(
                "The repository shares its threads, and checkpoints with them: `git {place}add {path}`"
            ));
        }
        Ok(None) => {}
        // The checkpoint is saved anyway.
        Err(error) => notes.push(format!("Run `skein share` again: {error}")),
    }
}

/// Adds the store to `.git/info/exclude` of its repository, and returns a note.
fn hide(workspace: &Workspace) -> Option<String> {
    let Workspace { env, checkpoints, .. } = workspace;
    // An unreadable repository does not prevent saving the work.
    let git = RepoDirs::discover(&checkpoints.root).ok()??;
    let root = checkpoints.root.canonicalize().ok()?;
    let dir = CheckpointStore::at(root).threads();
    match git_exclude::add(env, &git, &dir) {
        Ok(line) => line.map(|line| format!("Git ignores {line} here (in .git/info/exclude).")),
        Err(error) => Some(format!("Git may commit {}: {error}", dir.display())),
    }
}

/// Loads a checkpoint that can be written.
pub(crate) fn load(
    checkpoints: &CheckpointStore,
    path: &Path,
) -> Result<(CheckpointDoc, Revision), CheckpointError> {
    inside(checkpoints, path)?;
    let is_complete = |bytes: &[u8]| is_usable(bytes, &stem(path));
    let bytes = read_written::<CheckpointError>(&RealFs, path, &is_complete)?
        .ok_or_else(|| missing(path))?;
    let revision = Revision::from_bytes(&bytes);
    Ok((parse(bytes, path)?, revision))
}

fn missing(path: &Path) -> CheckpointError {
    let source = std::io::ErrorKind::NotFound.into();
    ReadError::NotFound { path: path.to_owned(), source }.into()
}

/// Reads the head of a checkpoint; none if its file cannot be read.
pub(super) fn read_head((form, path): &CheckpointFile) -> Option<Checkpoint> {
    let bytes = skein_store::read(path).ok()?.bytes;
    Some(CheckpointRef::parse(&bytes, &stem(path), *form).0.into_head())
}

pub(super) fn is_usable(bytes: &[u8], stem: &str) -> bool {
    CheckpointRef::parse(bytes, stem, CheckpointFileKind::Thread).0.into_head().usable
}

fn parse(bytes: Vec<u8>, path: &Path) -> Result<CheckpointDoc, CheckpointError> {
    let (doc, found) = CheckpointDoc::parse(bytes, &stem(path), CheckpointFileKind::Thread);
    if doc.head().usable {
        return Ok(doc);
    }
    let reason = found.first().map_or("", |first| first.message.as_str()).to_owned();
    Err(CheckpointError::Unusable { path: path.to_owned(), reason })
}

/// Reads a checkpoint, applies `operation`, and replaces the file.
///
/// If another program wrote the file in between, the operation is applied again to the new content, so it must be idempotent.
pub(crate) fn update(
    workspace: &Workspace,
    guard: &DirLock,
    path: &Path,
    operation: &dyn Fn(&mut CheckpointDoc) -> Result<(), CheckpointError>,
) -> Result<CheckpointDoc, CheckpointError> {
    let Workspace { env, checkpoints, .. } = workspace;
    inside(checkpoints, path)?;
    let path = &copy_up(workspace, guard, path)?;
    let stem = stem(path);
    let document = Document {
        guard,
        path,
        mode: 0o666,
        is_complete: &|bytes| is_usable(bytes, &stem),
        merge: &|ours, theirs| merge(None, ours, theirs, &stem),
    };
    let mirrors = mirrors(checkpoints, path);
    let updated = document.update(env, |bytes| {
        let mut doc = parse(bytes.ok_or_else(|| missing(path))?.to_vec(), path)?;
        operation(&mut doc)?;
        Ok::<_, CheckpointError>(Edit::Write(doc.to_bytes().to_vec(), doc))
    })?;
    mirrors.iter().try_for_each(|mirror| relink(guard, path, mirror))?;
    Ok(updated.value)
}

/// The folders of a company in which other programs create hard links to a checkpoint.
const MIRROR_FOLDERS: [&str; 2] = ["workspace/sessions", "workspace/threads"];

/// Returns the other hard links to a checkpoint's file; the folders are searched only if it has more than one link.
fn mirrors(checkpoints: &CheckpointStore, path: &Path) -> Vec<PathBuf> {
    let Ok(own) = path.symlink_metadata() else { return Vec::new() };
    if link_count(&own) < 2 || !own.is_file() {
        return Vec::new();
    }
    let name = path.file_name().unwrap_or_default();
    let companies = checkpoints.root.join("companies").read_dir();
    let companies = companies.into_iter().flatten().filter_map(Result::ok);
    let places = companies
        .flat_map(|company| MIRROR_FOLDERS.map(|folder| company.path().join(folder).join(name)));
    let is_same = |other: &PathBuf| {
        other.symlink_metadata().is_ok_and(|meta| file_id(&meta) == file_id(&own))
    };
    places.filter(|other| other != path && is_same(other)).collect()
}
