//! Files that an agent creates in directories for generated files, which are a setting.

use std::path::{Path, PathBuf};

use skein_model::normalize_path::lexical;
use skein_workspace::Workspace;

/// A file in a directory for generated files.
pub(super) struct Generated {
    /// Its path relative to the root.
    pub(super) name: String,
    /// Its absolute path.
    pub(super) path: PathBuf,
}

/// Returns a file if it is in a directory for generated files, below the root of the checkpoints or of the worktree.
pub(super) fn find(workspace: &Workspace, file: &str) -> Option<Generated> {
    let path = lexical(&workspace.env.dir.join(file));
    let top = workspace.git.as_ref().and_then(|git| git.top.as_deref());
    let roots = [Some(workspace.checkpoints.root.as_path()), top];
    let folders = workspace.settings.generated();
    let paths = [path.clone(), real(&path)?];
    roots.into_iter().flatten().find_map(|root| {
        let below = paths.iter().find_map(|one| one.strip_prefix(root).ok())?;
        let inside = folders.iter().any(|folder| is_inside(folder, below));
        inside.then(|| Generated { name: below.display().to_string(), path: path.clone() })
    })
}

fn is_inside(folder: &str, path: &Path) -> bool {
    let mut parts = path.iter();
    let mut names = folder.split('/').filter(|name| !matches!(*name, "" | "."));
    let matches = names.all(|name| parts.next().is_some_and(|part| name == "*" || part == name));
    // The directory itself is not a match.
    matches && parts.next().is_some()
}

/// Resolves symbolic links in the directory of a file.
fn real(path: &Path) -> Option<PathBuf> {
    let dir = path.parent()?;
    let dir = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    Some(dir.join(path.file_name()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_pattern_may_contain_a_wildcard() {
        let check = |folder: &str, path: &str| is_inside(folder, Path::new(path));
        assert!(check("workspace/reports", "workspace/reports/a.md"));
        assert!(check("workspace/reports/", "workspace/reports/deep/a.md"));
        assert!(check("companies/*/data", "companies/acme/data/a.csv"));
        assert!(!check("companies/*/data", "companies/data/a.csv"));
        assert!(!check("workspace/reports", "workspace/reports"));
        assert!(!check("workspace/reports", "workspace/reports.md"));
    }
}
