//! One checkpoint with everything that is in it.

use skein_catalog::checkpoint_lookup;
use skein_catalog::show::show_checkpoint;
use skein_model::view::ThreadView;
use skein_workspace::{Env, Workspace};

/// Shows the checkpoint with this id, archived or not; an auto-checkpoint that was upgraded is found by its old id too.
pub fn view(workspace: &Workspace, env: &Env, id: &str) -> Option<ThreadView> {
    let renamed = || checkpoint_lookup::renamed(&workspace.checkpoints, id).ok()?;
    let file = checkpoint_lookup::exact(&workspace.checkpoints, id).or_else(renamed)?;
    show_checkpoint(workspace, env, &file).ok()
}
