//! Opens the store of checkpoints for writing.

use std::path::Path;
use std::time::Duration;

use skein_format::checkpoint::{CheckpointDoc, CheckpointFileKind, CheckpointRef, merge};
use skein_git::Layout;
use skein_model::normalize_path::stem;
use skein_store::{
    DirLock, Edit, ReadError, RealFs, Revision, ensure_dir, lock, read_written, relink,
};
use skein_workspace::update::Document;
use skein_workspace::{CheckpointStore, Env, FileError, Workspace, git_exclude, local};

use super::error::CheckpointError;
use super::mirror::mirrors;
use super::{pending, share};

/// Many writers may stand in line, each for some milliseconds.
const LOCK_TIMEOUT: Duration = Duration::from_secs(60);

/// A store that may be written.
pub struct LockedStore {
    pub guard: DirLock,
    /// What was done besides, each in a line for the user.
    pub notes: Vec<String>,
}

/// Takes the lock of a store that exists.
pub(crate) fn existing(
    env: &Env,
    checkpoints: &CheckpointStore,
) -> Result<DirLock, CheckpointError> {
    existing_within(env, checkpoints, LOCK_TIMEOUT)
}

/// Takes the lock of a store that exists, if it is to be had in time.
pub(crate) fn existing_within(
    env: &Env,
    checkpoints: &CheckpointStore,
    patience: Duration,
) -> Result<DirLock, CheckpointError> {
    not_owned(checkpoints)?;
    let dir = checkpoints.threads();
    if !dir.is_dir() && !checkpoints.exists {
        return Err(CheckpointError::NoStore { path: dir });
    }
    locked(env, checkpoints, patience)
}

/// Takes the lock of the directory that is written.
pub(super) fn locked(
    env: &Env,
    checkpoints: &CheckpointStore,
    patience: Duration,
) -> Result<DirLock, CheckpointError> {
    let dir = checkpoints.written();
    if checkpoints.local.is_some() {
        local::ensure_checkpoints(&*env.fs, &dir)?;
    }
    inside(checkpoints, &dir)?;
    Ok(lock(&*env.fs, &dir, patience)?)
}

/// Takes the lock of the store, and creates it where there is none.
///
/// What is created is hidden from git first, so that no moment is left in which it could be committed.
pub fn ensure(env: &Env, workspace: &Workspace) -> Result<LockedStore, CheckpointError> {
    let checkpoints = &workspace.checkpoints;
    not_owned(checkpoints)?;
    let dir = checkpoints.threads();
    if let Some(local) = &checkpoints.local {
        let note = format!(
            "{} cannot be written from here: the work is kept in {} until the next command that can write there.",
            dir.display(),
            local.display()
        );
        return Ok(LockedStore {
            guard: locked(env, checkpoints, LOCK_TIMEOUT)?,
            notes: vec![note],
        });
    }
    let mut notes = Vec::new();
    if let Some(dir) = workspace.checkpoints_outside() {
        notes.push(format!("The store is outside of this repository: {}", dir.display()));
    }
    if !dir.is_dir() {
        inside(checkpoints, &checkpoints.root.join("workspace"))?;
        let is_shared = is_shared(workspace);
        let hidden = if is_shared { None } else { hide(env, checkpoints) };
        ensure_dir(&*env.fs, &dir, 0o777)?;
        notes.push(format!("Created the store: {}", dir.display()));
        notes.extend(hidden);
        if is_shared {
            share_too(workspace, env, &mut notes);
        }
    }
    Ok(LockedStore { guard: existing(env, checkpoints)?, notes })
}

/// Refuses a store of another user.
fn not_owned(checkpoints: &CheckpointStore) -> Result<(), CheckpointError> {
    let root = checkpoints.root.clone();
    if checkpoints.not_owned { Err(CheckpointError::NotOwned { root }) } else { Ok(()) }
}

/// Returns whether the repository that will hold the store shares its review threads.
fn is_shared(workspace: &Workspace) -> bool {
    // What is not in that repository goes its own way.
    workspace.git.is_some()
        && workspace.reviews.is_shared()
        && workspace.checkpoints_outside().is_none()
}

/// Lets a store that was just made travel with the review threads.
fn share_too(workspace: &Workspace, env: &Env, notes: &mut Vec<String>) {
    match share::share(workspace, env, notes) {
        Ok(Some(path)) => notes.push(format!(
            "The repository shares its threads, and checkpoints with them: `git add {path}`"
        )),
        Ok(None) => {}
        // The work is kept anyway.
        Err(error) => notes.push(format!("`skein share` is to be run once more: {error}")),
    }
}

/// Lists the store in the ignore file of the repository that holds it, and says so.
fn hide(env: &Env, checkpoints: &CheckpointStore) -> Option<String> {
    // A repository that cannot be read is no reason not to keep the work.
    let git = Layout::discover(&checkpoints.root).ok()??;
    let root = checkpoints.root.canonicalize().ok()?;
    let dir = CheckpointStore::at(root).threads();
    match git_exclude::add(env, &git, &dir) {
        Ok(line) => line.map(|line| format!("Git ignores {line} here (in .git/info/exclude).")),
        Err(error) => Some(format!("Git may commit {}: {error}", dir.display())),
    }
}

/// Makes sure that no link of a stranger's repository leads a writer elsewhere.
pub(crate) fn inside(checkpoints: &CheckpointStore, path: &Path) -> Result<(), CheckpointError> {
    let Ok(real) = path.canonicalize() else {
        let dangles = path.symlink_metadata().is_ok_and(|meta| meta.is_symlink());
        return if dangles {
            Err(FileError::Link { path: path.to_owned() }.into())
        } else {
            Ok(())
        };
    };
    let local = checkpoints.local.as_deref().and_then(Path::parent);
    let roots = [Some(checkpoints.root.as_path()), local].into_iter().flatten();
    let mut roots = roots.filter_map(|root| root.canonicalize().ok()).peekable();
    if roots.peek().is_none() || roots.any(|root| real.starts_with(root)) {
        return Ok(());
    }
    Err(FileError::Link { path: path.to_owned() }.into())
}

/// Reads a checkpoint that can be written.
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

pub(super) fn is_usable(bytes: &[u8], stem: &str) -> bool {
    CheckpointRef::parse(bytes, stem, CheckpointFileKind::Thread).0.into_head().usable
}

fn parse(bytes: Vec<u8>, path: &Path) -> Result<CheckpointDoc, CheckpointError> {
    let (doc, found) = CheckpointDoc::parse(bytes, &stem(path), CheckpointFileKind::Thread);
    if doc.head().usable {
        return Ok(doc);
    }
    let why = found.first().map_or("", |first| first.message.as_str()).to_owned();
    Err(CheckpointError::Unusable { path: path.to_owned(), why })
}

/// Reads a checkpoint, applies `operation`, and replaces what was read.
///
/// Where another program wrote in between, the operation is applied to what it wrote; so an operation must tolerate to
/// find itself applied already.
pub(crate) fn update(
    env: &Env,
    checkpoints: &CheckpointStore,
    guard: &DirLock,
    path: &Path,
    operation: &dyn Fn(&mut CheckpointDoc) -> Result<(), CheckpointError>,
) -> Result<CheckpointDoc, CheckpointError> {
    inside(checkpoints, path)?;
    let path = &pending::copy_up(env, checkpoints, guard, path)?;
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
