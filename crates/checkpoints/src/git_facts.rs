//! The current state of the repository.

use std::time::Duration;

use skein_format::checkpoint::NewGit;
use skein_git::{CommitId, Head, Repo, RepoDirs, RunError};
use skein_workspace::Workspace;

use super::agent_session::Session;
use super::knowledge_repos;
use super::select::Offers;

/// Maximum number of commits listed in a checkpoint.
const MAX_COMMITS: usize = 200;
/// Maximum number of files from git listed in a checkpoint.
const MAX_FILES: usize = 5000;
/// How long git may take to check for uncommitted changes.
const DIRTY: Duration = Duration::from_secs(10);

/// The state of the repository.
#[derive(Debug, Default)]
pub(crate) struct GitFacts {
    /// None without a repository.
    pub(super) git: Option<NewGit>,
    /// The touched files, relative to the top of the worktree.
    pub(super) files: Vec<String>,
    /// Notes for the user, one line each.
    pub(super) notes: Vec<String>,
}

/// Returns the facts for a full checkpoint; unknown ones are left out.
pub(super) fn full(workspace: &Workspace, session: &Session) -> GitFacts {
    let mut facts = GitFacts::default();
    let knowledge_repos = knowledge_repos::repos(&workspace.checkpoints.root);
    let mut git = NewGit { knowledge_repos, ..NewGit::default() };
    if let Some(layout) = &workspace.git {
        let repo = Repo::new(layout);
        let (branch, commit) = checked_out(layout, repo.as_ref());
        git.branch = branch;
        git.current_commit = commit.as_ref().map(|commit| commit.short().to_owned());
        let initial = session.initial_commit.as_deref().and_then(CommitId::parse);
        // Without a session the work starts at the commit of the last checkpoint of this worktree, or at HEAD.
        let began = || repo.as_ref().and_then(|repo| last_commit(workspace, repo));
        let initial = initial.or_else(began).or(commit);
        if let Some(repo) = repo {
            git.initial_commit = initial.as_ref().map(|commit| commit.short().to_owned());
            of_repo(&mut git, &mut facts, workspace, &repo, initial.as_ref());
            // An assumed first commit is of no use without the commits made since.
            if session.initial_commit.is_none() && git.commits_made.is_none() {
                git.initial_commit = None;
            }
        }
    }
    facts.git = Some(git).filter(|git| *git != NewGit::default());
    facts
}

/// Returns the commit of the last checkpoint of this worktree, if HEAD descends from it.
fn last_commit(workspace: &Workspace, repo: &Repo) -> Option<CommitId> {
    let written = Offers::latest(workspace, None).last_commit_here()?.to_owned();
    let is_digits = written.bytes().all(|byte| byte.is_ascii_hexdigit());
    let commit = repo.resolve(&written).ok().flatten().filter(|_| is_digits)?;
    let history = repo.history_since(&commit, 0).ok()?;
    (history.behind == 0).then_some(commit)
}

fn of_repo(
    git: &mut NewGit,
    facts: &mut GitFacts,
    workspace: &Workspace,
    repo: &Repo,
    initial: Option<&CommitId>,
) {
    // Facts that git cannot provide are left out.
    let own = own_paths(workspace);
    let remote = repo.remote_url();
    if let Err(error @ RunError::Missing { .. }) = &remote {
        facts.notes.push(format!("The changed files are unknown: {error}"));
    }
    git.remote_url = remote.ok().flatten();
    git.dirty = repo.is_dirty_within(DIRTY, &own);
    if let Some(made) = initial.and_then(|base| repo.commits_since(base, MAX_COMMITS).ok()) {
        let shown = made.iter().map(|made| format!("{}: {}", made.id.short(), made.subject));
        git.commits_made = Some(shown.collect());
        if made.len() == MAX_COMMITS {
            facts.notes.push(format!("Only the last {MAX_COMMITS} commits are named."));
        }
    }
    let since = initial.and_then(|base| repo.touched_since(base, &own).ok());
    facts.files = since.or_else(|| repo.status_paths(&own).ok()).unwrap_or_default();
    let more = facts.files.len().saturating_sub(MAX_FILES);
    if more > 0 {
        facts.files.truncate(MAX_FILES);
        facts.notes.push(format!("{more} more changed files are not listed."));
    }
}

/// Returns the branch and the commit of an auto-checkpoint, which may be about an earlier commit than the one that is checked out.
pub(super) fn head(workspace: &Workspace, about: Option<&CommitId>) -> Option<NewGit> {
    let layout = workspace.git.as_ref()?;
    let (branch, commit) = checked_out(layout, None);
    let commit = about.or(commit.as_ref());
    let current_commit = commit.map(|commit| commit.short().to_owned());
    let git = NewGit { branch, current_commit, ..NewGit::default() };
    Some(git).filter(|git| *git != NewGit::default())
}

/// Returns the paths that Skein uses in the worktree, existing or not.
pub(super) fn own_paths(workspace: &Workspace) -> Vec<String> {
    let mut own = workspace.own_paths();
    let top = workspace.worktree_top();
    let threads = workspace.checkpoints.threads();
    let below = top.and_then(|top| Some(threads.strip_prefix(top).ok()?.to_str()?.to_owned()));
    own.extend(below.filter(|below| !own.contains(below)));
    own
}

/// Returns the branch and the commit that are checked out; runs git only if its files are not sufficient.
fn checked_out(dirs: &RepoDirs, git: Option<&Repo>) -> (Option<String>, Option<CommitId>) {
    let (branch, commit) = match dirs.head() {
        Head::Branch { name } => (Some(name), dirs.head_commit()),
        Head::Detached { commit } => (None, Some(commit)),
        Head::Unknown => (git.and_then(|git| git.head_branch().ok()?), dirs.head_commit()),
    };
    (branch, commit.or_else(|| git?.head_commit().ok()?))
}
