//! The paths of a workspace.

use std::path::{Path, PathBuf};

use skein_git::{Repo, RepoDirs, Worktree};
use skein_model::normalize_path::lexical;
use skein_model::view::FileDiagnostic;
use skein_store::RootDirs;

use crate::env::Env;
use crate::local::SandboxDir;
use crate::owners::Owners;
use crate::session_map_path::MapPath;
use crate::settings::Settings;

/// The stores of a directory and their settings; none needs to exist.
#[derive(Clone, Debug, PartialEq)]
pub struct Workspace {
    /// The environment in which it was found.
    pub env: Env,
    /// The review threads.
    pub reviews: ReviewStore,
    /// The checkpoints.
    pub checkpoints: CheckpointStore,
    /// The session map.
    pub sessions: SessionMapFile,
    /// The repository, if any.
    pub git: Option<RepoDirs>,
    /// The settings in effect.
    pub settings: Settings,
    /// Problems found during discovery.
    pub diagnostics: Vec<FileDiagnostic>,
    /// The users whose stores are used.
    pub owners: Owners,
}

/// The location of review threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewStore {
    /// The directory that paths of files under review are relative to.
    pub root: PathBuf,
    /// The store, relative to the root.
    pub store_path: String,
    pub exists: bool,
    /// The branch, if threads of several worktrees are listed together.
    pub branch: Option<String>,
}

impl ReviewStore {
    /// Returns whether the repository shares its review threads.
    pub fn is_shared(&self) -> bool {
        self.store().join(".gitattributes").is_file()
    }

    /// Returns the directory of the store.
    pub fn store(&self) -> PathBuf {
        self.root.join(&self.store_path)
    }

    /// Returns the directory of the thread files.
    pub fn threads(&self) -> PathBuf {
        self.store().join("threads")
    }
}

/// The folder of archived threads, in the directory of the threads.
pub const ARCHIVE: &str = "archive";

/// The location of checkpoints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointStore {
    /// The root of the workspace.
    pub root: PathBuf,
    /// Whether it has a directory of threads or of legacy checkpoints.
    pub exists: bool,
    /// Whether it belongs to another user, so that it is neither read nor written.
    pub not_owned: bool,
    /// The directory in the worktree that is written, and read first, if the store is read-only.
    pub local: Option<PathBuf>,
}

impl CheckpointStore {
    /// Returns a store that does not exist yet.
    pub fn at(root: PathBuf) -> Self {
        Self { root, exists: false, not_owned: false, local: None }
    }

    /// Returns the directory that checkpoints are written to.
    pub fn written(&self) -> PathBuf {
        self.local.clone().unwrap_or_else(|| self.threads())
    }

    /// Returns the directories of the thread files; a file in the first hides one of the same name in the second.
    pub fn thread_dirs(&self) -> Vec<PathBuf> {
        self.local.iter().cloned().chain([self.threads()]).collect()
    }

    /// Returns the path of a thread, or of another file in its directory.
    pub fn file(&self, name: &str) -> PathBuf {
        let local = self.local.as_ref().map(|dir| dir.join(name));
        let local = local.filter(|path| path.symlink_metadata().is_ok_and(|meta| meta.is_file()));
        local.unwrap_or_else(|| self.threads().join(name))
    }

    /// Returns the directory of the thread files.
    pub fn threads(&self) -> PathBuf {
        self.workspace().join("threads")
    }

    /// Returns the directory of the legacy checkpoints.
    pub fn legacy(&self) -> PathBuf {
        self.workspace().join("checkpoints")
    }

    /// Returns the parent directory of all of them; a path that cannot exist if they belong to another user.
    fn workspace(&self) -> PathBuf {
        if self.not_owned { PathBuf::from("/dev/null") } else { self.root.join("workspace") }
    }

    /// Returns the archive, which has a folder for each month.
    pub fn archive(&self) -> PathBuf {
        self.threads().join(ARCHIVE)
    }

    /// Returns whether a thread with the same id replaces a legacy checkpoint.
    pub fn replaces_legacy(&self, legacy_id: &str) -> bool {
        self.file(&format!("{legacy_id}.json")).is_file()
    }
}

/// The location of the session map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionMapFile {
    /// The path; none without a home directory.
    pub map: Option<MapPath>,
    /// Whether it exists.
    pub exists: bool,
}

impl SessionMapFile {
    /// Returns the path for reading; writing needs [`Self::map`].
    pub fn file(&self) -> Option<&Path> {
        self.map.as_ref().map(MapPath::path)
    }
}

impl Workspace {
    /// Returns the top of the worktree, else the root of the reviews.
    pub fn top(&self) -> PathBuf {
        self.worktree_top().unwrap_or(&self.reviews.root).to_owned()
    }

    /// Returns the top of the worktree, if there is one.
    pub fn worktree_top(&self) -> Option<&Path> {
        self.git.as_ref()?.top.as_deref()
    }

    /// Returns the path of the root of the checkpoints below the top of the worktree that contains it; else an empty path.
    pub fn checkpoints_below(&self) -> PathBuf {
        let worktrees = self.git.as_ref().map(RepoDirs::worktrees).unwrap_or_default();
        let below =
            |one: &Worktree| Some(self.checkpoints.root.strip_prefix(&one.top).ok()?.to_owned());
        // A worktree may be inside another one.
        worktrees
            .iter()
            .filter_map(below)
            .min_by_key(|path| path.components().count())
            .unwrap_or_default()
    }

    /// Returns the directory of checkpoints if it is outside the repository, as in a directory above.
    pub fn checkpoints_outside(&self) -> Option<PathBuf> {
        let git = self.git.as_ref()?;
        let holder = RepoDirs::discover(&self.checkpoints.root).ok().flatten();
        let is_outside = holder.is_none_or(|holder| holder.common_dir != git.common_dir);
        is_outside.then(|| self.checkpoints.threads())
    }

    /// Converts a path relative to the current directory into one relative to the root of the reviews.
    ///
    /// None if it is outside the root; the root itself is the empty path.
    pub fn relative_to_root(&self, path: &str) -> Option<String> {
        let root = self.reviews.root.canonicalize().ok()?;
        let absolute = lexical(&self.env.dir.canonicalize().ok()?.join(path));
        let below = |path: &Path| Some(path.strip_prefix(&root).ok()?.display().to_string());
        // An absolute path may reach the root through a symbolic link.
        let real = || Some(absolute.parent()?.canonicalize().ok()?.join(absolute.file_name()?));
        below(&absolute).or_else(|| below(&real()?))
    }

    /// Returns the repository whose worktree contains the reviews.
    pub fn repo(&self) -> Option<Repo> {
        let layout = self.git.as_ref()?;
        self.prefix_in(layout)?;
        Repo::new(layout)
    }

    /// Converts a path relative to the root of the reviews into an absolute one.
    pub fn absolute(&self, path: &str) -> String {
        self.reviews.root.join(path).display().to_string()
    }

    /// Returns the paths that Skein uses in the worktree, which are never part of a change.
    pub fn own_paths(&self) -> Vec<String> {
        let mut own = vec![format!("{}{}", self.prefix(), self.reviews.store_path)];
        let top = self.worktree_top();
        if self.checkpoints.exists {
            let dirs = [self.checkpoints.threads(), self.checkpoints.legacy()];
            let below = |dir: &PathBuf| Some(dir.strip_prefix(top?).ok()?.to_str()?.to_owned());
            own.extend(dirs.iter().filter_map(below));
        }
        own
    }

    /// Returns the path of the root of the reviews below the top of the repository, with a trailing slash.
    pub fn prefix(&self) -> String {
        self.git.as_ref().and_then(|git| self.prefix_in(git)).unwrap_or_default()
    }

    fn prefix_in(&self, layout: &RepoDirs) -> Option<String> {
        let root = self.reviews.root.canonicalize().ok()?;
        let below = root.strip_prefix(layout.top.as_deref()?).ok()?.to_str()?;
        Some(if below.is_empty() { String::new() } else { format!("{below}/") })
    }

    /// Returns the state and cache directories of this workspace.
    pub fn dirs(&self) -> RootDirs {
        self.env.root_dirs(&self.reviews.root)
    }

    /// Returns the state and cache directories of the current worktree, or of the root of the checkpoints without one.
    pub fn worktree_dirs(&self) -> RootDirs {
        self.env.root_dirs(self.worktree_top().unwrap_or(&self.checkpoints.root))
    }

    /// Returns the user's state directory of a root, if this process is in a sandbox and reads it beside its own.
    pub fn state_outside(&self, own: &RootDirs) -> Option<PathBuf> {
        let outside = self.env.dirs.read_only.as_ref()?.join(own.state.file_name()?);
        Some(outside).filter(|dir| dir.is_dir())
    }

    /// Opens what a sandboxed agent left in this worktree; none in the sandbox itself.
    pub fn sandbox(&self) -> Option<SandboxDir> {
        let is_outside = self.env.dirs.read_only.is_none();
        self.worktree_top().filter(|_| is_outside).and_then(SandboxDir::open)
    }

    /// Returns whether no store exists.
    pub fn is_fresh(&self) -> bool {
        !self.reviews.exists && !self.checkpoints.exists && !self.sessions.exists
    }
}
