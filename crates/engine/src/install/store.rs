//! The store that hooks write checkpoints to.

use std::path::Path;

use skein_git::Layout;
use skein_store::remove_empty_dir;

use super::error::InstallError;
use crate::discover::{Checkpoints, Workspace};
use crate::exclude;
use crate::work::open;

/// Makes the store of checkpoints, and says so: hooks never make one, and keep nothing where there is none.
pub fn prepare(workspace: &Workspace) -> Result<Vec<String>, InstallError> {
    Ok(open::ensure(workspace)?.notes)
}

/// Removes a store that Skein made and nothing was ever put into; true when there was one.
///
/// That Skein made it shows in the repository's own ignore file.
pub(super) fn drop_unused(root: &Path) -> Result<bool, InstallError> {
    let git = Layout::discover(root).ok().flatten();
    let Some((git, root)) = git.zip(root.canonicalize().ok()) else { return Ok(false) };
    let threads = Checkpoints { root: root.clone(), exists: false }.threads();
    let unused = threads.is_dir() && exclude::hides(&git, &threads);
    // What holds something stays, and stays hidden.
    if !unused || !remove_empty_dir(&threads).unwrap_or(false) {
        return Ok(false);
    }
    remove_empty_dir(&root.join("workspace")).unwrap_or(false);
    exclude::show(&git, &threads)?;
    exclude::drop_empty(&git)?;
    Ok(true)
}
