//! Formats paths for checkpoints.

use std::path::{Component, Path, PathBuf};

use skein_workspace::env::canonical;
use skein_workspace::{Env, Workspace};

/// Returns the root of the checkpoints, with `~` for the home directory.
pub(super) fn root(workspace: &Workspace) -> String {
    tilde(&canonical(&workspace.checkpoints.root), &workspace.env)
}

/// Returns the current directory, relative to the root of the checkpoints if it is below it.
pub(super) fn here(workspace: &Workspace) -> String {
    let dir = canonical(&workspace.env.dir);
    match dir.strip_prefix(canonical(&workspace.checkpoints.root)) {
        Ok(below) if below.as_os_str().is_empty() => ".".to_owned(),
        Ok(below) => below.display().to_string(),
        Err(_) => tilde(&dir, &workspace.env),
    }
}

/// Returns a path with `~` for the home directory.
pub(super) fn tilde(path: &Path, env: &Env) -> String {
    let homes = env.home.iter().flat_map(|home| [home.clone(), canonical(home)]);
    let below = homes.into_iter().find_map(|home| path.strip_prefix(home).ok());
    match below {
        Some(below) if below.as_os_str().is_empty() => "~".to_owned(),
        Some(below) => format!("~/{}", below.display()),
        None => path.display().to_string(),
    }
}

/// Replaces a leading `~` by the home directory.
pub fn expand(path: &str, env: &Env) -> PathBuf {
    match (path.strip_prefix('~'), &env.home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
            home.join(rest.trim_start_matches('/'))
        }
        _ => PathBuf::from(path),
    }
}

/// Formats paths of files, which are given relative to the current directory.
pub(super) struct PathFormatter<'e> {
    env: &'e Env,
    here: PathBuf,
    roots: Vec<PathBuf>,
}

impl<'e> PathFormatter<'e> {
    /// Resolves the directories once for all files.
    pub(super) fn new(workspace: &'e Workspace) -> Self {
        let top = workspace.worktree_top().map(Path::to_owned);
        let roots = top.into_iter().chain([canonical(&workspace.checkpoints.root)]).collect();
        Self { env: &workspace.env, here: canonical(&workspace.env.dir), roots }
    }

    /// Returns the path of a file relative to the top of the worktree, or to the root of the checkpoints.
    ///
    /// A path that starts with `~` is unchanged; one outside both directories starts with `~` or is absolute.
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
