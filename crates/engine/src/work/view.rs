//! One checkpoint with everything that is in it.

use super::find;
use crate::discover::Workspace;
use crate::show::checkpoint_view;
use crate::view::View;

/// Shows the checkpoint with this very id, be it put away or not; none where there is no such file.
///
/// A text that is not the plain name of a file is nobody's id.
pub fn view(workspace: &Workspace, id: &str) -> Option<View> {
    let (form, path) = find::exact(&workspace.checkpoints, id)?;
    checkpoint_view(&path, form).ok()
}
