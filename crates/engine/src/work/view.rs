//! One checkpoint with everything that is in it.

use super::find;
use crate::discover::Workspace;
use crate::env::Env;
use crate::show::checkpoint_view;
use crate::view::View;

/// Shows the checkpoint with this id, archived or not; an auto-checkpoint that was upgraded is found by its old id too.
pub fn view(workspace: &Workspace, env: &Env, id: &str) -> Option<View> {
    let renamed = || find::renamed(&workspace.checkpoints, id).ok()?;
    let (form, path) = find::exact(&workspace.checkpoints, id).or_else(renamed)?;
    checkpoint_view(workspace, env, &path, form).ok()
}
