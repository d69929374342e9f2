use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use notify::event::{AccessKind, AccessMode, EventKind, ModifyKind};

use super::WatchError;
use super::target_table::TargetTable;

/// Something that ends a wait.
pub(super) enum Signal {
    /// These files of watched directories were touched.
    Touched(Vec<PathBuf>),
    /// A watched directory or one of its ancestors was created, moved or removed.
    Moved(PathBuf),
    /// The system lost events.
    Lost,
    /// A waker was used.
    Woken,
    Failed(notify::Error),
}

/// The signals of one report.
#[derive(Default)]
pub(super) struct EventBatch {
    pub(super) touched: BTreeSet<PathBuf>,
    pub(super) moved: BTreeSet<PathBuf>,
    pub(super) lost: bool,
    pub(super) woken: bool,
}

impl EventBatch {
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

/// Drops the events that match no target, on the receiving thread.
///
/// There may be many: in place of a directory that does not exist, a busy ancestor is watched.
pub(super) struct EventFilter<T> {
    table: Arc<RwLock<TargetTable<T>>>,
}

impl<T: Copy + PartialEq> EventFilter<T> {
    pub(super) fn new(table: Arc<RwLock<TargetTable<T>>>) -> Self {
        Self { table }
    }

    pub(super) fn signal(&self, event: notify::Result<notify::Event>) -> Option<Signal> {
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
        // Changing metadata never moves a directory, but a rename may.
        if let Some(path) = event.paths.iter().find(|path| !metadata && table.is_above(path)) {
            return Some(Signal::Moved(path.clone()));
        }
        let mut touched = event.paths;
        touched.retain(|path| !table.tags(path).is_empty());
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
