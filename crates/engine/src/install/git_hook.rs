//! A hook of git, which steps aside for ours and runs before it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use skein_store::{RealFs, lock, rename_new};

use super::error::InstallError;
use super::own::{Whose, whose};
use super::task::repo;
use crate::discover::Workspace;

const PATIENCE: Duration = Duration::from_secs(5);

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
        Some(bytes) => whose(bytes) == Whose::Foreign,
        // A link that leads nowhere.
        None => path.symlink_metadata().is_ok(),
    };
    let aside = aside(path);
    if is_foreign && aside.symlink_metadata().is_ok() {
        return Err(InstallError::TwoHooks { path: path.to_owned(), aside });
    }
    Ok(is_foreign)
}

/// Lets a hook step aside.
pub(super) fn step_aside(path: &Path) -> Result<(), InstallError> {
    rename(path, &aside(path))
}

/// Lets the hook that was there before come back; true when there is one and its name is free.
pub(super) fn can_come_back(path: &Path) -> bool {
    aside(path).symlink_metadata().is_ok() && path.symlink_metadata().is_err()
}

/// Gives the hook that was there before its name back.
pub(super) fn come_back(path: &Path) -> Result<(), InstallError> {
    rename(&aside(path), path)
}

fn rename(from: &Path, to: &Path) -> Result<(), InstallError> {
    let guard = lock(&RealFs, from.parent().unwrap_or(from), PATIENCE)?;
    Ok(rename_new(&RealFs, &guard, from, to)?)
}
