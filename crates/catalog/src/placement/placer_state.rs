//! State that one placer passes to the next.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use skein_git::{ChangedFile, CommitId, Objects};
use skein_workspace::Workspace;

use super::cache::PlacementCache;
use super::trail::CommitLine;

/// Cached answers of git, and earlier placements.
#[derive(Debug)]
pub struct PlacerState {
    pub(super) objects: Option<Objects>,
    pub(super) commits: BTreeMap<String, Option<CommitId>>,
    pub(super) changes: BTreeMap<String, Arc<Vec<ChangedFile>>>,
    /// HEAD, once it was read.
    pub(super) head: Option<Option<CommitId>>,
    /// The commits from one to another; none if git failed.
    pub(super) steps: BTreeMap<(String, String), Option<CommitLine>>,
    /// The files that are not checked out, once they were read.
    pub(super) not_checked_out: Option<BTreeSet<String>>,
    /// Whether git has a commit.
    pub(super) exists: BTreeMap<String, bool>,
    /// The last commit in the history of another one that has a file.
    pub(super) last_with: BTreeMap<(String, String), Option<CommitId>>,
    pub(super) cache: PlacementCache,
}

impl PlacerState {
    /// Creates a state with the content of the cache directory.
    pub fn open(workspace: &Workspace) -> Self {
        Self {
            objects: None,
            commits: BTreeMap::new(),
            changes: BTreeMap::new(),
            head: None,
            steps: BTreeMap::new(),
            not_checked_out: None,
            exists: BTreeMap::new(),
            last_with: BTreeMap::new(),
            cache: PlacementCache::open(workspace.dirs()),
        }
    }

    /// Merges the state of a concurrent placer.
    pub fn absorb(&mut self, other: Self) {
        self.commits.extend(other.commits);
        self.cache.absorb(other.cache);
    }

    /// Saves the placements for the next run; errors are ignored, because it is only a cache.
    pub fn save(&mut self) {
        self.cache.save();
    }

    /// Drops the cached differences of files, because files may have changed.
    pub fn forget_files(&mut self) {
        self.changes.clear();
        self.not_checked_out = None;
        // The process reads the index only once.
        self.objects = None;
    }

    /// Drops the cached differences and names of commits, because references may have changed.
    pub fn forget_names(&mut self) {
        self.forget_files();
        self.head = None;
        self.commits.clear();
        self.exists.clear();
    }
}
