use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use notify::{ErrorKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::sift::{Batch, find};
use super::{Change, Target, WatchError, What};

/// The directories under watch: the targets, or what stands in for those that do not exist.
pub(super) struct Arms {
    watcher: RecommendedWatcher,
    targets: Vec<Target>,
    armed: BTreeSet<PathBuf>,
}

impl Arms {
    pub(super) fn new(
        watcher: RecommendedWatcher,
        targets: Vec<Target>,
    ) -> Result<Self, WatchError> {
        let mut arms = Self { watcher, targets, armed: BTreeSet::new() };
        arms.arm()?;
        Ok(arms)
    }

    /// Turns a batch into changes, and follows directories that came or went.
    pub(super) fn report(&mut self, batch: Batch) -> Result<Vec<Change>, WatchError> {
        let mut changes = BTreeSet::new();
        let mut rescan = vec![batch.lost; self.targets.len()];
        if !batch.moved.is_empty() {
            let before = self.armed.clone();
            // The watch of a directory stays with it when it moves, so it must be taken anew.
            self.disarm(|dir| batch.moved.iter().any(|moved| dir.starts_with(moved)));
            self.arm()?;
            for (target, rescan) in self.targets.iter().zip(&mut rescan) {
                let touched = batch.moved.iter().any(|moved| target.dir.starts_with(moved));
                let known = before.contains(&target.dir) || self.armed.contains(&target.dir);
                *rescan |= touched && known;
            }
        }
        for (target, _) in self.targets.iter().zip(rescan).filter(|(_, rescan)| *rescan) {
            changes.insert(Change {
                kind: target.kind,
                path: target.dir.clone(),
                what: What::Rescan,
            });
        }
        changes.extend(batch.touched.into_iter().filter_map(|path| self.change(path)));
        Ok(changes.into_iter().collect())
    }

    /// Asks the file system what became of a file: events come in any order and number.
    fn change(&self, path: PathBuf) -> Option<Change> {
        let kind = find(&self.targets, &path)?.kind;
        let what = if fs::metadata(&path).is_ok() { What::Written } else { What::Removed };
        Some(Change { kind, path, what })
    }

    /// Watches each target or its nearest existing ancestor, and nothing else.
    fn arm(&mut self) -> Result<(), WatchError> {
        loop {
            let wanted = self.targets.iter().map(nearest).collect::<Result<BTreeSet<_>, _>>()?;
            if wanted == self.armed {
                return Ok(());
            }
            self.disarm(|dir| !wanted.contains(dir));
            for dir in wanted {
                self.add(dir)?;
            }
            // A directory may have come into being before its ancestor was watched, so that no
            // event tells of it: look again.
        }
    }

    fn add(&mut self, dir: PathBuf) -> Result<(), WatchError> {
        if self.armed.contains(&dir) {
            return Ok(());
        }
        match self.watcher.watch(&dir, RecursiveMode::NonRecursive) {
            Ok(()) => {
                self.armed.insert(dir);
                Ok(())
            }
            // Gone since it was found; the next look finds another.
            Err(error) if matches!(error.kind, ErrorKind::PathNotFound) => Ok(()),
            Err(source) => Err(WatchError::Dir { dir, source }),
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
