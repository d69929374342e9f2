//! The changes under review.

use std::path::{Path, PathBuf};

use skein_catalog::{UnknownPath, resolve_file};
use skein_format::path::WorkspacePath;
use skein_git::{CommitId, DiffOptions, DiffSide, FileDiff, Repo, RunError};
use skein_model::Filter;
use skein_workspace::Workspace;

use super::submission;

/// Selects the changes to show.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChangesQuery {
    /// A revision to compare the files with, or two with `..` or `...` between them.
    pub base: Option<String>,
    /// Whether the index is compared with HEAD.
    pub staged: bool,
    /// Whether the files are compared with their state at the last submission.
    pub since_submit: bool,
    /// The files and directories to compare, relative to the current directory; all if there are none.
    pub paths: Vec<String>,
}

/// The differences between two sides.
#[derive(Clone, Debug)]
pub(super) struct Changes {
    pub(super) sides: DiffSides,
    /// The changed files, with paths relative to the top of the repository.
    pub(super) files: Vec<FileDiff>,
    /// The path of the root of the reviews below that top, with a trailing slash.
    prefix: String,
}

/// Why there is nothing to compare.
#[derive(Debug, thiserror::Error)]
pub enum ChangesError {
    #[error("not a git repository: {}", dir.display())]
    NoRepository { dir: PathBuf },
    #[error("this is a bare repository; it has no working tree: {}", dir.display())]
    Bare { dir: PathBuf },
    #[error("unknown revision: {text}")]
    NoCommit { text: String },
    /// A file was named where a commit is expected.
    #[error("a file, not a revision: {path}")]
    FileAsBase { path: String },
    #[error("no common ancestor: {a} and {b}")]
    NoMergeBase { a: String, b: String },
    #[error("no review was submitted here yet")]
    NoRound,
    #[error("the path is outside the workspace: {path}")]
    Outside { path: String },
    #[error(transparent)]
    Unknown(#[from] UnknownPath),
    #[error("git cannot compare the files")]
    Git(#[from] RunError),
}

/// The two sides of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffSides {
    /// Describes the comparison for the user.
    pub(crate) title: String,
    old: DiffSide,
    pub new: DiffSide,
    holds: Validity,
}

/// How long the sides of a comparison are valid, if the repository does not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Validity {
    /// Independent of the files.
    Always,
    /// While some file differs from HEAD.
    WhileDirty,
    /// While all files are equal to HEAD.
    WhileClean,
}

impl DiffSides {
    fn between(title: String, old: DiffSide, new: DiffSide) -> Self {
        Self { title, old, new, holds: Validity::Always }
    }

    /// Returns whether the sides are still valid after files have changed; `some_differ` is whether some differ from HEAD.
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

/// Checks that there is something to compare with, without comparing.
pub fn check_changes(workspace: &Workspace, query: &ChangesQuery) -> Result<(), ChangesError> {
    let repo = repo(workspace)?;
    sides(workspace, &repo, query, &workspace.own_paths()).map(drop)
}

/// Compares files; by default uncommitted changes, else those of the branch.
pub(super) fn changes(
    workspace: &Workspace,
    query: &ChangesQuery,
) -> Result<Changes, ChangesError> {
    let repo = repo(workspace)?;
    let exclude = workspace.own_paths();
    let sides = sides(workspace, &repo, query, &exclude)?;
    let paths = query.paths.iter().map(|path| below_top(workspace, path));
    let paths = paths.collect::<Result<Vec<String>, ChangesError>>()?;
    let changes = between(workspace, &repo, sides, &paths)?;
    for (path, typed) in paths.iter().zip(&query.paths) {
        let is_on = |changed: &str| Path::new(changed).starts_with(path);
        let changed =
            |file: &FileDiff| is_on(file.path()) || file.old_path.as_deref().is_some_and(is_on);
        let exists = repo.top().join(path).symlink_metadata().is_ok();
        if !exists && !changes.files.iter().any(changed) {
            let mut filter = Filter { file: Some(typed.clone()), ..Filter::default() };
            resolve_file(workspace, &mut filter)?;
        }
    }
    Ok(changes)
}

/// Compares files of two sides, by their paths from the top of the repository; all files if `paths` is empty.
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
    repo: &Repo,
    query: &ChangesQuery,
    exclude: &[String],
) -> Result<DiffSides, ChangesError> {
    if query.since_submit {
        let (name, tree) = submission::last(workspace, repo)?.ok_or(ChangesError::NoRound)?;
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
        (Some(base), head) => {
            named(repo, base, head.as_ref()).map_err(|error| file_as_base(workspace, error))
        }
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

/// Returns a better error if what is not a revision is a file.
fn file_as_base(workspace: &Workspace, error: ChangesError) -> ChangesError {
    match error {
        ChangesError::NoCommit { text } if workspace.env.dir.join(&text).exists() => {
            ChangesError::FileAsBase { path: text }
        }
        error => error,
    }
}

/// Returns the sides for a clean worktree: the changes of its branch.
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
        format!("{clean}, and {} contains this commit", branch.name)
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

fn below_top(workspace: &Workspace, path: &str) -> Result<String, ChangesError> {
    let outside = || ChangesError::Outside { path: path.to_owned() };
    let below = workspace.relative_to_root(path).ok_or_else(outside)?;
    let prefix = workspace.prefix();
    if below.is_empty() {
        let root = prefix.trim_end_matches('/');
        return Ok(if root.is_empty() { "." } else { root }.to_owned());
    }
    let safe = WorkspacePath::parse(&below, "").map_err(|_| outside())?;
    Ok(format!("{prefix}{safe}"))
}

impl Changes {
    /// Returns the path of a file relative to the root of the reviews; none for a file outside it.
    pub(super) fn below_root<'a>(&self, path: &'a str) -> Option<&'a str> {
        path.strip_prefix(self.prefix.as_str())
    }
}
