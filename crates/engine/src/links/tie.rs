use std::path::{Component, Path, PathBuf};

use skein_format::checkpoint::CheckpointDoc;
use skein_format::redact::redacted;

use crate::discover::Workspace;
use crate::env::Env;
use crate::lexical::lexical;

/// More files of one checkpoint than this lead nowhere.
const MOST_FILES: usize = 300;

/// What sets off the checkpoint of a commit, which names the commit as the one that is checked out.
const BY_COMMIT: &str = "git-commit";

/// What connects a checkpoint to other things.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tie {
    /// The files that it touched, as written and without secrets.
    pub files: Vec<String>,
    /// The commits that were made, as written: the digits, and what the commit says.
    pub commits: Vec<String>,
    /// The agent's session.
    pub session: Option<String>,
}

impl Tie {
    /// Reads what a checkpoint says.
    pub(crate) fn of(doc: &CheckpointDoc) -> Self {
        let files = doc.files().into_iter().take(MOST_FILES);
        let mut commits: Vec<String> = doc.commits().into_iter().map(redacted).collect();
        if doc.head().trigger.as_deref() == Some(BY_COMMIT) {
            let git = doc.head().git.as_ref();
            commits.extend(git.and_then(|git| git.current_commit.clone()));
        }
        Self {
            files: files.map(|file| redacted(file.path)).collect(),
            commits,
            session: doc.head().session_id.clone().filter(|id| !id.trim().is_empty()),
        }
    }
}

/// What paths of checkpoints count from.
pub(super) struct Roots {
    reviews: PathBuf,
    all: Vec<PathBuf>,
    home: Option<PathBuf>,
}

impl Roots {
    pub(super) fn new(workspace: &Workspace, env: &Env) -> Self {
        let reviews = workspace.reviews.root.clone();
        let top = workspace.git.as_ref().and_then(|git| git.top.clone());
        let checkpoints = workspace.checkpoints.root.clone();
        let mut all: Vec<PathBuf> = top.into_iter().chain([checkpoints, reviews.clone()]).collect();
        all.dedup();
        Self { reviews, all, home: env.home.clone() }
    }

    /// Returns the paths from the root of the reviews that a path of a checkpoint may mean; none for one that climbs.
    pub(super) fn below(&self, path: &str) -> Vec<String> {
        let expanded = match (path.strip_prefix("~/"), &self.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => PathBuf::from(path),
        };
        if expanded.components().any(|part| part == Component::ParentDir) {
            return Vec::new();
        }
        let below = |root: &PathBuf| {
            let whole = lexical(&root.join(&expanded));
            whole.strip_prefix(&self.reviews).ok().and_then(Path::to_str).map(str::to_owned)
        };
        let mut all: Vec<String> = self.all.iter().filter_map(below).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}
