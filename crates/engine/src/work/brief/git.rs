//! The repository then and now.

use std::time::Instant;

use serde::Serialize;
use skein_format::checkpoint::Checkpoint;
use skein_format::redact::redact_url;
use skein_git::{CommitId, Head, Repo, RunError as GitError};

use super::circumstances::Scene;
use super::files::Touched;
use crate::discover::Workspace;
use crate::read::checkpoint::clean;

/// How many commits are named.
const NAMED: usize = 20;

/// The repository as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GitThen {
    /// The branch.
    pub branch: Option<String>,
    /// The commit, as written.
    pub commit: Option<String>,
    /// Whether there were uncommitted changes.
    pub dirty: Option<bool>,
    /// Where it came from.
    pub remote_url: Option<String>,
}

/// The repository as it is, and what happened in between.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct GitSince {
    /// The top of its worktree.
    pub top: String,
    /// What is checked out.
    pub branch: String,
    /// The commit, in seven digits.
    pub commit: Option<String>,
    /// Whether there are uncommitted changes; none where git does not tell.
    pub dirty: Option<bool>,
    /// The number of commits since then; none where the commit of then is not known here.
    pub commits_since: Option<usize>,
    /// The number of commits of then that are not part of what is checked out.
    pub commits_missing: Option<usize>,
    /// The last of the commits since, the latest first.
    pub commits: Vec<Made>,
    /// Why less is known than could be.
    pub note: Option<String>,
}

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Made {
    /// Its id, in seven digits.
    pub id: String,
    /// The first line of its message.
    pub subject: String,
}

/// Returns what the checkpoint says.
pub(super) fn then(head: &Checkpoint) -> Option<GitThen> {
    let git = head.git.as_ref()?;
    let branch = git.branch.clone().map(clean);
    let commit = git.current_commit.clone().map(clean);
    let remote_url = git.remote_url.as_deref().map(redact_url);
    Some(GitThen { branch, commit, dirty: git.dirty, remote_url })
}

/// Asks git what is different, and marks the files that changed.
pub(super) fn since(
    workspace: &Workspace,
    scene: &Scene,
    head: &Checkpoint,
    files: &mut [Touched],
    until: Option<Instant>,
) -> Option<GitSince> {
    let layout = scene.git.as_ref()?;
    let repo = Repo::new(layout)?;
    let repo = match until {
        Some(until) => repo.until(until),
        None => repo,
    };
    let mut now = GitSince {
        top: repo.top().display().to_string(),
        branch: match layout.head() {
            Head::Detached { .. } => "a detached commit".to_owned(),
            head => clean(head.label()),
        },
        ..GitSince::default()
    };
    if let Err(error) = ask(&repo, workspace, head, files, &mut now) {
        now.note = Some(match error {
            GitError::Missing { .. } => {
                "git is not installed, so nothing is known of the changes".to_owned()
            }
            GitError::Late { .. } => {
                "there was no time to ask git for all of it: what is not said here is not known"
                    .to_owned()
            }
            error => clean(error.to_string()),
        });
    }
    Some(now)
}

fn ask(
    repo: &Repo,
    workspace: &Workspace,
    head: &Checkpoint,
    files: &mut [Touched],
    now: &mut GitSince,
) -> Result<(), GitError> {
    let current = repo.head_commit()?;
    now.commit = current.as_ref().map(|commit| commit.short().to_owned());
    let written = head.git.as_ref().and_then(|git| git.current_commit.as_deref());
    let then = written.map_or(Ok(None), |written| resolve(repo, written))?;
    if let (Some(written), None) = (written, &then) {
        let written = clean(written.to_owned());
        now.note = Some(format!("the commit {written} is not known in this repository"));
    }
    if let (Some(then), Some(_)) = (&then, &current) {
        let history = repo.history_since(then, NAMED)?;
        now.commits_since = Some(history.ahead);
        now.commits_missing = Some(history.behind);
        let made = |entry: skein_git::Made| Made {
            id: entry.id.short().to_owned(),
            subject: clean(entry.subject),
        };
        now.commits = history.commits.into_iter().map(made).collect();
    }
    // What looks at the files comes last, since it takes the longer the more there are.
    now.dirty = Some(repo.is_dirty(&workspace.own_paths())?);
    then.map_or(Ok(()), |then| mark(repo, &then, files))
}

/// Only digits are taken for a commit: a word would be a branch, which moves.
fn resolve(repo: &Repo, written: &str) -> Result<Option<CommitId>, GitError> {
    let digits = written.len() >= 4 && written.bytes().all(|byte| byte.is_ascii_hexdigit());
    if digits { repo.resolve(written) } else { Ok(None) }
}

/// Marks the files that differ from what they were at the commit.
fn mark(repo: &Repo, then: &CommitId, files: &mut [Touched]) -> Result<(), GitError> {
    let below = |file: &Touched| -> Vec<String> {
        let paths = file.places.iter().filter_map(|place| place.strip_prefix(repo.top()).ok());
        let paths = paths.filter_map(|path| path.to_str()).filter(|path| !path.is_empty());
        paths.map(str::to_owned).collect()
    };
    let mut paths: Vec<String> = files.iter().flat_map(below).collect();
    paths.sort_unstable();
    paths.dedup();
    let changed = repo.changed_among(then, &paths)?;
    for file in files {
        let own = below(file);
        let is_changed = own.iter().any(|path| changed.contains(path));
        file.shown.changed = (!own.is_empty()).then_some(is_changed);
    }
    Ok(())
}
