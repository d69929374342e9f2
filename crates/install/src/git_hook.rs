//! Hooks of git: an existing hook is renamed, and our hook runs it first.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use skein_store::{
    DirLock, Fs, RenameError, Revision, create_new, exchange, lock, remove, rename_new,
};
use skein_workspace::Workspace;

use super::error::{InstallError, InstallResult};
use super::own_files::{Ownership, owner};
use super::task::repo;

const LOCK_TIMEOUT: Duration = Duration::from_secs(5);
const MODE: u32 = 0o777;

/// Returns the path to which a hook of another program is renamed.
pub(super) fn renamed_path(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".skein-before");
    path.with_file_name(name)
}

/// Refuses to write into a hooks directory outside of this clone, unless the user agreed.
pub(super) fn check_dir(workspace: &Workspace, path: &Path, consent: bool) -> InstallResult {
    let dir = path.parent().unwrap_or(path);
    let real = |dir: &Path| dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    if consent || real(dir) == real(&repo(workspace)?.own_hooks_dir()) {
        return Ok(());
    }
    Err(InstallError::HooksPath { dir: dir.to_owned() })
}

/// Returns whether a hook of another program exists at the path, and must be renamed.
pub(super) fn must_rename(path: &Path, bytes: Option<&[u8]>) -> InstallResult<bool> {
    let is_foreign = match bytes {
        Some(bytes) => owner(bytes) == Ownership::Foreign,
        // The path may be a dangling link.
        None => path.symlink_metadata().is_ok(),
    };
    if is_foreign && has_renamed(path) {
        return Err(InstallError::TwoHooks { path: path.to_owned(), aside: renamed_path(path) });
    }
    Ok(is_foreign)
}

/// Returns whether a renamed hook of another program exists.
pub(super) fn has_renamed(path: &Path) -> bool {
    renamed_path(path).symlink_metadata().is_ok() && leftover(path).is_none()
}

/// Installs our hook in place of another one, which is renamed.
///
/// Our hook is written to the other name, and then both names are exchanged, so that git always finds a hook. A crash in between leaves
/// the other hook unchanged, and a leftover of ours. On a system that cannot exchange names, there is no hook for a moment.
pub(super) fn replace_hook(fs: &dyn Fs, path: &Path, text: &[u8]) -> InstallResult {
    let renamed = renamed_path(path);
    let guard = lock(fs, path.parent().unwrap_or(path), LOCK_TIMEOUT)?;
    create_new(fs, &guard, &renamed, text, MODE)?;
    let Err(error) = exchange(fs, &guard, &renamed, path) else { return Ok(()) };
    if leftover(path).is_none() {
        // The names are exchanged, but a power failure may undo it.
        return Err(error.into());
    }
    remove(fs, &guard, &renamed, &Revision::from_bytes(text))?;
    match &error {
        RenameError::Failed { source, .. } if source.kind() == ErrorKind::Unsupported => {
            rename_then_create(fs, &guard, path, text)
        }
        _ => Err(error.into()),
    }
}

fn rename_then_create(fs: &dyn Fs, guard: &DirLock, path: &Path, text: &[u8]) -> InstallResult {
    let renamed = renamed_path(path);
    let moved = rename_new(fs, guard, path, &renamed).map_err(InstallError::from);
    let done = moved.and_then(|()| Ok(create_new(fs, guard, path, text, MODE).map(drop)?));
    if done.is_err() && can_restore(path) {
        rename_new(fs, guard, &renamed, path)?;
    }
    done
}

/// Removes a hook of ours that a crash left under the other name: it would call itself.
pub(super) fn remove_leftover(fs: &dyn Fs, path: &Path) -> InstallResult {
    let Some(revision) = leftover(path) else { return Ok(()) };
    let guard = lock(fs, path.parent().unwrap_or(path), LOCK_TIMEOUT)?;
    Ok(remove(fs, &guard, &renamed_path(path), &revision)?)
}

fn leftover(path: &Path) -> Option<Revision> {
    let renamed = renamed_path(path);
    let snapshot = skein_store::read(&renamed).ok().filter(|_| !renamed.is_symlink())?;
    (owner(&snapshot.bytes) == Ownership::Ours).then_some(snapshot.revision)
}

/// Returns whether there is a renamed hook whose original name is free.
pub(super) fn can_restore(path: &Path) -> bool {
    renamed_path(path).symlink_metadata().is_ok() && path.symlink_metadata().is_err()
}

/// Renames a hook back to its original name.
pub(super) fn restore(fs: &dyn Fs, path: &Path) -> InstallResult {
    let guard = lock(fs, path.parent().unwrap_or(path), LOCK_TIMEOUT)?;
    Ok(rename_new(fs, &guard, &renamed_path(path), path)?)
}

#[cfg(test)]
mod tests;
