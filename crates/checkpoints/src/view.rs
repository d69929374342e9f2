//! One checkpoint with everything that is in it.

use skein_catalog::checkpoint_lookup;
use skein_catalog::find::find_checkpoint;
use skein_catalog::show::checkpoint_view;
use skein_model::view::ThreadView;
use skein_workspace::{Env, Workspace};

use super::error::CheckpointError;

/// Shows the checkpoint with this id, archived or not; an auto-checkpoint that was upgraded is found by its old id too.
pub fn view(workspace: &Workspace, env: &Env, id: &str) -> Option<ThreadView> {
    let renamed = || checkpoint_lookup::renamed(&workspace.checkpoints, id).ok()?;
    let (form, path) = checkpoint_lookup::exact(&workspace.checkpoints, id).or_else(renamed)?;
    checkpoint_view(workspace, env, &path, form).ok()
}

/// Returns the path of the file of the checkpoint that `text` means, which is an id too.
pub fn file_of(workspace: &Workspace, env: &Env, text: &str) -> Result<String, CheckpointError> {
    Ok(find_checkpoint(workspace, env, text)?.1.display().to_string())
}
