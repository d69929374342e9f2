//! What may have changed, as the watcher reports it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use skein_catalog::{branches, drafts};
use skein_review::SUBMIT_FILE;
use skein_store::ChangeKind;
use skein_workspace::{Env, Workspace};

use super::targets::{WatchChange, WatchedFile};

/// What may have changed.
#[derive(Debug, Default)]
pub(super) struct ChangeSet {
    /// Names of thread files.
    pub(super) threads: BTreeSet<String>,
    /// Names of draft files.
    pub(super) drafts: BTreeSet<String>,
    /// Names of checkpoint files, with whether they are legacy ones.
    pub(super) checkpoints: BTreeSet<(bool, String)>,
    /// Who works on which thread.
    pub(super) claims: bool,
    /// The branches that threads were started on.
    pub(super) branches: bool,
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
    pub(super) places: bool,
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

/// The directories that changes are reported from.
pub(super) struct WatchedDirs {
    threads: PathBuf,
    drafts: PathBuf,
    root: PathBuf,
    checkpoints: PathBuf,
    legacy: PathBuf,
    has_checkpoints: bool,
}

impl WatchedDirs {
    pub(super) fn new(workspace: &Workspace, env: &Env) -> Self {
        let (reviews, checkpoints) = (&workspace.reviews, &workspace.checkpoints);
        Self {
            threads: reviews.threads(),
            drafts: drafts::dir(workspace, env),
            root: reviews.root.clone(),
            checkpoints: checkpoints.threads(),
            legacy: checkpoints.legacy(),
            has_checkpoints: checkpoints.exists,
        }
    }
}

impl ChangeSet {
    /// Anything that can be checked without git may have changed.
    pub(super) fn anything_cheap() -> Self {
        Self { places: true, any_thread: true, any_known: true, ..Self::default() }
    }

    /// Sorts the changes that a watch reports.
    pub(super) fn from_changes(changes: Vec<WatchChange>, places: &WatchedDirs) -> Self {
        let mut change_set = Self::default();
        for change in changes {
            change_set.add(&change, places);
        }
        change_set
    }

    fn add(&mut self, change: &WatchChange, places: &WatchedDirs) {
        let WatchChange { tag, path, kind } = change;
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let rescan = *kind == ChangeKind::Rescan;
        match tag {
            WatchedFile::Review if rescan => (self.any_thread, self.places) = (true, true),
            WatchedFile::Review if name == SUBMIT_FILE => self.submitted = true,
            WatchedFile::Review if name == branches::FILE => self.branches = true,
            WatchedFile::Review if name.ends_with(".json") => self.claims = true,
            WatchedFile::Review if path.parent() == Some(&places.drafts) => {
                self.drafts.insert(name.to_owned());
            }
            WatchedFile::Review if path.parent() == Some(&places.threads) => {
                self.threads.insert(name.to_owned());
            }
            WatchedFile::Repository if rescan => (self.refs, self.index) = (true, true),
            WatchedFile::Repository => match name {
                "index" => self.index = true,
                "exclude" => self.rules = true,
                _ => self.refs = true,
            },
            WatchedFile::Source if rescan => (self.any_source, self.any_folder) = (true, true),
            WatchedFile::Source => self.source(path, places),
            WatchedFile::Settings => self.places = true,
            WatchedFile::Checkpoint if rescan => (self.any_checkpoint, self.places) = (true, true),
            WatchedFile::Checkpoint => self.checkpoint(path, name, places),
            WatchedFile::Session => self.sessions = true,
            WatchedFile::OtherWorktree => self.others = true,
            WatchedFile::Review => {}
        }
    }

    fn checkpoint(&mut self, path: &Path, name: &str, places: &WatchedDirs) {
        // The first one makes the store.
        self.places |= !places.has_checkpoints;
        let dir = path.parent();
        if dir == Some(&places.checkpoints) || dir == Some(&places.legacy) {
            self.checkpoints.insert((dir == Some(&places.legacy), name.to_owned()));
        }
    }

    fn source(&mut self, path: &Path, places: &WatchedDirs) {
        let below = path.strip_prefix(&places.root).ok().and_then(Path::to_str);
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

    /// Returns whether the repository may have changed.
    pub(super) fn has_repository(&self) -> bool {
        self.refs || self.index || self.submitted
    }
}
