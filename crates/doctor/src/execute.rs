//! Makes repairs.

use std::path::{Path, PathBuf};
use std::time::Duration;

use skein_checkpoints::index_files;
use skein_model::normalize_path::stem;
use skein_model::{Advice, FailureKind, Retype, UserError};
use skein_review::{index, open};
use skein_sessions::{MapPath, SessionError};
use skein_store::{
    Edit, EnsureDirError, copy_to_trash, create_new, ensure_dir, lock, move_to_trash,
    write_unsynced,
};
use skein_workspace::file_error::wrap_file_errors;
use skein_workspace::update::Document;
use skein_workspace::{Env, FileError, ReviewStore, Workspace};

use super::repair::Repair;
use super::{legacy, thread};

/// Why a repair failed. No data was lost.
#[derive(Debug, thiserror::Error)]
pub enum RepairError {
    #[error("{reason}")]
    Tables { reason: String },
    #[error(transparent)]
    Session(#[from] SessionError),
    #[error(transparent)]
    File(#[from] FileError),
}

wrap_file_errors!(RepairError);

impl UserError for RepairError {
    fn advice(&self, retype: Retype<'_>) -> Advice {
        match self {
            Self::Tables { .. } => FailureKind::Conflict.plain(),
            Self::Session(error) => error.advice(retype),
            Self::File(error) => error.advice(retype),
        }
    }
}

const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// Makes a repair, and returns a description of the result.
pub fn repair(workspace: &Workspace, repair: &Repair) -> Result<String, RepairError> {
    let env = &workspace.env;
    match repair {
        Repair::RebuildIndex { reviews } => {
            let path = index::path(reviews);
            let guard = lock(&*env.fs, &reviews.store(), LOCK_TIMEOUT)?;
            let bytes = index::render(reviews, &workspace.settings);
            write_unsynced(&*env.fs, &guard, &path, &bytes)?;
            Ok(format!("wrote {}", path.display()))
        }
        Repair::Trash { path } => {
            let kept = trash(workspace, path)?;
            Ok(format!("moved {} to {}", path.display(), kept.display()))
        }
        Repair::Thread { reviews, file, .. } => repair_thread(workspace, reviews, file),
        Repair::Migrate { reviews, file } => migrate(workspace, reviews, file),
        Repair::WriteTables { checkpoints } => match index_files::refresh(workspace) {
            Some(diag) => Err(RepairError::Tables { reason: diag.message }),
            None => {
                let dir = checkpoints.threads();
                Ok(format!("wrote INDEX.md and recent.md in {}", dir.display()))
            }
        },
        Repair::Rename { map } => {
            let copy = skein_sessions::back_up(env, map)?;
            let file = map.path().display();
            Ok(match copy {
                Some(copy) => format!("renamed {file} to {}", copy.display()),
                None => format!("{file} was not changed: another program has written it"),
            })
        }
        Repair::Unmark { map } | Repair::Salvage { map, .. } => salvage(env, map),
    }
}

fn trash(workspace: &Workspace, path: &Path) -> Result<PathBuf, RepairError> {
    let trash = trash_dir(workspace)?;
    let stamp = workspace.env.clock.now().compact();
    let guard = lock(&*workspace.env.fs, path.parent().unwrap_or(path), LOCK_TIMEOUT)?;
    Ok(move_to_trash(&*workspace.env.fs, &guard, &trash, path, &stamp)?)
}

fn trash_dir(workspace: &Workspace) -> Result<PathBuf, EnsureDirError> {
    let trash = workspace.dirs().state.join("trash");
    ensure_dir(&*workspace.env.fs, &trash, 0o700)?;
    Ok(trash)
}

/// Repairs the current version of a thread file; copies it to the trash first.
fn repair_thread(
    workspace: &Workspace,
    reviews: &ReviewStore,
    file: &Path,
) -> Result<String, RepairError> {
    let env = &workspace.env;
    let trash = trash_dir(workspace)?;
    let now = env.clock.now();
    let guard = lock(&*env.fs, &reviews.store(), LOCK_TIMEOUT)?;
    let stem = stem(file);
    let updated = Document::new(&guard, file, 0o666).update(env, |bytes| {
        let repaired =
            bytes.and_then(|bytes| thread::repaired(bytes, &stem, &reviews.store_path, now));
        let (Some(bytes), Some(repaired)) = (bytes, repaired) else { return Ok(Edit::Keep(None)) };
        let copy = copy_to_trash(&*env.fs, &trash, file, bytes, &now.compact())?;
        Ok::<_, RepairError>(Edit::Write(repaired.bytes, Some(copy)))
    })?;
    let file = file.display();
    Ok(match updated.value {
        Some(copy) => format!("repaired {file}; the old file is {}", copy.display()),
        None => format!("{file} was not changed: it needs no repair"),
    })
}

/// Creates the thread file, and `AGENTS.md` if the store has none, then moves the legacy file to the trash.
fn migrate(
    workspace: &Workspace,
    reviews: &ReviewStore,
    file: &Path,
) -> Result<String, RepairError> {
    let env = &workspace.env;
    let plan = match legacy::plan(reviews, file, env.clock.now()) {
        Ok(plan) => plan,
        Err(reason) => return Ok(format!("{} was not changed: {reason}", file.display())),
    };
    ensure_dir(&*env.fs, &reviews.threads(), 0o755)?;
    let guard = lock(&*env.fs, &reviews.store(), LOCK_TIMEOUT)?;
    // Older programs wrote no instructions for agents into the store.
    open::add_agents_text(env, &guard, reviews)?;
    if let Some(bytes) = plan.bytes {
        create_new(&*env.fs, &guard, &plan.target, &bytes, 0o644)?;
    }
    drop(guard);
    let kept = trash(workspace, file)?;
    let (file, target) = (file.display(), plan.target.display());
    Ok(format!("moved the thread of {file} to {target}; the old file is in {}", kept.display()))
}

/// Repairs a session map, unless another program has already done so.
fn salvage(env: &Env, map: &MapPath) -> Result<String, RepairError> {
    let repaired = skein_sessions::repair(map, env, true)?;
    let (file, entries) = (map.path().display(), repaired.entries);
    let only_mark = repaired.is_only_marked();
    Ok(match repaired.kept {
        Some(kept) if only_mark => {
            let kept = kept.display();
            format!("removed the byte order mark of {file}; the old file is {kept}")
        }
        Some(kept) => {
            let kept = kept.display();
            format!("rebuilt {file} with {entries} entries; the old file is {kept}")
        }
        None => format!("{file} was not changed: it is valid again"),
    })
}
