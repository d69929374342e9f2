//! The states of the files that were recorded when reviews were submitted.

use std::path::Path;

use skein_format::time::Time;
use skein_git::{Ref, Repo, RunError};
use skein_workspace::Workspace;

/// The prefix of the references, which earlier versions kept in the user's repository.
pub const REFERENCES: &str = "refs/skein/submit";

/// Returns the submissions of a root by name, those of earlier versions first.
pub fn all(workspace: &Workspace, repo: &Repo) -> Result<Vec<Ref>, RunError> {
    let prefix = prefix(workspace);
    let mut all = repo.refs(&prefix)?;
    all.extend(repo.submissions().refs(&prefix)?);
    Ok(all)
}

/// Returns the prefix of this worktree's references; worktrees share the repository of the submissions.
pub fn prefix(workspace: &Workspace) -> String {
    prefix_of(&workspace.dirs().state)
}

/// Returns the prefix of the references of a state directory.
pub fn prefix_of(state: &Path) -> String {
    let key = state.file_name().and_then(|name| name.to_str()).unwrap_or("root");
    format!("{REFERENCES}/{key}")
}

/// Returns whether a submission is not older than a time.
pub fn is_since(round: &Ref, time: Time) -> bool {
    round.name.rsplit('/').next().is_some_and(|stamp| *stamp >= *time.compact())
}
