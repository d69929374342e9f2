//! How directories are written down.

use std::path::{Component, Path, PathBuf};

use skein_workspace::env::canonical;
use skein_workspace::{Env, Workspace};

/// Returns the root of the checkpoints, below `~` where it is.
pub(super) fn root(workspace: &Workspace, env: &Env) -> String {
    tilde(&canonical(&workspace.checkpoints.root), env)
}

/// Returns the current directory, relative to the root where it is below it.
pub(super) fn here(workspace: &Workspace, env: &Env) -> String {
    let dir = canonical(&env.dir);
    match dir.strip_prefix(canonical(&workspace.checkpoints.root)) {
        Ok(below) if below.as_os_str().is_empty() => ".".to_owned(),
        Ok(below) => below.display().to_string(),
        Err(_) => tilde(&dir, env),
    }
}

/// Returns a path below `~` where it is below the home directory.
pub(super) fn tilde(path: &Path, env: &Env) -> String {
    let homes = env.home.iter().flat_map(|home| [home.clone(), canonical(home)]);
    let below = homes.into_iter().find_map(|home| path.strip_prefix(home).ok());
    match below {
        Some(below) if below.as_os_str().is_empty() => "~".to_owned(),
        Some(below) => format!("~/{}", below.display()),
        None => path.display().to_string(),
    }
}

/// Puts the home directory in the place of `~`, which is stored as it was written.
pub fn expand(path: &str, env: &Env) -> PathBuf {
    match (path.strip_prefix('~'), &env.home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
            home.join(rest.trim_start_matches('/'))
        }
        _ => PathBuf::from(path),
    }
}

/// Formats paths of files for checkpoints; they are given relative to the current directory.
pub(super) struct PathFormatter<'e> {
    env: &'e Env,
    here: PathBuf,
    roots: Vec<PathBuf>,
}

impl<'e> PathFormatter<'e> {
    /// Resolves the directories, once for all files.
    pub(super) fn new(workspace: &Workspace, env: &'e Env) -> Self {
        let top = workspace.worktree_top().map(Path::to_owned);
        let roots = top.into_iter().chain([canonical(&workspace.checkpoints.root)]).collect();
        Self { env, here: canonical(&env.dir), roots }
    }

    /// Returns a file as checkpoints name it: from the top of the worktree, or from the root of the checkpoints.
    ///
    /// `~` stays as it is; a path that is neither below the one nor the other is written below `~`, or whole.
    pub(super) fn file(&self, path: &str) -> String {
        if path == "~" || path.starts_with("~/") {
            return path.to_owned();
        }
        let mut absolute = self.here.clone();
        for part in Path::new(path).components() {
            match part {
                Component::ParentDir => drop(absolute.pop()),
                Component::CurDir => {}
                part => absolute.push(part),
            }
        }
        let below = self.roots.iter().find_map(|root| {
            let below = absolute.strip_prefix(root).ok()?.display().to_string();
            (!below.is_empty()).then_some(below)
        });
        below.unwrap_or_else(|| tilde(&absolute, self.env))
    }
}
