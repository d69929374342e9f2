use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use notify::event::{AccessKind, AccessMode, EventKind, ModifyKind};

use super::{Target, WatchError};
use crate::temp::is_temp_name;

/// One thing worth waking up for.
pub(super) enum Signal {
    /// These files of watched directories were touched.
    Touched(Vec<PathBuf>),
    /// A watched directory, or one above it, came or went.
    Moved(PathBuf),
    /// The system lost events.
    Lost,
    Failed(notify::Error),
}

/// Everything that one report is made of.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) touched: BTreeSet<PathBuf>,
    pub(super) moved: BTreeSet<PathBuf>,
    pub(super) lost: bool,
}

impl Batch {
    pub(super) fn add(&mut self, signal: Signal) -> Result<(), WatchError> {
        match signal {
            Signal::Touched(paths) => self.touched.extend(paths),
            Signal::Moved(path) => {
                self.moved.insert(path);
            }
            Signal::Lost => self.lost = true,
            Signal::Failed(source) => return Err(WatchError::Failed { source }),
        }
        Ok(())
    }
}

/// Drops the events that concern nobody, on the thread that receives them.
///
/// There are many of those: a directory in a busy place stands in for one that does not exist
/// yet, and every file that is merely read causes an event as well.
pub(super) struct Sifter {
    targets: Vec<Target>,
}

impl Sifter {
    pub(super) fn new(targets: Vec<Target>) -> Self {
        Self { targets }
    }

    pub(super) fn sift(&self, event: notify::Result<notify::Event>) -> Option<Signal> {
        let event = match event {
            Ok(event) => event,
            Err(error) => return Some(Signal::Failed(error)),
        };
        if event.need_rescan() {
            return Some(Signal::Lost);
        }
        if !changes_something(event.kind) {
            return None;
        }
        let above = event.paths.iter().find(|path| {
            // Writing to a file never moves a directory, but a directory may come by rename.
            self.targets.iter().any(|target| target.dir.starts_with(path))
        });
        if let Some(path) = above {
            return Some(Signal::Moved(path.clone()));
        }
        let touched: Vec<_> =
            event.paths.into_iter().filter(|path| find(&self.targets, path).is_some()).collect();
        (!touched.is_empty()).then_some(Signal::Touched(touched))
    }
}

/// Returns the target that `path` is a file of.
pub(super) fn find<'a>(targets: &'a [Target], path: &Path) -> Option<&'a Target> {
    let name = path.file_name()?;
    if is_temp_name(name) {
        return None;
    }
    let (name, dir) = (name.to_str()?, path.parent()?);
    targets.iter().find(|target| target.dir == dir && (target.accepts)(name))
}

fn changes_something(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(kind) => kind == AccessKind::Close(AccessMode::Write),
        EventKind::Modify(kind) => !matches!(kind, ModifyKind::Metadata(_)),
        EventKind::Any | EventKind::Create(_) | EventKind::Remove(_) | EventKind::Other => true,
    }
}
