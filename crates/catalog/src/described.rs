//! One-line descriptions of threads, for errors that list several.

use skein_model::view::{RowDetail, ThreadRow};
use skein_model::{Filter, Kind};
use skein_workspace::{ReviewStore, Workspace};

use crate::placed::place_rows;
use crate::rows::{checkpoint, review, session};
use crate::thread_names::ThreadName;

/// Maximum number of threads that are read to describe them.
const MAX_DESCRIBED: usize = 10;

/// Returns the ids of threads with their descriptions.
pub(crate) fn described(
    workspace: &Workspace,
    reviews: &ReviewStore,
    many: &[&ThreadName],
) -> Vec<(String, String)> {
    let session = |id: &str| {
        let file = workspace.sessions.file()?;
        let rows = session::rows(file, &Filter::default(), &workspace.settings).rows;
        rows.into_iter().find(|row| row.id == id).map(|row| *row)
    };
    let row = |named: &ThreadName| {
        let bytes = || skein_store::read(&named.path).ok().map(|snapshot| snapshot.bytes);
        match named.kind {
            Kind::Review => {
                Some(review::row(&bytes()?, &named.path, (reviews, &workspace.settings)))
            }
            Kind::Checkpoint => Some(checkpoint::row(&bytes()?, &named.path, named.form())),
            Kind::Session => session(&named.id),
        }
    };
    let about = |(n, named): (usize, &&ThreadName)| {
        let mut row = if n < MAX_DESCRIBED { row(named) } else { None };
        place_rows(workspace, row.as_mut().filter(|row| row.kind == Kind::Review));
        (named.id.clone(), row.map_or_else(|| named.kind.as_str().to_owned(), |row| about(&row)))
    };
    many.iter().enumerate().map(about).collect()
}

/// Describes a thread in one line: its kind, location and title, and whether it is resolved.
pub(crate) fn about(row: &ThreadRow) -> String {
    let place = match &row.detail {
        RowDetail::Review(detail) => detail.at.clone(),
        RowDetail::Checkpoint(_) => None,
        RowDetail::Session(detail) => Some(detail.project_name.clone()),
    };
    let place =
        place.filter(|place| !place.is_empty()).map_or(String::new(), |at| format!(" {at}"));
    let is_resolved = row.kind == Kind::Review && row.status.as_deref() == Some("resolved");
    let resolved = if is_resolved { "resolved " } else { "" };
    format!("{resolved}{}{place}: {}", row.kind.as_str(), row.title)
}
