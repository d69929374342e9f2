use std::path::{Component, Path, PathBuf};

use skein_model::normalize_path::lexical;
use skein_workspace::{Env, Workspace};

/// What paths of checkpoints count from.
pub(super) struct PathRoots {
    reviews: PathBuf,
    all: Vec<PathBuf>,
    home: Option<PathBuf>,
}

impl PathRoots {
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
