//! The changes under review.

use std::path::{Path, PathBuf};

use skein_catalog::{UnknownPath, resolve_file};
use skein_format::path::WorkspacePath;
use skein_git::{CommitId, DiffOptions, DiffSide, FileDiff, Repo, RunError};
use skein_model::Filter;
use skein_workspace::{Env, Workspace};

use super::submission;

/// What to compare.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChangesQuery {
    /// A revision to compare the files with, or two with `..` or `...` between them.
    pub base: Option<String>,
    /// Compares what the next commit would hold with the last one.
    pub staged: bool,
    /// Compares the files with their state at the last submission.
    pub since_submit: bool,
    /// The files and directories to compare, relative to the current directory; all if there are none.
    pub paths: Vec<String>,
}

/// How files differ.
#[derive(Clone, Debug)]
pub(super) struct Changes {
    pub(super) sides: DiffSides,
    /// The files, their paths relative to the top of the repository.
    pub(super) files: Vec<FileDiff>,
    /// The root of the reviews below that top, with a slash at its end.
    prefix: String,
}

/// Why there is nothing to compare.
#[derive(Debug, thiserror::Error)]
pub enum ChangesError {
    #[error("not a git repository: {}", dir.display())]
    NoRepository { dir: PathBuf },
    #[error("this is a bare repository; it has no working tree: {}", dir.display())]
    Bare { dir: PathBuf },
    #[error("git knows no commit by this name: {text}")]
    NoCommit { text: String },
    #[error("the two have no commit in common: {a} and {b}")]
    NoMergeBase { a: String, b: String },
    #[error("no review was submitted here yet")]
    NoRound,
    #[error("the path leads out of the workspace: {path}")]
    Outside { path: String },
    #[error(transparent)]
    Unknown(#[from] UnknownPath),
    #[error("git cannot compare the files")]
    Git(#[from] RunError),
}

/// The two sides of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffSides {
    /// Says what is compared with what.
    pub(crate) title: String,
    old: DiffSide,
    pub new: DiffSide,
    holds: Validity,
}

/// For how long the sides of a comparison are the right ones, as long as the repository does not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Validity {
    /// Whatever happens to the files.
    Always,
    /// As long as some file is not as it was committed.
    WhileDirty,
    /// As long as all files are as they were committed.
    WhileClean,
}

impl DiffSides {
    fn between(title: String, old: DiffSide, new: DiffSide) -> Self {
        Self { title, old, new, holds: Validity::Always }
    }

    /// Returns whether the sides are still the right ones when files changed and some differ or none.
    pub fn hold(&self, some_differ: bool) -> bool {
        match self.holds {
            Validity::Always => true,
            Validity::WhileDirty => some_differ,
            Validity::WhileClean => false,
        }
    }
}

fn repo(workspace: &Workspace) -> Result<Repo, ChangesError> {
    let dir = workspace.reviews.root.clone();
    let is_bare = workspace.git.as_ref().is_some_and(|git| git.top.is_none());
    workspace.repo().ok_or(match is_bare {
        true => ChangesError::Bare { dir },
        false => ChangesError::NoRepository { dir },
    })
}

/// Makes sure that there is something to compare with, without comparing.
pub fn check_changes(
    workspace: &Workspace,
    env: &Env,
    query: &ChangesQuery,
) -> Result<(), ChangesError> {
    let repo = repo(workspace)?;
    sides(workspace, env, &repo, query, &workspace.own_paths()).map(drop)
}

/// Compares files as asked: without more, what is not committed, else what the branch has done.
pub(super) fn changes(
    workspace: &Workspace,
    env: &Env,
    query: &ChangesQuery,
) -> Result<Changes, ChangesError> {
    let repo = repo(workspace)?;
    let exclude = workspace.own_paths();
    let sides = sides(workspace, env, &repo, query, &exclude)?;
    let paths = query.paths.iter().map(|path| below_top(workspace, env, path));
    let paths = paths.collect::<Result<Vec<String>, ChangesError>>()?;
    let changes = between(workspace, &repo, sides, &paths)?;
    for (path, typed) in paths.iter().zip(&query.paths) {
        let is_on = |changed: &str| Path::new(changed).starts_with(path);
        let changed =
            |file: &FileDiff| is_on(file.path()) || file.old_path.as_deref().is_some_and(is_on);
        let exists = repo.top().join(path).symlink_metadata().is_ok();
        if !exists && !changes.files.iter().any(changed) {
            let mut filter = Filter { file: Some(typed.clone()), ..Filter::default() };
            resolve_file(workspace, env, &mut filter)?;
        }
    }
    Ok(changes)
}

/// Compares some files of two sides, all where none are named, by their paths from the top of the repository.
pub(super) fn between(
    workspace: &Workspace,
    repo: &Repo,
    sides: DiffSides,
    paths: &[String],
) -> Result<Changes, ChangesError> {
    let options = DiffOptions {
        paths,
        untracked: sides.new == DiffSide::Worktree,
        exclude: &workspace.own_paths(),
        ..DiffOptions::default()
    };
    let files = repo.diff(&sides.old, &sides.new, &options)?;
    Ok(Changes { sides, files, prefix: workspace.prefix() })
}

fn sides(
    workspace: &Workspace,
    env: &Env,
    repo: &Repo,
    query: &ChangesQuery,
    exclude: &[String],
) -> Result<DiffSides, ChangesError> {
    if query.since_submit {
        let (name, tree) = submission::last(workspace, env, repo)?.ok_or(ChangesError::NoRound)?;
        let stamp = name.rsplit('/').next().unwrap_or_default();
        let title = format!("The files against their state at the last submission ({stamp})");
        return Ok(DiffSides::between(title, DiffSide::Tree(tree), DiffSide::Worktree));
    }
    let head = repo.head_commit()?;
    let old = match &head {
        Some(head) => DiffSide::Commit(head.clone()),
        None => DiffSide::Tree(repo.empty_tree()?),
    };
    if query.staged {
        let title = "What is staged, against the last commit".to_owned();
        return Ok(DiffSides::between(title, old, DiffSide::Index));
    }
    match (&query.base, head) {
        (Some(base), head) => named(repo, base, head.as_ref()),
        (None, Some(head)) if !repo.is_dirty(exclude)? => branch(repo, &head),
        (None, _) => {
            let title = "What is not committed, against the last commit".to_owned();
            Ok(DiffSides {
                holds: Validity::WhileDirty,
                ..DiffSides::between(title, old, DiffSide::Worktree)
            })
        }
    }
}

/// A clean worktree shows what its branch has done.
fn branch(repo: &Repo, head: &CommitId) -> Result<DiffSides, ChangesError> {
    let clean = "Nothing is uncommitted";
    let from = |commit: CommitId, title| DiffSides {
        holds: Validity::WhileClean,
        ..DiffSides::between(title, DiffSide::Commit(commit), DiffSide::Worktree)
    };
    let Some(branch) = repo.default_branch()? else {
        return Ok(from(head.clone(), clean.to_owned()));
    };
    let base = repo.merge_base(&branch.commit, head)?.unwrap_or_else(|| head.clone());
    let title = if base == *head {
        format!("{clean}, and {} has all that is here", branch.name)
    } else {
        format!("{clean}; the branch against {} at {}", branch.name, base.short())
    };
    Ok(from(base, title))
}

fn named(repo: &Repo, text: &str, head: Option<&CommitId>) -> Result<DiffSides, ChangesError> {
    let resolve = |text: &str| {
        let name = if text.is_empty() { "HEAD" } else { text };
        let none = || ChangesError::NoCommit { text: name.to_owned() };
        repo.resolve(name)?.ok_or_else(none)
    };
    let common = |a: &CommitId, b: &CommitId| {
        let none = || ChangesError::NoMergeBase { a: a.short().into(), b: b.short().into() };
        repo.merge_base(a, b)?.ok_or_else(none)
    };
    let commits = |old: CommitId, new: CommitId| {
        let title = format!("{} against {}", new.short(), old.short());
        DiffSides::between(title, DiffSide::Commit(old), DiffSide::Commit(new))
    };
    if let Some((a, b)) = text.split_once("...") {
        let (a, b) = (resolve(a)?, resolve(b)?);
        return Ok(commits(common(&a, &b)?, b));
    }
    if let Some((a, b)) = text.split_once("..") {
        return Ok(commits(resolve(a)?, resolve(b)?));
    }
    let commit = resolve(text)?;
    let base = match head {
        Some(head) => common(&commit, head)?,
        None => commit.clone(),
    };
    let title = if base == commit {
        format!("The files against {text} ({})", base.short())
    } else {
        format!("The files against {}, where they left {text}", base.short())
    };
    Ok(DiffSides::between(title, DiffSide::Commit(base), DiffSide::Worktree))
}

fn below_top(workspace: &Workspace, env: &Env, path: &str) -> Result<String, ChangesError> {
    let outside = || ChangesError::Outside { path: path.to_owned() };
    let below = workspace.relative_to_root(env, path).ok_or_else(outside)?;
    let prefix = workspace.prefix();
    if below.is_empty() {
        let root = prefix.trim_end_matches('/');
        return Ok(if root.is_empty() { "." } else { root }.to_owned());
    }
    let safe = WorkspacePath::parse(&below, "").map_err(|_| outside())?;
    Ok(format!("{prefix}{safe}"))
}

impl Changes {
    /// Returns the path of a file from the root of the reviews; none for a file above it.
    pub(super) fn below_root<'a>(&self, path: &'a str) -> Option<&'a str> {
        path.strip_prefix(self.prefix.as_str())
    }
}
