//! Thread files that cannot be used, with the reason.

use skein_model::sanitize::one_line;

use crate::app_state::AppState;
use crate::escape::shown_name;
use crate::thread_index::ThreadIndex;

/// A file that is listed with its reason: its threads have no location, so that they are on no file of a page.
pub(super) struct DamagedFile {
    pub(super) path: String,
    pub(super) reason: String,
}

/// Returns the files in the stores of the workspace that cannot be used, with paths from its root.
pub(super) fn damaged_files(app: &AppState, index: &ThreadIndex) -> Vec<DamagedFile> {
    let unusable = index.snapshot.views.iter().filter(|view| !view.row.usable);
    let diagnostics = unusable.filter_map(|view| view.row.diagnostics.first());
    let root = format!("{}/", app.live.workspace().reviews.root.display());
    let all = diagnostics.chain(&index.snapshot.diagnostics);
    all.map(|diagnostic| {
        let path = diagnostic.path.strip_prefix(&root).unwrap_or(&diagnostic.path);
        DamagedFile { path: shown_name(path), reason: one_line(&diagnostic.message) }
    })
    .collect()
}
