//! A hook of git, which steps aside for ours and runs before it.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use skein_store::{
    DirLock, Fs, RenameError, Revision, create_new, exchange, lock, remove, rename_new,
};
use skein_workspace::Workspace;

use super::error::InstallError;
use super::own_files::{Ownership, whose};
use super::task::repo;

const LOCK_TIMEOUT: Duration = Duration::from_secs(5);
const MODE: u32 = 0o777;

/// Returns the name of the hook that was there before ours.
pub(super) fn aside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".skein-before");
    path.with_file_name(name)
}

/// Refuses to write into a directory that is not this clone's own, unless the user agreed.
pub(super) fn check_dir(
    workspace: &Workspace,
    path: &Path,
    consent: bool,
) -> Result<(), InstallError> {
    let dir = path.parent().unwrap_or(path);
    let real = |dir: &Path| dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    if consent || real(dir) == real(&repo(workspace)?.own_hooks_dir()) {
        return Ok(());
    }
    Err(InstallError::HooksPath { dir: dir.to_owned() })
}

/// Returns whether a hook stands in the way that must step aside.
pub(super) fn is_in_the_way(path: &Path, bytes: Option<&[u8]>) -> Result<bool, InstallError> {
    let is_foreign = match bytes {
        Some(bytes) => whose(bytes) == Ownership::Foreign,
        // A link that leads nowhere.
        None => path.symlink_metadata().is_ok(),
    };
    if is_foreign && has_earlier(path) {
        return Err(InstallError::TwoHooks { path: path.to_owned(), aside: aside(path) });
    }
    Ok(is_foreign)
}

/// Returns whether a hook that was there before ours waits under the other name.
pub(super) fn has_earlier(path: &Path) -> bool {
    aside(path).symlink_metadata().is_ok() && leftover(path).is_none()
}

/// Puts our hook in the place of another one, which steps aside.
///
/// Ours gets the name of the one that stepped aside, and then both change places, so that git finds a hook at any
/// moment. A crash in between leaves the other one in its place and a leftover of ours. A system that cannot exchange
/// names is without a hook for a moment.
pub(super) fn step_in(fs: &dyn Fs, path: &Path, text: &[u8]) -> Result<(), InstallError> {
    let aside = aside(path);
    let guard = lock(fs, path.parent().unwrap_or(path), LOCK_TIMEOUT)?;
    create_new(fs, &guard, &aside, text, MODE)?;
    let Err(error) = exchange(fs, &guard, &aside, path) else { return Ok(()) };
    if leftover(path).is_none() {
        // Both have changed places, though a power cut may undo it.
        return Err(error.into());
    }
    remove(fs, &guard, &aside, &Revision::from_bytes(text))?;
    match &error {
        RenameError::Failed { source, .. } if source.kind() == ErrorKind::Unsupported => {
            step_in_by_turns(fs, &guard, path, text)
        }
        _ => Err(error.into()),
    }
}

fn step_in_by_turns(
    fs: &dyn Fs,
    guard: &DirLock,
    path: &Path,
    text: &[u8],
) -> Result<(), InstallError> {
    let aside = aside(path);
    let moved = rename_new(fs, guard, path, &aside).map_err(InstallError::from);
    let done = moved.and_then(|()| Ok(create_new(fs, guard, path, text, MODE).map(drop)?));
    if done.is_err() && can_come_back(path) {
        rename_new(fs, guard, &aside, path)?;
    }
    done
}

/// Removes a hook of ours that a crash left under the other name, where it would call itself.
pub(super) fn drop_leftover(fs: &dyn Fs, path: &Path) -> Result<(), InstallError> {
    let Some(revision) = leftover(path) else { return Ok(()) };
    let guard = lock(fs, path.parent().unwrap_or(path), LOCK_TIMEOUT)?;
    Ok(remove(fs, &guard, &aside(path), &revision)?)
}

fn leftover(path: &Path) -> Option<Revision> {
    let aside = aside(path);
    let snapshot = skein_store::read(&aside).ok().filter(|_| !aside.is_symlink())?;
    (whose(&snapshot.bytes) == Ownership::Ours).then_some(snapshot.revision)
}

/// Lets the hook that was there before come back; true when there is one and its name is free.
pub(super) fn can_come_back(path: &Path) -> bool {
    aside(path).symlink_metadata().is_ok() && path.symlink_metadata().is_err()
}

/// Gives the hook that was there before its name back.
pub(super) fn come_back(fs: &dyn Fs, path: &Path) -> Result<(), InstallError> {
    let guard = lock(fs, path.parent().unwrap_or(path), LOCK_TIMEOUT)?;
    Ok(rename_new(fs, &guard, &aside(path), path)?)
}

#[cfg(test)]
mod tests;
