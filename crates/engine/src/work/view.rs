//! One checkpoint with everything that is in it.

use super::error::WorkError;
use crate::checkpoint_lookup;
use crate::env::Env;
use crate::find::find_checkpoint;
use crate::layout::Workspace;
use crate::show::checkpoint_view;
use crate::view::View;

/// Shows the checkpoint with this id, archived or not; an auto-checkpoint that was upgraded is found by its old id too.
pub fn view(workspace: &Workspace, env: &Env, id: &str) -> Option<View> {
    let renamed = || checkpoint_lookup::renamed(&workspace.checkpoints, id).ok()?;
    let (form, path) = checkpoint_lookup::exact(&workspace.checkpoints, id).or_else(renamed)?;
    checkpoint_view(workspace, env, &path, form).ok()
}

/// Returns the path of the file of the checkpoint that `text` means, which is an id too.
pub fn file_of(workspace: &Workspace, env: &Env, text: &str) -> Result<String, WorkError> {
    Ok(find_checkpoint(workspace, env, text)?.1.display().to_string())
}
