//! The repository at the time of the checkpoint and now.

use std::time::Instant;

use serde::Serialize;
use skein_format::checkpoint::Checkpoint;
use skein_format::redact::{redact_url, redacted};
use skein_git::{CommitId, Head, Repo, RunError as GitError};
use skein_workspace::Workspace;
use skein_workspace::repository_summary::{changes, state};

use super::context::PathContext;
use super::files::Touched;

/// Maximum number of commits listed.
const MAX_COMMITS: usize = 20;

/// The state of the repository in the checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GitAtSave {
    /// The branch.
    pub branch: Option<String>,
    /// The commit, as written.
    pub commit: Option<String>,
    /// Whether there were uncommitted changes.
    pub dirty: Option<bool>,
    /// The URL of the remote.
    pub remote_url: Option<String>,
}

/// The current state of the repository, and the changes since the checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct GitNow {
    /// The top of its worktree.
    pub top: String,
    /// The branch that is checked out.
    pub branch: String,
    /// The commit, in seven digits.
    pub commit: Option<String>,
    /// Whether there are uncommitted changes; none if unknown.
    pub dirty: Option<bool>,
    /// The number of commits made since the checkpoint; none if its commit is unknown here.
    pub commits_since: Option<usize>,
    /// The number of commits of the checkpoint's history that are not in the current history.
    pub commits_missing: Option<usize>,
    /// The latest of the commits since, latest first.
    pub commits: Vec<CommitInfo>,
    /// The branch of the checkpoint, if the commits are compared with it instead of HEAD.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compared_with: Option<String>,
    /// Why some values are unknown.
    pub note: Option<String>,
    /// Whether HEAD is detached.
    #[serde(skip)]
    is_detached: bool,
    /// Whether git did not answer in time.
    #[serde(skip)]
    pub(super) is_late: bool,
    /// Whether git answered.
    #[serde(skip)]
    is_told: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CommitInfo {
    /// Its id, in seven digits.
    pub id: String,
    /// The first line of its message.
    pub subject: String,
}

/// Returns the state of the repository in the checkpoint.
pub(super) fn then(head: &Checkpoint) -> Option<GitAtSave> {
    let git = head.git.as_ref()?;
    let branch = git.branch.clone().map(redacted);
    let commit = git.current_commit.clone().map(redacted);
    let remote_url = git.remote_url.as_deref().map(redact_url);
    Some(GitAtSave { branch, commit, dirty: git.dirty, remote_url })
}

/// Compares the repository with the checkpoint, and marks the files that changed.
pub(super) fn since(
    workspace: &Workspace,
    scene: &PathContext,
    head: &Checkpoint,
    files: &mut [Touched],
    until: Option<Instant>,
) -> Option<GitNow> {
    let layout = scene.git.as_ref()?;
    let repo = Repo::new(layout)?;
    let repo = match until {
        Some(until) => repo.until(until),
        None => repo,
    };
    let mut now = GitNow {
        top: repo.top().display().to_string(),
        branch: redacted(layout.head().label()),
        is_detached: matches!(layout.head(), Head::Detached { .. }),
        commit: layout.head_commit().map(|commit| commit.short().to_owned()),
        ..GitNow::default()
    };
    match ask(&repo, workspace, head, files, &mut now) {
        Ok(()) => now.is_told = true,
        Err(GitError::Missing { .. }) => {
            let reason = "git is not in the PATH, so it is not known what changed since then";
            now.note = Some(reason.to_owned());
        }
        Err(GitError::Late { .. }) => {
            now.is_late = true;
            let reason = "git did not answer in time; this section is incomplete";
            now.note = Some(reason.to_owned());
        }
        Err(error) => {
            let reason = format!("git could not be asked what changed since then: {error}");
            now.note = Some(redacted(reason));
        }
    }
    Some(now)
}

impl GitNow {
    /// Describes the current state, in the same words as the state in the checkpoint.
    pub(super) fn state(&self) -> String {
        let branch = Some(self.branch.as_str()).filter(|_| !self.is_detached);
        match self.commit.as_deref() {
            // The commit cannot always be read from the files of git.
            None if !self.is_told => format!("{}{}", self.branch, changes(self.dirty)),
            commit => state(branch, commit, self.dirty),
        }
    }
}

fn ask(
    repo: &Repo,
    workspace: &Workspace,
    head: &Checkpoint,
    files: &mut [Touched],
    now: &mut GitNow,
) -> Result<(), GitError> {
    let current = repo.head_commit()?;
    if let Some(current) = &current {
        current.short().clone_into(now.commit.get_or_insert_default());
    }
    let written = head.git.as_ref().and_then(|git| git.current_commit.as_deref());
    let then = written.map_or(Ok(None), |written| resolve(repo, written))?;
    if let (Some(written), None) = (written, &then) {
        let written = redacted(written.to_owned());
        now.note = Some(format!("the commit {written} is not known in this repository"));
    }
    if let (Some(then), Some(_)) = (&then, &current) {
        let history = match other_branch(repo, layout_branch(now), head, then)? {
            Some((branch, tip)) => {
                now.compared_with = Some(redacted(branch));
                repo.history_until(then, &tip, MAX_COMMITS)?
            }
            None => repo.history_since(then, MAX_COMMITS)?,
        };
        now.commits_since = Some(history.ahead);
        now.commits_missing = Some(history.behind);
        let made = |entry: skein_git::CommitRecord| CommitInfo {
            id: entry.id.short().to_owned(),
            subject: redacted(entry.subject),
        };
        now.commits = history.commits.into_iter().map(made).collect();
    }
    // Operations on files come last, because their time grows with the number of files.
    now.dirty = Some(repo.is_dirty(&workspace.own_paths())?);
    then.map_or(Ok(()), |then| mark(repo, &then, files))
}

/// Returns the branch that is checked out.
fn layout_branch(now: &GitNow) -> Option<&str> {
    Some(now.branch.as_str()).filter(|_| !now.is_detached)
}

/// Returns the branch of the checkpoint and its tip, if HEAD is on another branch and does not descend from the checkpoint: commits of
/// HEAD are then unrelated to the work.
fn other_branch(
    repo: &Repo,
    here: Option<&str>,
    head: &Checkpoint,
    then: &CommitId,
) -> Result<Option<(String, CommitId)>, GitError> {
    let branch = head.git.as_ref().and_then(|git| git.branch.clone());
    let Some(branch) = branch.filter(|branch| here != Some(branch.as_str())) else {
        return Ok(None);
    };
    if repo.history_since(then, 0)?.behind == 0 {
        return Ok(None);
    }
    let tip = repo.resolve(&format!("refs/heads/{branch}"))?;
    Ok(tip.map(|tip| (branch, tip)))
}

/// Resolves only hexadecimal ids: a name would be a branch, which moves.
fn resolve(repo: &Repo, written: &str) -> Result<Option<CommitId>, GitError> {
    let digits = written.len() >= 4 && written.bytes().all(|byte| byte.is_ascii_hexdigit());
    if digits { repo.resolve(written) } else { Ok(None) }
}

/// Marks the files that differ from the commit.
fn mark(repo: &Repo, then: &CommitId, files: &mut [Touched]) -> Result<(), GitError> {
    let below = |file: &Touched| -> Vec<String> {
        let paths = file.places.iter().filter_map(|place| place.strip_prefix(repo.top()).ok());
        let paths = paths.filter_map(|path| path.to_str()).filter(|path| !path.is_empty());
        paths.map(str::to_owned).collect()
    };
    if files.iter().all(|file| below(file).is_empty()) {
        return Ok(());
    }
    let changed = repo.changed_since(then)?;
    for file in files {
        let own = below(file);
        let is_changed = own.iter().any(|path| changed.contains(path));
        file.shown.changed = (!own.is_empty()).then_some(is_changed);
    }
    Ok(())
}
