//! Finds the workspace of a directory.

use std::path::{Path, PathBuf};

use skein_format::diagnostic::Code;
use skein_git::{RepoDirs, Worktree};
use skein_model::view::FileDiagnostic;

use crate::env::{Env, canonical};
use crate::layout::{CheckpointStore, ReviewStore, SessionMapFile, Workspace};
use crate::local;
use crate::owners::Owners;
use crate::session_map_path::{MapPath, map_path};
use crate::settings::{self, Settings};
use crate::store_location::{self, Bounds};

/// Returns the state directory for a user without a home directory: inside git's common directory, which is never committed.
///
/// Outside a repository it is a folder of the directory.
pub fn state_without_home(dir: &Path) -> PathBuf {
    let git = RepoDirs::discover(dir).ok().flatten();
    git.map_or_else(|| dir.join(".skein"), |git| git.common_dir.join("skein-home"))
}

/// Finds the workspace of the current directory.
pub fn discover(env: &Env) -> Workspace {
    discover_in(env, &env.dir)
}

/// Finds the workspace of another directory.
pub fn discover_in(env: &Env, dir: &Path) -> Workspace {
    let mut diagnostics = Vec::new();
    let dir = canonical(dir);
    let mut broken = None;
    let git = RepoDirs::discover(&dir).unwrap_or_else(|error| {
        let path = error.path().display().to_string();
        broken = error.path().parent().map(Path::to_owned);
        diagnostics.push(FileDiagnostic::new(Code::GitBroken, &path, None, error.to_string()));
        None
    });
    let top = git.as_ref().and_then(|git| git.top.clone());
    let main = git.as_ref().and_then(RepoDirs::main_top);
    let (settings, mut found) = settings::load(env, top.as_deref().unwrap_or(&dir));
    diagnostics.append(&mut found);
    let owners = Owners::new(env, &settings);
    let last = git.as_ref().map(outermost).or(broken.as_deref());
    let bounds = Bounds { top: top.as_deref(), last };
    let (reviews, found) = store_location::reviews(&dir, bounds, &settings, &owners);
    diagnostics.extend(found);
    // Without a main checkout, the common directory is the only one that the worktrees share.
    let bare = git.as_ref().map(|git| git.common_dir.clone());
    let (mut checkpoints, found) = checkpoints(&dir, main.or(bare).as_deref(), &owners);
    diagnostics.extend(found);
    checkpoints.local = top.as_deref().and_then(|top| local_checkpoints(env, &checkpoints, top));
    checkpoints.exists |= checkpoints.local.as_deref().is_some_and(Path::is_dir);
    let sessions = sessions(env, &settings);
    let env = env.clone();
    Workspace { env, reviews, checkpoints, sessions, git, settings, diagnostics, owners }
}

/// Returns the outermost directory of a repository: the top of its worktree, or the directory of a bare one.
fn outermost(git: &RepoDirs) -> &Path {
    let common = &git.common_dir;
    let around = common.parent().filter(|_| common.file_name().is_some_and(|name| name == ".git"));
    git.top.as_deref().or(around).unwrap_or(common)
}

/// Finds the checkpoints: the nearest ancestor with `workspace/threads`, also above repositories, else the main checkout, else the
/// directory of a bare repository. No store is created in a linked worktree, which may be removed.
///
/// A directory with only legacy checkpoints counts if none has threads. One of another user is skipped and reported.
fn checkpoints(
    dir: &Path,
    main: Option<&Path>,
    owners: &Owners,
) -> (CheckpointStore, Option<FileDiagnostic>) {
    let mut diagnostic = None;
    let is_own = |root: &Path| {
        let workspace = root.join("workspace");
        let parts = ["threads", "checkpoints"].map(|name| workspace.join(name));
        owners.own(root, &[&parts[..], &[workspace]].concat())
    };
    let mut with = |name: &str| {
        let mut there = dir.ancestors().filter(|root| root.join("workspace").join(name).is_dir());
        there.find(|root| {
            let own = is_own(root);
            if !own && diagnostic.is_none() {
                diagnostic =
                    Some(store_location::not_owned_by_user(&root.join("workspace").join(name)));
            }
            own
        })
    };
    let found = with("threads").or_else(|| with("checkpoints"));
    let root = found.or(main).unwrap_or(dir).to_owned();
    let mut checkpoints = CheckpointStore::at(root);
    let exists = checkpoints.threads().is_dir() || checkpoints.legacy().is_dir();
    checkpoints.not_owned = exists && !is_own(&checkpoints.root);
    checkpoints.exists = exists && !checkpoints.not_owned;
    (checkpoints, diagnostic)
}

/// Returns the directory for checkpoints in the worktree, if the store outside it is read-only and the worktree is writable.
fn local_checkpoints(env: &Env, checkpoints: &CheckpointStore, top: &Path) -> Option<PathBuf> {
    let is_outside = !checkpoints.root.starts_with(top) && !checkpoints.not_owned;
    let is_needed = is_outside && !env.fs.can_write(&checkpoints.threads());
    (is_needed && local::is_usable(top) && env.fs.can_write(top)).then(|| local::checkpoints(top))
}

/// Finds the session map: from the settings, else at the path defined by the format; nothing is created.
fn sessions(env: &Env, settings: &Settings) -> SessionMapFile {
    let own = || env.home.as_deref().map(|home| MapPath::named(map_path(home)));
    let map = settings.session_map().cloned().or_else(own);
    let exists = map.as_ref().is_some_and(|map| map.path().symlink_metadata().is_ok());
    SessionMapFile { map, exists }
}

impl Workspace {
    /// Returns the reviews of every worktree of the repository, each with its branch.
    pub fn reviews_of_all_worktrees(&self) -> Vec<ReviewStore> {
        let Some(git) = &self.git else { return vec![self.reviews.clone()] };
        let mut all: Vec<ReviewStore> =
            git.worktrees().iter().map(|worktree| self.reviews_of(worktree)).collect();
        if !all.iter().any(|reviews| reviews.root == self.reviews.root) {
            all.push(self.reviews.clone());
        }
        all
    }

    /// Returns the reviews of a worktree of the repository, with its branch.
    pub fn reviews_of(&self, worktree: &Worktree) -> ReviewStore {
        let top = Some(worktree.top.as_path());
        let bounds = Bounds { top, last: top };
        let found = store_location::reviews(&worktree.top, bounds, &self.settings, &self.owners).0;
        ReviewStore { branch: Some(worktree.head.label()), ..found }
    }

    /// Returns the checkpoints of a worktree with its own store, which every worktree has if the store is shared.
    pub fn checkpoints_in(&self, worktree: &Worktree) -> Option<CheckpointStore> {
        let dir = worktree.top.join(self.checkpoints_below());
        let found = checkpoints(&dir, None, &self.owners).0;
        (found.exists && found.root.starts_with(&worktree.top)).then_some(found)
    }
}
