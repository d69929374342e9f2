//! Sets up the stores of a repository, configures git to track and merge them, and undoes that.

mod merge_driver;

use std::path::{Path, PathBuf};

use serde::Serialize;
use skein_catalog::rounds;
use skein_git::{Repo, RunError};
use skein_model::sanitize::shell_word;
use skein_review::{AGENTS_TEXT, SubmitError, WriteError, exclude, index, open, submission};
use skein_store::{remove, remove_empty_dir};
use skein_workspace::git_setup::{
    GitSetupError, SetupRemoval, configure, position, put, remove_text,
};
use skein_workspace::{FileError, Workspace, discover_in};

pub use merge_driver::{MergeDriverError, MergeFiles, MergeOutcome, merge_driver};

/// The name of the merge driver in git's configuration.
const DRIVER: &str = "merge.skein-review";
const ATTRIBUTES: &str = "threads/*.md merge=skein-review\n";
const IGNORED: &str = "# A cache that each program makes for itself.\nindex.json\n";

/// The result of a setup, as lines for the user.
#[derive(Clone, Debug, Serialize)]
pub struct Setup {
    /// What was changed, and what is kept.
    pub done: Vec<String>,
    /// Whether anything was changed, or would be.
    #[serde(skip)]
    pub has_changed: bool,
    /// Suggested next steps.
    pub next: Vec<String>,
}

/// Why a workspace was not set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    #[error("not a git repository: {}", dir.display())]
    NoRepository { dir: PathBuf },
    #[error("this is a bare repository; it has no working tree: {}", dir.display())]
    Bare { dir: PathBuf },
    #[error("git could not be set up")]
    Git(#[from] RunError),
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl From<FileError> for SetupError {
    fn from(error: FileError) -> Self {
        Self::Write(error.into())
    }
}

impl From<GitSetupError> for SetupError {
    fn from(error: GitSetupError) -> Self {
        match error {
            GitSetupError::Git(error) => Self::Git(error),
            GitSetupError::File(error) => error.into(),
        }
    }
}

impl From<SubmitError> for SetupError {
    fn from(error: SubmitError) -> Self {
        match error {
            SubmitError::Write(error) => Self::Write(error),
            SubmitError::Git(error) => Self::Git(error),
            SubmitError::File(error) => error.into(),
        }
    }
}

/// Creates the store; if the repository shares its threads, also sets up merging.
pub fn init(workspace: &Workspace) -> Result<Setup, SetupError> {
    let existed = workspace.reviews.exists;
    let open = open::ensure(workspace)?;
    let store = workspace.reviews.store();
    let mut done = open.notes;
    if !index::path(&workspace.reviews).exists() {
        let stale = index::follow(workspace, &workspace.reviews, &open.guard, &[]);
        done.extend(stale.map(|diag| diag.message));
    }
    if existed {
        done.push(format!("The store exists: {}", store.display()));
    }
    done.extend(add_drivers(workspace)?);
    let next = vec!["`skein review add FILE:LINE -m TEXT` comments on a line".to_owned()];
    Ok(Setup { has_changed: !done.is_empty(), done, next })
}

/// Configures git to track the store, and to merge threads comment by comment.
pub fn share(workspace: &Workspace) -> Result<Setup, SetupError> {
    let repo = repo(workspace)?;
    let open = open::ensure(workspace)?;
    let mut done: Vec<String> =
        open.notes.into_iter().filter(|note| !note.starts_with("Git ignores")).collect();
    if exclude::show(workspace)? {
        done.push("Git sees the store: removed its line from .git/info/exclude".to_owned());
    }
    let store = workspace.reviews.store();
    for (name, text) in [(".gitattributes", ATTRIBUTES), (".gitignore", IGNORED)] {
        if put(&workspace.env, &open.guard, &store.join(name), text)? {
            done.push(format!("Wrote {}/{name}", workspace.reviews.store_path));
        }
    }
    set_driver(&repo, &mut done)?;
    let checkpoints = skein_checkpoints::share::share(workspace, &mut done)?;
    let path = &workspace.reviews.store_path;
    let commit = |place: &str, paths: &str, what: &str| {
        format!(
            "`git {place}add {paths} && git {place}commit -m \"Share {what}\"` puts the threads into the repository"
        )
    };
    let mut next = match &checkpoints {
        Some((top, also)) if *top == workspace.top() => {
            vec![commit("", &format!("{path} {also}"), "review threads and checkpoints")]
        }
        // The checkpoints of a linked worktree are in the main checkout.
        Some((top, also)) => vec![
            commit("", path, "review threads"),
            commit(&format!("-C {} ", shell_word(&top.to_string_lossy())), also, "checkpoints"),
        ],
        None => vec![commit("", path, "review threads")],
    };
    next.extend(ignore_caches_elsewhere(workspace, &mut done)?);
    next.push("`skein init` sets up merging in every other clone, once".to_owned());
    Ok(Setup { has_changed: !done.is_empty(), done, next })
}

/// Keeps git from adding the caches in the stores of the other worktrees, which it sees from now on too.
///
/// Returns what to do there: git does not merge a branch with the store while the files of another store are not committed.
fn ignore_caches_elsewhere(
    workspace: &Workspace,
    done: &mut Vec<String>,
) -> Result<Vec<String>, SetupError> {
    let mut next = Vec::new();
    for reviews in workspace.reviews_of_all_worktrees() {
        if !reviews.exists || reviews.root == workspace.reviews.root || reviews.is_shared() {
            continue;
        }
        let open = open::ensure(&discover_in(&workspace.env, &reviews.root))?;
        let file = reviews.store().join(".gitignore");
        if put(&workspace.env, &open.guard, &file, IGNORED)? {
            done.push(format!("Wrote {}", file.display()));
        }
        let (dir, path) = (shell_word(&reviews.root.to_string_lossy()), &reviews.store_path);
        next.push(format!(
            "`git -C {dir} add {path} && git -C {dir} commit -m \"Share review threads\"` commits the threads of that worktree, which git demands before it merges shared threads there"
        ));
    }
    Ok(next)
}

/// Returns whether the repository shares threads, but this clone has no merge driver for them.
pub fn lacks_driver(workspace: &Workspace) -> bool {
    let lacks = |repo: &Repo, driver: &str| {
        !is_configured(repo, driver)
            && repo.config_get(&format!("{driver}.driver")).is_ok_and(|command| command.is_none())
    };
    let attributes = skein_store::read(&workspace.reviews.store().join(".gitattributes"));
    let is_shared =
        attributes.is_ok_and(|file| position(&file.bytes, ATTRIBUTES.trim_end()).is_some());
    let reviews = workspace.repo().filter(|_| is_shared).is_some_and(|repo| lacks(&repo, DRIVER));
    reviews
        || skein_checkpoints::share::shared(workspace)
            .is_some_and(|repo| lacks(&repo, skein_checkpoints::share::DRIVER))
}

/// Returns whether the configuration of the clone has a section for a merge driver, without running git: every command asks.
fn is_configured(repo: &Repo, driver: &str) -> bool {
    let section = driver.strip_prefix("merge.").map(|name| format!("[merge \"{name}\"]"));
    let config = skein_store::read(&repo.common_dir().join("config"));
    let Some((section, config)) = section.zip(config.ok()) else { return false };
    let Some(start) = position(&config.bytes, &section) else { return false };
    let (_, body) = config.bytes.split_at(start + section.len());
    let (body, _) = body.split_at(position(body, "\n[").unwrap_or(body.len()));
    position(body, "merge-driver").is_some()
}

/// Adds the merge drivers that [`lacks_driver`] misses to the configuration of this clone; returns what was done.
pub fn add_drivers(workspace: &Workspace) -> Result<Vec<String>, SetupError> {
    let mut changes = Vec::new();
    if workspace.reviews.is_shared()
        && let Some(repo) = workspace.repo()
    {
        set_driver(&repo, &mut changes)?;
    }
    skein_checkpoints::share::set_up(workspace, &mut changes)?;
    Ok(changes)
}

/// Undoes [`init`] and [`share`]; with `purge`, also moves the threads to the trash.
///
/// With `dry_run`, reports the changes without writing them.
pub fn uninstall(workspace: &Workspace, purge: bool, dry_run: bool) -> Result<Setup, SetupError> {
    let mut taken = SetupRemoval { dry_run, ..SetupRemoval::default() };
    let store = workspace.reviews.store();
    let repo = workspace.repo();
    if let Some(repo) = &repo {
        if taken.driver(repo, DRIVER)? {
            taken.removed("the merge driver from git's configuration");
        }
        drop_rounds(workspace, repo, &mut taken)?;
    }
    if workspace.reviews.exists {
        let guard = open::existing(&workspace.env, &workspace.reviews)?;
        let below = workspace.own_paths().into_iter().next().unwrap_or_default();
        for (name, text) in [(".gitattributes", ATTRIBUTES), (".gitignore", IGNORED)] {
            let at = (repo.as_ref(), format!("{below}/{name}"));
            let shown = format!("{}/{name}", workspace.reviews.store_path);
            taken.file(&workspace.env, &guard, (&store.join(name), text), &at, &shown)?;
        }
    }
    skein_checkpoints::share::unshare(workspace, &mut taken)?;
    let SetupRemoval { mut done, mut has_removed, .. } = taken;
    if dry_run {
        done.extend(workspace.reviews.exists.then(|| stays(&store)));
    } else if purge {
        purge_store(workspace, &mut done)?;
        has_removed = true;
    } else if workspace.reviews.exists {
        done.push(stays(&store));
        done.extend(hide_again(workspace)?);
    }
    Ok(Setup { done, has_changed: has_removed, next: Vec::new() })
}

fn stays(store: &Path) -> String {
    format!("The threads stay: {}", store.display())
}

fn drop_rounds(
    workspace: &Workspace,
    repo: &Repo,
    taken: &mut SetupRemoval,
) -> Result<(), SetupError> {
    let rounds = rounds::all(workspace, repo)?.len();
    if rounds == 0 {
        return Ok(());
    }
    if !taken.dry_run {
        submission::remove_all(workspace, repo)?;
    }
    let what = if rounds == 1 { "recorded submission" } else { "recorded submissions" };
    taken.removed(&format!("{rounds} {what}"));
    Ok(())
}

/// Makes git ignore a store that it does not track, so that it is not committed by accident.
fn hide_again(workspace: &Workspace) -> Result<Option<String>, SetupError> {
    let path = workspace.own_paths().into_iter().next().unwrap_or_default();
    match workspace.repo() {
        Some(repo) if !repo.is_tracked(&path)? => Ok(exclude::hide(workspace)?),
        _ => Ok(None),
    }
}

fn purge_store(workspace: &Workspace, done: &mut Vec<String>) -> Result<(), SetupError> {
    let threads = skein_review::clear(workspace)?.len();
    if threads > 0 {
        let (what, them) = if threads == 1 { ("thread", "it") } else { ("threads", "them") };
        done.push(format!(
            "Moved {threads} {what} to the trash; `skein review restore --last` restores {them}"
        ));
    }
    let store = workspace.reviews.store();
    if workspace.reviews.exists {
        let guard = open::existing(&workspace.env, &workspace.reviews)?;
        remove_text(&workspace.env, &guard, &store.join("AGENTS.md"), AGENTS_TEXT)?;
        let index = index::path(&workspace.reviews);
        if let Ok(snapshot) = skein_store::read(&index) {
            remove(&*workspace.env.fs, &guard, &index, &snapshot.revision)
                .map_err(WriteError::from)?;
        }
        drop(guard);
        // A directory that is not empty contains files of others.
        let empty = |dir: &Path| remove_empty_dir(dir).unwrap_or(false);
        let gone = empty(&workspace.reviews.threads()) && empty(&store);
        done.push(match gone {
            true => format!("Removed {}", store.display()),
            false => format!("Left {}, which has other files", store.display()),
        });
    }
    let others = other_stores(workspace);
    if let Some(other) = others.first() {
        // Without the line, `git add` in the other worktree would commit its threads.
        done.push(format!("The line in .git/info/exclude stays for {}", other.display()));
    } else if exclude::show(workspace)? {
        done.push("Removed the line in .git/info/exclude".to_owned());
    }
    Ok(())
}

/// Returns the stores in the other worktrees of the clone.
fn other_stores(workspace: &Workspace) -> Vec<PathBuf> {
    let Some(below) = workspace.own_paths().into_iter().next() else { return Vec::new() };
    let here = workspace.top();
    let worktrees = workspace.git.iter().flat_map(|git| git.worktrees());
    let others = worktrees.map(|worktree| worktree.top).filter(|top| *top != here);
    others.map(|top| top.join(&below)).filter(|store| store.is_dir()).collect()
}

fn repo(workspace: &Workspace) -> Result<Repo, SetupError> {
    let dir = workspace.reviews.root.clone();
    match workspace.repo() {
        Some(repo) => Ok(repo),
        None if workspace.git.as_ref().is_some_and(|git| git.top.is_none()) => {
            Err(SetupError::Bare { dir })
        }
        None => Err(SetupError::NoRepository { dir }),
    }
}

/// Removes the merge drivers from git's configuration; returns whether there was one.
pub(crate) fn drop_drivers(repo: &Repo, dry_run: bool) -> Result<bool, RunError> {
    let taken = SetupRemoval { dry_run, ..SetupRemoval::default() };
    Ok(taken.driver(repo, DRIVER)? | taken.driver(repo, skein_checkpoints::share::DRIVER)?)
}

fn set_driver(repo: &Repo, done: &mut Vec<String>) -> Result<(), RunError> {
    if configure(repo, DRIVER, "review threads, comment by comment")? {
        done.push("Git merges threads comment by comment in this clone".to_owned());
    }
    Ok(())
}
