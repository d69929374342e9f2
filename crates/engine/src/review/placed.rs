//! Rows at the place where their code is now.

use std::collections::BTreeMap;
use std::path::Path;

use skein_format::review::ReviewDoc;

use super::draft;
use crate::discover::{Reviews, Workspace};
use crate::env::Env;
use crate::find::{Found, of_row};
use crate::ids::stem;
use crate::placement::Placer;
use crate::search::Hits;
use crate::view::{Detail, Placement, Row, Written};

/// Sets the place of each review thread to where its code is now.
///
/// A list names the place that a thread's file names, because placing takes the file under review too.
pub fn place_rows<'a>(
    workspace: &Workspace,
    env: &Env,
    rows: impl IntoIterator<Item = &'a mut Row>,
) {
    let mut stores: BTreeMap<_, (Reviews, Vec<&mut Row>)> = BTreeMap::new();
    for row in rows {
        if let (true, Found::Review { reviews, .. }) = (row.usable, of_row(workspace, row)) {
            stores.entry(reviews.root.clone()).or_insert_with(|| (reviews, Vec::new())).1.push(row);
        }
    }
    for (reviews, rows) in stores.into_values() {
        let mut placer = Placer::new(workspace, &reviews, env);
        for row in rows {
            set(&mut placer, &reviews, row);
        }
        placer.finish();
    }
}

/// Sets the place of each review thread of this workspace that was found to where its code is now.
pub fn place_hits(workspace: &Workspace, env: &Env, hits: &mut Hits) {
    let dir = workspace.reviews.threads();
    let rows = hits.hits.iter_mut().map(|hit| &mut hit.row);
    let own = |row: &&mut Row| Path::new(&row.file).parent() == Some(dir.as_path());
    place_rows(workspace, env, rows.filter(own));
}

/// Sets the place of each thread that was written to where its code is now.
///
/// A comment that was just added is on code as it is. A thread that was deleted keeps the place that its file named, as
/// does one of another worktree.
pub fn place_written(workspace: &Workspace, env: &Env, threads: &mut [Written]) {
    let reviews = &workspace.reviews;
    let dirs = [reviews.threads(), draft::dir(workspace, env)];
    let mut placer = Placer::new(workspace, reviews, env);
    for thread in threads.iter_mut().filter(|thread| thread.action != "added") {
        let path = Path::new(&thread.file);
        let own = path.parent().is_some_and(|dir| dirs.iter().any(|own| own == dir));
        if let Some(placement) = own.then(|| of_file(&mut placer, reviews, path)).flatten() {
            thread.at = placement.at();
        }
    }
    placer.finish();
}

fn set(placer: &mut Placer<'_>, reviews: &Reviews, row: &mut Row) {
    let Some(placement) = of_file(placer, reviews, Path::new(&row.file)) else { return };
    if let Detail::Review(detail) = &mut row.detail {
        detail.at = Some(placement.at());
        detail.state = Some(placement.state);
    }
}

/// Places the thread of a file.
pub(crate) fn of_file(
    placer: &mut Placer<'_>,
    reviews: &Reviews,
    path: &Path,
) -> Option<Placement> {
    let bytes = skein_store::read(path).ok()?.bytes;
    placer.place(&ReviewDoc::parse(bytes, &stem(path), &reviews.store_path).0)
}
