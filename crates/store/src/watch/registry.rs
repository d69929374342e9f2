use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use notify::{ErrorKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::event_filter::EventBatch;
use super::target_table::TargetTable;
use super::{Change, ChangeKind, Target, WatchError};

/// The directories that the system watches: the targets, or their nearest existing ancestors.
pub(super) struct WatchRegistry<T> {
    watcher: RecommendedWatcher,
    table: Arc<RwLock<TargetTable<T>>>,
    watched: BTreeSet<PathBuf>,
    /// Directories that the system refuses to watch, each reported once.
    refused: BTreeSet<PathBuf>,
}

impl<T: Copy + Ord> WatchRegistry<T> {
    pub(super) fn new(watcher: RecommendedWatcher, table: Arc<RwLock<TargetTable<T>>>) -> Self {
        Self { watcher, table, watched: BTreeSet::new(), refused: BTreeSet::new() }
    }

    /// Replaces the targets; directories in both sets are watched without a gap.
    ///
    /// After an error some of them are not watched.
    pub(super) fn set(&mut self, targets: Vec<Target<T>>) -> Result<(), WatchError> {
        let table = TargetTable::new(targets);
        *self.table.write().unwrap_or_else(PoisonError::into_inner) = table;
        self.refused.clear();
        self.update()
    }

    /// Adds targets.
    ///
    /// After an error some of them are not watched.
    pub(super) fn add(&mut self, targets: Vec<Target<T>>) -> Result<(), WatchError> {
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
            // For a missing directory, an ancestor must be watched.
            None if dirs.iter().any(|dir| !self.watched.contains(dir)) => self.update(),
            None => Ok(()),
        }
    }

    /// Converts a batch into changes, and updates the watches after directories were created or
    /// removed.
    pub(super) fn report(&mut self, batch: EventBatch) -> Result<Vec<Change<T>>, WatchError> {
        let mut changes = BTreeSet::new();
        let before = if batch.moved.is_empty() { BTreeSet::new() } else { self.watched.clone() };
        if !batch.moved.is_empty() {
            // A watch follows a directory that is moved, so it must be set again.
            self.unwatch(|dir| dir.ancestors().any(|dir| batch.moved.contains(dir)));
            self.update()?;
        }
        let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
        let is_moved = |dir: &PathBuf| {
            let touched = dir.ancestors().any(|dir| batch.moved.contains(dir));
            touched && (before.contains(dir) || self.watched.contains(dir))
        };
        if batch.lost || !batch.moved.is_empty() {
            let rescan = |target: &&Target<T>| batch.lost || is_moved(&target.dir);
            changes.extend(table.targets().iter().filter(rescan).map(|target| Change {
                tag: target.tag,
                path: target.dir.clone(),
                kind: ChangeKind::Rescan,
            }));
        }
        for path in batch.touched {
            // The order and number of events is not reliable, so the file is checked.
            let is_there = fs::metadata(&path).is_ok();
            let kind = if is_there { ChangeKind::Written } else { ChangeKind::Removed };
            let tags = table.tags(&path).into_iter();
            changes.extend(tags.map(|tag| Change { tag, path: path.clone(), kind }));
        }
        Ok(changes.into_iter().collect())
    }

    /// Watches each target or its nearest existing ancestor, and nothing else.
    ///
    /// Everything that can be watched is watched; the first error is returned.
    fn update(&mut self) -> Result<(), WatchError> {
        let mut failure = None;
        loop {
            let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
            let wanted = table.targets().iter().map(nearest).collect::<Result<BTreeSet<_>, _>>()?;
            drop(table);
            let is_done = |dir: &PathBuf| self.watched.contains(dir) || self.refused.contains(dir);
            if wanted.iter().all(is_done) && self.watched.is_subset(&wanted) {
                return failure.map_or(Ok(()), Err);
            }
            self.unwatch(|dir| !wanted.contains(dir));
            for dir in wanted {
                self.watch(dir, &mut failure);
            }
            // A directory may have been created before its ancestor was watched, without an event:
            // check again.
        }
    }

    fn watch(&mut self, dir: PathBuf, failure: &mut Option<WatchError>) {
        if self.watched.contains(&dir) || self.refused.contains(&dir) {
            return;
        }
        match self.watcher.watch(&dir, RecursiveMode::NonRecursive) {
            Ok(()) => {
                self.watched.insert(dir);
            }
            // It was removed since the check; the next iteration finds another.
            Err(error) if matches!(error.kind, ErrorKind::PathNotFound) => {}
            Err(source) => {
                self.refused.insert(dir.clone());
                failure.get_or_insert(WatchError::Dir { dir, source });
            }
        }
    }

    fn unwatch(&mut self, useless: impl Fn(&Path) -> bool) {
        let Self { watcher, watched, .. } = self;
        watched.retain(|dir| {
            if !useless(dir) {
                return true;
            }
            match watcher.unwatch(dir) {
                // The system itself drops the watch of a removed directory.
                Ok(()) | Err(_) => false,
            }
        });
    }
}

/// Returns the target's directory or its nearest existing ancestor.
fn nearest<T>(target: &Target<T>) -> Result<PathBuf, WatchError> {
    match target.dir.ancestors().find(|path| path.is_dir()) {
        Some(dir) => Ok(dir.to_owned()),
        None => Err(WatchError::Dir {
            dir: target.dir.clone(),
            source: notify::Error::path_not_found(),
        }),
    }
}
