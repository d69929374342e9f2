//! Rows at the place where their code is now.

use std::borrow::BorrowMut;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use skein_format::review::ReviewDoc;
use skein_model::Filter;
use skein_model::normalize_path::stem;
use skein_model::view::{PlacementView, RowDetail, ThreadRow, ThreadView, WriteResult};
use skein_workspace::{Env, ReviewStore, Workspace};

use crate::branches;
use crate::drafts;
use crate::location::{ThreadLocation, of_row};
use crate::placement::Placer;

/// Maximum number of threads that are placed to find those of a file.
const MAX_PLACED: usize = 2000;

/// Sets the place of each review thread to where its code is now.
///
/// A list names the place that a thread's file names, because placing takes the file under review too.
pub fn place_rows<'a>(
    workspace: &Workspace,
    env: &Env,
    rows: impl IntoIterator<Item = &'a mut ThreadRow>,
) {
    each_placed(workspace, env, rows, |_, _| ());
}

/// Keeps the review threads that pass what their files do not decide: the file that their code is in, and their branch.
pub fn retain<R: BorrowMut<ThreadRow>>(
    workspace: &Workspace,
    env: &Env,
    filter: &Filter,
    rows: &mut Vec<R>,
) {
    if filter.branch.is_some() {
        branches::mark(workspace, env, rows.iter_mut().map(BorrowMut::borrow_mut));
        rows.retain(|row| branches::is_on(row.borrow(), filter));
    }
    if filter.file.is_some() {
        retain_on(workspace, env, filter, rows);
    }
}

/// Keeps the review threads whose code is in the files that a filter asks for, or was when they were started.
///
/// Of very many threads only those that were started there are kept.
fn retain_on<R: BorrowMut<ThreadRow>>(
    workspace: &Workspace,
    env: &Env,
    filter: &Filter,
    rows: &mut Vec<R>,
) {
    let mut kept: BTreeSet<String> = BTreeSet::new();
    if rows.len() <= MAX_PLACED {
        let rows = rows.iter_mut().map(BorrowMut::borrow_mut);
        let others = rows.filter(|row| !began_on(row, filter));
        each_placed(workspace, env, others, |row, placement| {
            if is_placed_on(placement, filter) {
                kept.insert(row.file.clone());
            }
        });
    }
    rows.retain(|row| {
        let row = row.borrow();
        row.usable && (began_on(row, filter) || kept.contains(&row.file))
    });
}

/// Returns whether the code of a review thread is in the files that a filter asks for, or was when it was started.
pub fn is_on_file(view: &ThreadView, filter: &Filter) -> bool {
    began_on(&view.row, filter) || view.placement().is_some_and(|at| is_placed_on(at, filter))
}

fn began_on(row: &ThreadRow, filter: &Filter) -> bool {
    let RowDetail::Review(detail) = &row.detail else { return true };
    detail.target.as_ref().is_some_and(|target| filter.is_on(target.path.as_str()))
}

fn is_placed_on(placement: &PlacementView, filter: &Filter) -> bool {
    filter.is_on(&placement.path)
}

fn each_placed<'a>(
    workspace: &Workspace,
    env: &Env,
    rows: impl IntoIterator<Item = &'a mut ThreadRow>,
    mut placed: impl FnMut(&ThreadRow, &PlacementView),
) {
    let mut stores: BTreeMap<_, (ReviewStore, Vec<&mut ThreadRow>)> = BTreeMap::new();
    for row in rows {
        if let (true, ThreadLocation::Review { reviews, .. }) = (row.usable, of_row(workspace, row))
        {
            stores.entry(reviews.root.clone()).or_insert_with(|| (reviews, Vec::new())).1.push(row);
        }
    }
    for (reviews, mut rows) in stores.into_values() {
        let mut placer = Placer::new(workspace, &reviews, env);
        for row in &mut rows {
            if let Some(placement) = of_file(&mut placer, &reviews, Path::new(&row.file)) {
                set(row, &placement);
                placed(row, &placement);
            }
        }
        placer.finish();
        if reviews.root == workspace.reviews.root {
            branches::mark(workspace, env, rows);
        }
    }
}

/// Sets the place of each thread that was written to where its code is now, in its own worktree.
///
/// A comment that was just added is on code as it is, and a thread that was deleted was placed before.
pub fn place_written(workspace: &Workspace, env: &Env, threads: &mut [WriteResult]) {
    let drafts = drafts::dir(workspace, env);
    let mut stores = vec![workspace.reviews.clone()];
    if threads.iter().any(|thread| !is_in(&workspace.reviews, &drafts, thread)) {
        stores = workspace.reviews_of_all_worktrees();
    }
    for reviews in &stores {
        let is_own = reviews.root == workspace.reviews.root;
        let mut placer = Placer::new(workspace, reviews, env);
        for thread in
            threads.iter_mut().filter(|thread| !matches!(thread.action, "added" | "deleted"))
        {
            let path = Path::new(&thread.file);
            let is_here = match is_own {
                true => is_in(reviews, &drafts, thread),
                false => path.parent() == Some(reviews.threads().as_path()),
            };
            if let Some(placement) = is_here.then(|| of_file(&mut placer, reviews, path)).flatten()
            {
                thread.at = placement.at();
            }
        }
        placer.finish();
    }
}

/// Returns whether a thread is in a store, or among the drafts.
fn is_in(reviews: &ReviewStore, drafts: &Path, thread: &WriteResult) -> bool {
    let dir = Path::new(&thread.file).parent();
    dir == Some(reviews.threads().as_path()) || dir == Some(drafts)
}

fn set(row: &mut ThreadRow, placement: &PlacementView) {
    if let RowDetail::Review(detail) = &mut row.detail {
        detail.at = Some(placement.at());
        detail.state = Some(placement.state);
        detail.confidence = Some(placement.confidence);
    }
}

/// Places the thread of a file.
pub fn of_file(
    placer: &mut Placer<'_>,
    reviews: &ReviewStore,
    path: &Path,
) -> Option<PlacementView> {
    let bytes = skein_store::read(path).ok()?.bytes;
    placer.place(&ReviewDoc::parse(bytes, &stem(path), &reviews.store_path).0)
}
