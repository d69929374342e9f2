//! A directory of thread files.

use std::path::PathBuf;
use std::sync::Arc;

use skein_catalog::ThreadRef;
use skein_catalog::checkpoint_state::States;
use skein_catalog::rows::checkpoint::is_hidden;
use skein_catalog::rows::unreadable;
use skein_catalog::show::checkpoint_view;
use skein_catalog::{drafts, review_thread as review};
use skein_format::checkpoint::{CheckpointFileKind, is_legacy_file, is_thread_file};
use skein_format::review::has_whole_head;
use skein_model::Kind;
use skein_model::view::{CheckpointBody, ReviewBody, ThreadBody, ThreadView};
use skein_store::{RealFs, ScanOptions, read_settled};
use skein_workspace::{Actor, Env, ReviewStore, Workspace};

use super::thread::Thread;

/// Most files fit into this, so that one read gets them whole.
const FIRST_READ_BYTES: usize = 64 * 1024;

/// A directory of thread files of one kind, and the workspace that it belongs to.
#[derive(Clone, Debug)]
pub(super) struct Folder {
    pub(super) workspace: Arc<Workspace>,
    pub(super) dir: PathBuf,
    pub(super) sort: FolderKind,
    /// What became of checkpoints, as far as their files do not say it.
    pub(super) states: Arc<States>,
}

/// What the files of a folder are.
#[derive(Clone, Debug)]
pub(super) enum FolderKind {
    Reviews(Box<ReviewStore>),
    /// Comments that are not submitted yet.
    Drafts(Box<ReviewStore>),
    Checkpoints(CheckpointFileKind),
}

impl Folder {
    pub(super) fn kind(&self) -> Kind {
        match self.sort {
            FolderKind::Reviews(_) | FolderKind::Drafts(_) => Kind::Review,
            FolderKind::Checkpoints(_) => Kind::Checkpoint,
        }
    }

    /// Returns which files of the directory are threads, and how much of one is read at once.
    pub(super) fn options(&self) -> ScanOptions<'static> {
        let (suffix, keep): (_, fn(&str) -> bool) = match self.sort {
            FolderKind::Reviews(_) | FolderKind::Drafts(_) => {
                (".md", |name| !name.starts_with('.'))
            }
            FolderKind::Checkpoints(CheckpointFileKind::Thread) => (".json", is_thread_file),
            FolderKind::Checkpoints(CheckpointFileKind::Legacy) => (".json", is_legacy_file),
        };
        ScanOptions { suffix, keep, first: FIRST_READ_BYTES, threads: None }
    }

    /// Returns whether a thread of that name is shown instead of this one.
    pub(super) fn hides(&self, name: &str) -> bool {
        let checkpoints = &self.workspace.checkpoints;
        match self.sort {
            FolderKind::Reviews(_) | FolderKind::Drafts(_) => false,
            FolderKind::Checkpoints(CheckpointFileKind::Legacy) => {
                checkpoints.replaces_legacy(id(name))
            }
            FolderKind::Checkpoints(CheckpointFileKind::Thread) => {
                is_hidden(checkpoints, &self.dir, name)
            }
        }
    }

    /// Returns false where a look at the bytes tells that a program is in the middle of writing them, or broke off.
    pub(super) fn looks_whole(&self, bytes: &[u8]) -> bool {
        match self.sort {
            FolderKind::Reviews(_) | FolderKind::Drafts(_) => has_whole_head(bytes),
            FolderKind::Checkpoints(_) => bytes.trim_ascii_end().ends_with(b"}"),
        }
    }

    /// Reads a thread whose bytes are at hand, as far as a search needs it.
    pub(super) fn thread<'a>(&self, name: &'a str, bytes: &'a [u8]) -> Thread<'a> {
        match &self.sort {
            FolderKind::Reviews(reviews) => Thread::review(id(name), bytes, &reviews.store_path),
            FolderKind::Drafts(reviews) => Thread::draft(id(name), bytes, &reviews.store_path),
            FolderKind::Checkpoints(form) => Thread::checkpoint(id(name), bytes, *form),
        }
    }

    /// Returns what is known of a file that cannot be read, as far as a search needs it.
    pub(super) fn unknown<'a>(&self, name: &'a str) -> Thread<'a> {
        Thread::unknown(id(name), self.kind())
    }

    /// Returns what is shown of a thread whose bytes are at hand.
    pub(super) fn view(&self, name: &str, bytes: Vec<u8>) -> ThreadView {
        let path = self.dir.join(name);
        match &self.sort {
            FolderKind::Reviews(reviews) | FolderKind::Drafts(reviews) => {
                let thread = ThreadRef { reviews: (**reviews).clone(), path };
                let settings = &self.workspace.settings;
                let mut view =
                    review::ReviewThread::parse(bytes, &thread, settings).into_unplaced();
                if matches!(self.sort, FolderKind::Drafts(_)) {
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

    /// Returns what is shown of a file that cannot be read.
    pub(super) fn unreadable(&self, name: &str, why: &str) -> ThreadView {
        let row = unreadable(self.kind(), &self.dir.join(name), &why);
        let body = match self.sort {
            FolderKind::Reviews(_) | FolderKind::Drafts(_) => {
                ThreadBody::Review(ReviewBody::default())
            }
            FolderKind::Checkpoints(_) => ThreadBody::Checkpoint(CheckpointBody::default()),
        };
        ThreadView { row, body }
    }

    /// Returns what a file holds, or why it cannot be read; none where it is gone.
    ///
    /// One that makes no sense may be in writing, and is given time.
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

/// Returns the id of a thread by the name of its file.
pub(super) fn id(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem })
}

/// Lists where threads of a workspace are stored, archived ones included.
pub(super) fn folders(workspace: &Arc<Workspace>, env: &Env, all_worktrees: bool) -> Vec<Folder> {
    let states = Arc::new(States::read(&workspace.checkpoints, env.clock.now()));
    let new = |dir, sort| {
        let (workspace, states) = (Arc::clone(workspace), Arc::clone(&states));
        Folder { workspace, dir, sort, states }
    };
    let places = match all_worktrees {
        false => vec![workspace.reviews.clone()],
        true => workspace.reviews_of_all_worktrees(),
    };
    let places = places.into_iter().filter(|reviews| reviews.exists);
    let mut all: Vec<_> =
        places.map(|place| new(place.threads(), FolderKind::Reviews(Box::new(place)))).collect();
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

/// Lists where comments of a workspace are stored that are not submitted yet; an agent gets none of them.
pub(super) fn draft_folders(
    workspace: &Arc<Workspace>,
    env: &Env,
    all_worktrees: bool,
) -> Vec<Folder> {
    if Actor::find(workspace, env, None).agent || Actor::is_in_agent(env) {
        return Vec::new();
    }
    let places = match all_worktrees {
        false => vec![workspace.reviews.clone()],
        true => workspace.reviews_of_all_worktrees(),
    };
    let new = |reviews: ReviewStore| Folder {
        workspace: Arc::clone(workspace),
        dir: drafts::dir_of(env, &reviews.root),
        sort: FolderKind::Drafts(Box::new(reviews)),
        states: Arc::default(),
    };
    places.into_iter().map(new).filter(|folder| folder.dir.is_dir()).collect()
}
