use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use notify::{ErrorKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::sift::Batch;
use super::table::Table;
use super::{Change, Target, WatchError, What};

/// The directories under watch: the targets, or what stands in for those that do not exist.
pub(super) struct Arms {
    watcher: RecommendedWatcher,
    table: Arc<RwLock<Table>>,
    armed: BTreeSet<PathBuf>,
    /// Those that the system does not let us watch, which was said once.
    refused: BTreeSet<PathBuf>,
}

impl Arms {
    pub(super) fn new(
        watcher: RecommendedWatcher,
        table: Arc<RwLock<Table>>,
    ) -> Result<Self, WatchError> {
        let (armed, refused) = (BTreeSet::new(), BTreeSet::new());
        let mut arms = Self { watcher, table, armed, refused };
        arms.arm()?;
        Ok(arms)
    }

    /// Watches other targets than before; what is in both is watched without a gap.
    pub(super) fn set(&mut self, targets: Vec<Target>) -> Result<(), WatchError> {
        let table = Table::new(targets);
        *self.table.write().unwrap_or_else(PoisonError::into_inner) = table;
        self.refused.clear();
        self.arm()
    }

    /// Watches more targets.
    pub(super) fn add(&mut self, targets: Vec<Target>) -> Result<(), WatchError> {
        let dirs: Vec<PathBuf> = targets.iter().map(|target| target.dir.clone()).collect();
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        for target in targets {
            table.add(target);
        }
        drop(table);
        let mut failure = None;
        for dir in &dirs {
            self.watch(dir.clone(), &mut failure);
        }
        match failure {
            Some(error) => Err(error),
            // One that does not exist needs another to stand in for it.
            None if dirs.iter().any(|dir| !self.armed.contains(dir)) => self.arm(),
            None => Ok(()),
        }
    }

    /// Turns a batch into changes, and follows directories that came or went.
    pub(super) fn report(&mut self, batch: Batch) -> Result<Vec<Change>, WatchError> {
        let mut changes = BTreeSet::new();
        let before = if batch.moved.is_empty() { BTreeSet::new() } else { self.armed.clone() };
        if !batch.moved.is_empty() {
            // The watch of a directory stays with it when it moves, so it must be taken anew.
            self.disarm(|dir| dir.ancestors().any(|dir| batch.moved.contains(dir)));
            self.arm()?;
        }
        let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
        let is_moved = |dir: &PathBuf| {
            let touched = dir.ancestors().any(|dir| batch.moved.contains(dir));
            touched && (before.contains(dir) || self.armed.contains(dir))
        };
        if batch.lost || !batch.moved.is_empty() {
            let rescan = |target: &&Target| batch.lost || is_moved(&target.dir);
            changes.extend(table.targets().iter().filter(rescan).map(|target| Change {
                kind: target.kind,
                path: target.dir.clone(),
                what: What::Rescan,
            }));
        }
        for path in batch.touched {
            // Events come in any order and number, so that the file system is asked.
            let what = if fs::metadata(&path).is_ok() { What::Written } else { What::Removed };
            let kinds = table.kinds(&path).into_iter();
            changes.extend(kinds.map(|kind| Change { kind, path: path.clone(), what }));
        }
        Ok(changes.into_iter().collect())
    }

    /// Watches each target or its nearest existing ancestor, and nothing else.
    ///
    /// An error is the first of several perhaps; all that can be watched is.
    fn arm(&mut self) -> Result<(), WatchError> {
        let mut failure = None;
        loop {
            let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
            let wanted = table.targets().iter().map(nearest).collect::<Result<BTreeSet<_>, _>>()?;
            drop(table);
            let is_done = |dir: &PathBuf| self.armed.contains(dir) || self.refused.contains(dir);
            if wanted.iter().all(is_done) && self.armed.is_subset(&wanted) {
                return failure.map_or(Ok(()), Err);
            }
            self.disarm(|dir| !wanted.contains(dir));
            for dir in wanted {
                self.watch(dir, &mut failure);
            }
            // A directory may have come into being before its ancestor was watched, so that no
            // event tells of it: look again.
        }
    }

    fn watch(&mut self, dir: PathBuf, failure: &mut Option<WatchError>) {
        if self.armed.contains(&dir) || self.refused.contains(&dir) {
            return;
        }
        match self.watcher.watch(&dir, RecursiveMode::NonRecursive) {
            Ok(()) => {
                self.armed.insert(dir);
            }
            // Gone since it was found; the next look finds another.
            Err(error) if matches!(error.kind, ErrorKind::PathNotFound) => {}
            Err(source) => {
                self.refused.insert(dir.clone());
                failure.get_or_insert(WatchError::Dir { dir, source });
            }
        }
    }

    fn disarm(&mut self, useless: impl Fn(&Path) -> bool) {
        let Self { watcher, armed, .. } = self;
        armed.retain(|dir| {
            if !useless(dir) {
                return true;
            }
            match watcher.unwatch(dir) {
                // The system drops the watch of a directory that was removed by itself.
                Ok(()) | Err(_) => false,
            }
        });
    }
}

/// Returns the target's directory or the closest one above it that exists.
fn nearest(target: &Target) -> Result<PathBuf, WatchError> {
    match target.dir.ancestors().find(|path| path.is_dir()) {
        Some(dir) => Ok(dir.to_owned()),
        None => Err(WatchError::Dir {
            dir: target.dir.clone(),
            source: notify::Error::path_not_found(),
        }),
    }
}
