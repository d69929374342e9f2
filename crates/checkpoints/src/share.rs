//! Shares checkpoints through the repository that holds them, and undoes that.

use std::path::{Path, PathBuf};

use skein_git::{Repo, RepoDirs, RunError};
use skein_workspace::git_setup::{GitSetupError, SetupRemoval, configure, put};
use skein_workspace::{CheckpointStore, FileError, Workspace, git_exclude};

use super::error::CheckpointError;
use super::store_lock::existing;

/// The name of the merge driver in git's configuration.
pub const DRIVER: &str = "merge.skein-checkpoint";
/// The driver keeps our tables, which the next save writes again, and the later of two pointers; changesets are merged as text.
const ATTRIBUTES: &str = "T-*.json merge=skein-checkpoint\n\
                          T-*.changeset.json !merge\n\
                          handoff.json merge=skein-checkpoint\n\
                          INDEX.md merge=skein-checkpoint\n\
                          recent.md merge=skein-checkpoint\n";
const IGNORE_FILE: &str = ".gitignore";
const LOCKS_IGNORED: &str =
    "# Who is at work on what, which concerns this machine alone.\nresume-locks/\n";
/// Never matches the id of a full checkpoint written by Skein: `-auto-` is reserved for auto-checkpoints.
const AUTO_IGNORED: &str = "# What hooks note about commits and sessions of this machine.\n\
                            T-????????-??????-auto-*.json\n";

/// The repository that contains the checkpoints, and their path in it.
struct Home {
    layout: RepoDirs,
    repo: Repo,
    dir: PathBuf,
    /// The directory relative to the top of the worktree.
    path: String,
}

impl Home {
    /// Finds the repository; none if there are no checkpoints, or they are in no repository.
    fn find(workspace: &Workspace) -> Option<Self> {
        let dir = workspace.checkpoints.threads().canonicalize().ok()?;
        // A repository that cannot be read cannot be set up either.
        let layout = RepoDirs::discover(&dir).ok()??;
        let path = dir.strip_prefix(layout.top.as_deref()?).ok()?.to_str()?.to_owned();
        let repo = Repo::new(&layout)?;
        Some(Self { layout, repo, dir, path })
    }

    /// Returns the content of the files; a part that was added in a later version is a separate entry.
    fn files(&self) -> [(PathBuf, &'static str); 3] {
        let ignore_file = self.dir.join(IGNORE_FILE);
        let attributes = (self.dir.join(".gitattributes"), ATTRIBUTES);
        [attributes, (ignore_file.clone(), LOCKS_IGNORED), (ignore_file, AUTO_IGNORED)]
    }

    fn is_shared(&self) -> bool {
        let attributes = skein_store::read(&self.dir.join(".gitattributes"));
        attributes.is_ok_and(|file| {
            String::from_utf8_lossy(&file.bytes).contains("merge=skein-checkpoint")
        })
    }

    fn shown(&self, file: &Path) -> String {
        format!("{}/{}", self.path, file.file_name().unwrap_or_default().to_string_lossy())
    }

    fn configure(&self, done: &mut Vec<String>) -> Result<(), RunError> {
        if configure(&self.repo, DRIVER, "checkpoints, field by field")? {
            done.push("Git merges checkpoints field by field in this clone".to_owned());
        }
        Ok(())
    }
}

/// Lets git commit the checkpoints and merge them field by field; returns the top of their worktree, and their path in it.
pub fn share(
    workspace: &Workspace,
    done: &mut Vec<String>,
) -> Result<Option<(PathBuf, String)>, GitSetupError> {
    let Some(home) = Home::find(workspace) else { return Ok(None) };
    let guard = lock(workspace)?;
    if git_exclude::remove(&workspace.env, &home.layout, &home.dir)? {
        done.push("Git sees the checkpoints: their line in .git/info/exclude is gone".to_owned());
    }
    for (file, text) in home.files() {
        let wrote = format!("Wrote {}", home.shown(&file));
        if put(&workspace.env, &guard, &file, text)? && done.last() != Some(&wrote) {
            done.push(wrote);
        }
    }
    home.configure(done)?;
    Ok(home.layout.top.map(|top| (top, home.path)))
}

/// Returns the repository of the checkpoints, if it shares them.
pub fn shared(workspace: &Workspace) -> Option<Repo> {
    Home::find(workspace).filter(Home::is_shared).map(|home| home.repo)
}

/// Returns whether git ignores the auto-checkpoints of a store that is shared.
pub(super) fn ignores_autos(checkpoints: &CheckpointStore) -> bool {
    let ignored = skein_store::read(&checkpoints.threads().join(IGNORE_FILE));
    ignored.is_ok_and(|file| String::from_utf8_lossy(&file.bytes).contains(AUTO_IGNORED.trim_end()))
}

/// Sets up merging in a clone of a repository that shares its checkpoints.
pub fn set_up(workspace: &Workspace, done: &mut Vec<String>) -> Result<(), GitSetupError> {
    match Home::find(workspace) {
        Some(home) if home.is_shared() => Ok(home.configure(done)?),
        _ => Ok(()),
    }
}

/// Undoes [`share`]; the checkpoints are kept, and excluded from git again if they are not committed.
pub fn unshare(workspace: &Workspace, taken: &mut SetupRemoval) -> Result<(), GitSetupError> {
    let Some(home) = Home::find(workspace) else { return Ok(()) };
    if taken.driver(&home.repo, DRIVER)? {
        taken.removed("the merge driver of checkpoints from git's configuration");
    }
    let guard = lock(workspace)?;
    let mut was_shared = false;
    for (file, text) in home.files() {
        let shown = home.shown(&file);
        let at = (Some(&home.repo), shown.clone());
        was_shared |= taken.file(&workspace.env, &guard, (&file, text), &at, &shown)?;
    }
    // A file with several parts is reported once.
    taken.done.dedup();
    if was_shared && !taken.dry_run && !home.repo.is_tracked(&home.path)? {
        let line = git_exclude::add(&workspace.env, &home.layout, &home.dir)?;
        taken
            .done
            .extend(line.map(|line| format!("Git ignores {line} here (in .git/info/exclude).")));
    }
    Ok(())
}

fn lock(workspace: &Workspace) -> Result<skein_store::DirLock, FileError> {
    existing(workspace).map_err(|error| match error {
        CheckpointError::File(error) => error,
        // The directory exists: it was found before.
        _ => skein_store::Busy { path: workspace.checkpoints.threads() }.into(),
    })
}
