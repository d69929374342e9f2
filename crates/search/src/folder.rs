//! A directory of thread files.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::Arc;

use skein_catalog::ThreadRef;
use skein_catalog::checkpoint_state::States;
use skein_catalog::removed_reviews::removed_worktrees;
use skein_catalog::rows::checkpoint::is_hidden;
use skein_catalog::rows::unreadable;
use skein_catalog::show::checkpoint_view;
use skein_catalog::{drafts, review_thread as review};
use skein_format::checkpoint::{CheckpointFileKind, is_legacy_file, is_thread_file};
use skein_format::review::has_whole_head;
use skein_model::Kind;
use skein_model::view::{CheckpointBody, ReviewBody, ThreadBody, ThreadView};
use skein_store::{RealFs, ScanOptions, read_settled};
use skein_workspace::{Actor, ReviewStore, Workspace};

use super::thread::Thread;

/// Number of bytes of the first read of a file; most files are shorter.
const FIRST_READ_BYTES: usize = 64 * 1024;

/// A directory of thread files of one kind, and the workspace that it belongs to.
#[derive(Clone, Debug)]
pub(super) struct Folder {
    pub(super) workspace: Arc<Workspace>,
    pub(super) dir: PathBuf,
    pub(super) format: FolderKind,
    /// The states of checkpoints that are not in their files.
    pub(super) states: Arc<States>,
}

/// The format of the files in a folder.
#[derive(Clone, Debug)]
pub(super) enum FolderKind {
    Reviews {
        store: Box<ReviewStore>,
        /// Whether the comments are not submitted yet.
        drafts: bool,
        /// The names of the files to search; none for all of them.
        only: Option<BTreeSet<OsString>>,
    },
    Checkpoints(CheckpointFileKind),
}

impl Folder {
    pub(super) fn kind(&self) -> Kind {
        match self.format {
            FolderKind::Reviews { .. } => Kind::Review,
            FolderKind::Checkpoints(_) => Kind::Checkpoint,
        }
    }

    pub(super) fn options(&self) -> ScanOptions<'static> {
        let (suffix, keep): (_, &(dyn Fn(&str) -> bool + Sync)) = match self.format {
            FolderKind::Reviews { .. } => (".md", &|name| !name.starts_with('.')),
            FolderKind::Checkpoints(CheckpointFileKind::Thread) => (".json", &is_thread_file),
            FolderKind::Checkpoints(CheckpointFileKind::Legacy) => (".json", &is_legacy_file),
        };
        ScanOptions { suffix, keep, first: FIRST_READ_BYTES, threads: None }
    }

    /// Returns whether another thread of the same name is shown instead of this one.
    pub(super) fn hides(&self, name: &str) -> bool {
        match &self.format {
            FolderKind::Reviews { only, .. } => {
                only.as_ref().is_some_and(|names| !names.contains(OsStr::new(name)))
            }
            FolderKind::Checkpoints(form) => {
                is_hidden(&self.workspace.checkpoints, *form, &self.dir, name)
            }
        }
    }

    /// Returns false if the bytes are visibly incomplete, because a program is writing them or was
    /// interrupted.
    pub(super) fn looks_whole(&self, bytes: &[u8]) -> bool {
        match self.format {
            FolderKind::Reviews { .. } => has_whole_head(bytes),
            FolderKind::Checkpoints(_) => bytes.trim_ascii_end().ends_with(b"}"),
        }
    }

    /// Parses a thread as far as a search needs it.
    pub(super) fn thread<'a>(&self, name: &'a str, bytes: &'a [u8]) -> Thread<'a> {
        match &self.format {
            FolderKind::Reviews { store, drafts, .. } => {
                Thread::review(id(name), bytes, &store.store_path, *drafts)
            }
            FolderKind::Checkpoints(form) => Thread::checkpoint(id(name), bytes, *form),
        }
    }

    /// Returns a thread whose file cannot be read.
    pub(super) fn unknown<'a>(&self, name: &'a str) -> Thread<'a> {
        Thread::unknown(id(name), self.kind())
    }

    /// Parses the view of a thread.
    pub(super) fn view(&self, name: &str, bytes: Vec<u8>) -> ThreadView {
        let path = self.dir.join(name);
        match &self.format {
            FolderKind::Reviews { store, drafts, .. } => {
                let thread = ThreadRef { reviews: (**store).clone(), path };
                let settings = &self.workspace.settings;
                let mut view =
                    review::ReviewThread::parse(bytes, &thread, settings).into_unplaced();
                if *drafts {
                    view.row.mark_draft();
                }
                view
            }
            FolderKind::Checkpoints(form) => {
                let mut view = checkpoint_view(bytes, &(*form, path));
                self.states.mark(&mut view.row);
                view
            }
        }
    }

    /// Returns the view of a file that cannot be read.
    pub(super) fn unreadable(&self, name: &str, reason: &str) -> ThreadView {
        let row = unreadable(self.kind(), &self.dir.join(name), &reason);
        let body = match self.format {
            FolderKind::Reviews { .. } => ThreadBody::Review(ReviewBody::default()),
            FolderKind::Checkpoints(_) => ThreadBody::Checkpoint(CheckpointBody::default()),
        };
        ThreadView { row, body }
    }

    /// Reads a file, or returns why it cannot be read; `None` if it does not exist.
    ///
    /// An unusable file is read again after a delay: another program may be writing it.
    pub(super) fn read(&self, name: &str) -> Option<Result<Vec<u8>, String>> {
        let path = self.dir.join(name);
        let sound = |bytes: &Vec<u8>| self.thread(name, bytes).is_usable();
        match read_settled(&RealFs, &path, &|bytes| bytes, &sound) {
            Ok(bytes) => Some(Ok(bytes)),
            Err(_) if path.symlink_metadata().is_err() => None,
            Err(error) => Some(Err(error.reason())),
        }
    }
}

/// Returns the id of a thread from the name of its file.
pub(super) fn id(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem })
}

/// Lists the folders of the threads of a workspace, including the archive.
pub(super) fn folders(workspace: &Arc<Workspace>, all_worktrees: bool) -> Vec<Folder> {
    let states = Arc::new(States::read(&workspace.checkpoints, workspace.env.clock.now()));
    let new = |dir, format| {
        let (workspace, states) = (Arc::clone(workspace), Arc::clone(&states));
        Folder { workspace, dir, format, states }
    };
    let stores = review_stores(workspace, all_worktrees).into_iter();
    let reviews = |store: ReviewStore| {
        let dir = store.threads();
        new(dir, FolderKind::Reviews { store: Box::new(store), drafts: false, only: None })
    };
    let mut all: Vec<_> = stores.filter(|store| store.exists).map(reviews).collect();
    if all_worktrees {
        for removed in removed_worktrees(workspace).into_iter().filter(|one| !one.has_store) {
            let Some(store) = removed.copies() else { continue };
            let names = removed.threads.iter().filter_map(|file| file.file_name());
            let only = Some(names.map(OsStr::to_owned).collect());
            let dir = store.threads();
            let store = Box::new(store);
            all.push(new(dir, FolderKind::Reviews { store, drafts: false, only }));
        }
    }
    let checkpoints = &workspace.checkpoints;
    if checkpoints.exists {
        let thread = || FolderKind::Checkpoints(CheckpointFileKind::Thread);
        all.extend(checkpoints.thread_dirs().into_iter().map(|dir| new(dir, thread())));
        all.push(new(checkpoints.legacy(), FolderKind::Checkpoints(CheckpointFileKind::Legacy)));
        let months = checkpoints.archive().read_dir().into_iter().flatten().flatten();
        let months = months.filter(|month| month.file_type().is_ok_and(|kind| kind.is_dir()));
        all.extend(months.map(|month| new(month.path(), thread())));
    }
    all
}

/// Lists the folders of the drafts of a workspace; none for an agent.
pub(super) fn draft_folders(workspace: &Arc<Workspace>, all_worktrees: bool) -> Vec<Folder> {
    if Actor::find(workspace, None).agent || Actor::is_in_agent(&workspace.env) {
        return Vec::new();
    }
    let new = |store: ReviewStore| Folder {
        workspace: Arc::clone(workspace),
        dir: drafts::dir_of(&workspace.env, &store.root),
        format: FolderKind::Reviews { store: Box::new(store), drafts: true, only: None },
        states: Arc::default(),
    };
    let folders = review_stores(workspace, all_worktrees).into_iter().map(new);
    folders.filter(|folder| folder.dir.is_dir()).collect()
}

fn review_stores(workspace: &Workspace, all_worktrees: bool) -> Vec<ReviewStore> {
    match all_worktrees {
        false => vec![workspace.reviews.clone()],
        true => workspace.reviews_of_all_worktrees(),
    }
}
