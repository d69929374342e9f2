//! What may have changed, as the watcher reports it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use skein_review::SUBMIT_FILE;
use skein_store::ChangeKind;
use skein_workspace::Workspace;

use super::targets::{WatchChange, WatchedFile};
use crate::tracked_dir::{FileParser, HALF_WRITTEN_GRACE, TrackedDir};

/// What may have changed.
#[derive(Debug, Default)]
pub(crate) struct ChangeSet {
    /// Files of threads, drafts and checkpoints.
    pub(crate) files: BTreeSet<PathBuf>,
    /// The session map.
    pub(super) sessions: bool,
    /// Files under review, by their paths from the root of the reviews.
    pub(super) sources: BTreeSet<String>,
    /// Directories among those that are watched, from the root of the reviews.
    pub(super) folders: BTreeSet<String>,
    /// What names stand for.
    pub(super) refs: bool,
    /// What is checked out.
    pub(super) head: bool,
    /// What is staged.
    pub(super) index: bool,
    /// What git ignores.
    pub(super) rules: bool,
    /// The last submission.
    pub(super) submitted: bool,
    /// Where things are.
    pub(crate) places: bool,
    /// Threads or checkpoints in other worktrees.
    pub(super) others: bool,
    /// Any thread or draft.
    pub(super) any_thread: bool,
    /// Any checkpoint.
    pub(super) any_checkpoint: bool,
    /// Whether the caller has just written, so that a missing file was deleted.
    pub(super) is_own: bool,
    /// Any file under review that was read before.
    pub(super) any_known: bool,
    /// Any file under review.
    pub(super) any_source: bool,
    /// Which folders there are.
    pub(super) any_folder: bool,
}

impl ChangeSet {
    /// Sorts the changes that a watch reports.
    pub(crate) fn from_changes(changes: &[WatchChange], workspace: &Workspace) -> Self {
        let mut change_set = Self::default();
        changes.iter().for_each(|change| change_set.add(change, workspace));
        change_set
    }

    fn add(&mut self, change: &WatchChange, workspace: &Workspace) {
        let WatchChange { tag, path, kind } = change;
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let rescan = *kind == ChangeKind::Rescan;
        match tag {
            WatchedFile::Review if rescan => (self.any_thread, self.places) = (true, true),
            WatchedFile::Review if name == SUBMIT_FILE => self.submitted = true,
            WatchedFile::Repository if rescan => (self.refs, self.index) = (true, true),
            WatchedFile::Repository => match name {
                "index" => self.index = true,
                "exclude" => self.rules = true,
                _ => self.refs = true,
            },
            WatchedFile::Source if rescan => (self.any_source, self.any_folder) = (true, true),
            WatchedFile::Source => self.source(path, workspace),
            WatchedFile::Settings => self.places = true,
            WatchedFile::Checkpoint if rescan => (self.any_checkpoint, self.places) = (true, true),
            WatchedFile::Review => drop(self.files.insert(path.clone())),
            WatchedFile::Checkpoint => {
                // The first one makes the store.
                self.places |= !workspace.checkpoints.exists;
                self.files.insert(path.clone());
            }
            WatchedFile::Session => self.sessions = true,
            WatchedFile::OtherWorktree => self.others = true,
        }
    }

    fn source(&mut self, path: &Path, workspace: &Workspace) {
        let below = path.strip_prefix(&workspace.reviews.root).ok().and_then(Path::to_str);
        let Some(below) = below else { return };
        self.rules |= path.file_name().is_some_and(|name| name == ".gitignore");
        // A link to a directory is a file to git.
        match path.symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
            true => self.folders.insert(below.to_owned()),
            false => self.sources.insert(below.to_owned()),
        };
    }

    /// Returns whether files under review may have changed.
    pub(super) fn has_sources(&self) -> bool {
        self.any_source || self.any_known || self.rules || !self.sources.is_empty()
    }

    /// Reads the files of a directory that may have changed; with `any`, also those that may have changed without a report.
    pub(super) fn refresh<T: Send>(
        &self,
        files: &mut TrackedDir<T>,
        any: bool,
        parser: &dyn FileParser<T>,
    ) -> Vec<(String, Option<T>)> {
        let mut paths = self.files.clone();
        if any {
            paths.extend(files.suspects());
        }
        files.refresh(&paths, parser, &|since, _| {
            self.is_own || since.elapsed() >= HALF_WRITTEN_GRACE
        })
    }

    /// Returns whether the repository may have changed.
    pub(super) fn has_repository(&self) -> bool {
        self.refs || self.index || self.submitted
    }
}
