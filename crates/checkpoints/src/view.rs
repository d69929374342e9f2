//! The full content of one checkpoint.

use skein_catalog::checkpoint_lookup;
use skein_catalog::show::show_checkpoint;
use skein_model::view::ThreadView;
use skein_workspace::Workspace;

/// Returns the checkpoint with this id, archived or not; an upgraded auto-checkpoint is also found by its old id.
pub fn view(workspace: &Workspace, id: &str) -> Option<ThreadView> {
    let renamed = || checkpoint_lookup::renamed(&workspace.checkpoints, id).ok()?;
    let file = checkpoint_lookup::exact(&workspace.checkpoints, id).or_else(renamed)?;
    show_checkpoint(workspace, &file).ok()
}
