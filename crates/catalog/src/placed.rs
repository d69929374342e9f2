//! Finds the current location of the code of listed threads.

use std::borrow::BorrowMut;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use skein_model::view::{PlacementView, RowDetail, ThreadRow, ThreadView};
use skein_model::{Filter, Kind};
use skein_workspace::{ReviewStore, Workspace};

use crate::branches;
use crate::location::ThreadRef;
use crate::placement::Placer;

/// Maximum number of threads that are placed for a filter on files.
const MAX_PLACED: usize = 2000;

/// Sets the location of each review thread to the current location of its code.
///
/// Lists show the location in the thread file, because placing also reads the file under review.
pub fn place_rows<'a>(workspace: &Workspace, rows: impl IntoIterator<Item = &'a mut ThreadRow>) {
    each_placed(workspace, rows, |_, _| ());
}

/// Keeps the review threads that match the parts of a filter that need more than their files: the path of the code, and the branch.
pub fn retain<R: BorrowMut<ThreadRow>>(workspace: &Workspace, filter: &Filter, rows: &mut Vec<R>) {
    if filter.branch.is_some() {
        branches::mark(workspace, rows.iter_mut().map(BorrowMut::borrow_mut));
        rows.retain(|row| branches::is_on(row.borrow(), filter));
    }
    if filter.file.is_some() {
        retain_on(workspace, filter, rows);
    }
}

/// Keeps the review threads whose code is in the files of the filter now, or was when they were started.
///
/// If there are very many threads, only the latter are kept.
fn retain_on<R: BorrowMut<ThreadRow>>(workspace: &Workspace, filter: &Filter, rows: &mut Vec<R>) {
    let mut kept: BTreeSet<PathBuf> = BTreeSet::new();
    if rows.len() <= MAX_PLACED {
        let rows = rows.iter_mut().map(BorrowMut::borrow_mut);
        let others = rows.filter(|row| !began_on(row, filter));
        each_placed(workspace, others, |row, placement| {
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

/// Returns whether the code of a review thread is in the files of the filter now, or was when it was started.
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
    rows: impl IntoIterator<Item = &'a mut ThreadRow>,
    mut placed: impl FnMut(&ThreadRow, &PlacementView),
) {
    let is_wanted = |row: &&mut ThreadRow| row.usable && row.kind == Kind::Review;
    let with_thread = |row: &'a mut ThreadRow| (ThreadRef::from_row(workspace, row), row);
    let rows = rows.into_iter().filter(is_wanted).map(with_thread);
    let (threads, mut rows): (Vec<ThreadRef>, Vec<&mut ThreadRow>) = rows.unzip();
    let mut placers = Placers::new(workspace);
    for (thread, row) in threads.iter().zip(&mut rows) {
        if let Some(placement) = place_file(placers.get(&thread.reviews), thread) {
            if let RowDetail::Review(detail) = &mut row.detail {
                detail.at = Some(placement.at());
                detail.state = Some(placement.state);
                detail.confidence = Some(placement.confidence);
            }
            placed(row, &placement);
        }
    }
    placers.finish();
    let is_own = |thread: &ThreadRef| thread.reviews.root == workspace.reviews.root;
    let own = threads.iter().zip(rows).filter(|(thread, _)| is_own(thread));
    branches::mark(workspace, own.map(|(_, row)| row));
}

/// Reads the file of a thread, and places the thread.
pub fn place_file(placer: &mut Placer<'_>, thread: &ThreadRef) -> Option<PlacementView> {
    let bytes = skein_store::read(&thread.path).ok()?.bytes;
    placer.place(&thread.parse(bytes).0)
}

/// One placer for each store.
pub struct Placers<'a> {
    workspace: &'a Workspace,
    all: BTreeMap<&'a Path, Placer<'a>>,
}

impl<'a> Placers<'a> {
    pub fn new(workspace: &'a Workspace) -> Self {
        Self { workspace, all: BTreeMap::new() }
    }

    pub fn get(&mut self, reviews: &'a ReviewStore) -> &mut Placer<'a> {
        let new = || Placer::new(self.workspace, reviews);
        self.all.entry(&reviews.root).or_insert_with(new)
    }

    /// Saves the placements for the next run.
    pub fn finish(self) {
        self.all.into_values().for_each(Placer::finish);
    }
}
