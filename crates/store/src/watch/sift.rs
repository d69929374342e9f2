use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use notify::event::{AccessKind, AccessMode, EventKind, ModifyKind};

use super::table::Table;
use super::{Kind, WatchError};

/// One thing worth waking up for.
pub(super) enum Signal {
    /// These files of watched directories were touched.
    Touched(Vec<PathBuf>),
    /// A watched directory, or one above it, came or went.
    Moved(PathBuf),
    /// The system lost events.
    Lost,
    /// Somebody wants to have the word.
    Woken,
    Failed(notify::Error),
}

/// Everything that one report is made of.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) touched: BTreeSet<PathBuf>,
    pub(super) moved: BTreeSet<PathBuf>,
    pub(super) lost: bool,
    pub(super) woken: bool,
}

impl Batch {
    pub(super) fn add(&mut self, signal: Signal) -> Result<(), WatchError> {
        match signal {
            Signal::Touched(paths) => self.touched.extend(paths),
            Signal::Moved(path) => {
                self.moved.insert(path);
            }
            Signal::Lost => self.lost = true,
            Signal::Woken => self.woken = true,
            Signal::Failed(source) => return Err(WatchError::Failed { source }),
        }
        Ok(())
    }
}

/// Drops the events that concern nobody, on the thread that receives them.
///
/// There are many of those: a directory in a busy place stands in for one that does not exist
/// yet.
pub(super) struct Sifter {
    table: Arc<RwLock<Table>>,
}

impl Sifter {
    pub(super) fn new(table: Arc<RwLock<Table>>) -> Self {
        Self { table }
    }

    pub(super) fn sift(&self, event: notify::Result<notify::Event>) -> Option<Signal> {
        let event = match event {
            Ok(event) => event,
            Err(error) => return Some(Signal::Failed(error)),
        };
        if event.need_rescan() {
            return Some(Signal::Lost);
        }
        let metadata = matches!(event.kind, EventKind::Modify(ModifyKind::Metadata(_)));
        if !changes_something(event.kind) {
            return None;
        }
        let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
        // Writing to a file never moves a directory, but a directory may come by rename.
        if let Some(path) = event.paths.iter().find(|path| !metadata && table.is_above(path)) {
            return Some(Signal::Moved(path.clone()));
        }
        let mut touched = event.paths;
        // Whether a file can be run is a part of what git compares, and of nothing else that is watched.
        let is_wanted = |kind: &Kind| !metadata || *kind == Kind::Source;
        touched.retain(|path| table.kinds(path).iter().any(is_wanted));
        (!touched.is_empty()).then_some(Signal::Touched(touched))
    }
}

fn changes_something(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(kind) => kind == AccessKind::Close(AccessMode::Write),
        EventKind::Any
        | EventKind::Create(_)
        | EventKind::Modify(_)
        | EventKind::Remove(_)
        | EventKind::Other => true,
    }
}
