use std::path::{Path, PathBuf};
use std::time::Duration;

use skein_store::{
    CreateError, DerivedError, EnsureDirError, LockError, ReadError, RealFs, RemoveError,
    TrashError, create_new, ensure_dir, lock, move_to_trash, remove, write_derived,
};

use crate::discover::{Reviews, Workspace};
use crate::env::Env;
use crate::review::index;

/// Something that can be repaired without losing anything.
#[derive(Clone, Debug)]
pub enum Repair {
    /// Write `index.json` anew from the thread files.
    RebuildIndex {
        /// The store.
        reviews: Reviews,
    },
    /// Move a leftover to the trash.
    Trash {
        /// The file.
        path: PathBuf,
    },
    /// Give a session map that is none another name.
    SetAside {
        /// The file.
        file: PathBuf,
    },
}

impl Repair {
    /// Says what the repair would do.
    pub fn plan(&self) -> String {
        match self {
            Self::RebuildIndex { reviews } => {
                format!("write {} anew from the thread files", index::path(reviews).display())
            }
            Self::Trash { path } => format!("move {} to the trash", path.display()),
            Self::SetAside { file } => format!("set {} aside under another name", file.display()),
        }
    }
}

/// Why a repair failed; nothing was lost.
#[derive(Debug, thiserror::Error)]
pub enum RepairError {
    /// Somebody else is writing.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The index cannot be written.
    #[error(transparent)]
    Index(#[from] DerivedError),
    /// The state directory cannot be made.
    #[error(transparent)]
    Directory(#[from] EnsureDirError),
    /// The file cannot be moved to the trash.
    #[error(transparent)]
    Trash(#[from] TrashError),
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The copy cannot be made.
    #[error(transparent)]
    Copy(#[from] CreateError),
    /// The file cannot be removed once its copy is made.
    #[error(transparent)]
    Remove(#[from] RemoveError),
}

const PATIENCE: Duration = Duration::from_secs(5);

/// Carries out a repair and says what was done.
pub fn repair(workspace: &Workspace, env: &Env, repair: &Repair) -> Result<String, RepairError> {
    match repair {
        Repair::RebuildIndex { reviews } => {
            let path = index::path(reviews);
            let guard = lock(&RealFs, &reviews.store(), PATIENCE)?;
            let bytes = index::render(reviews, &workspace.settings);
            write_derived(&RealFs, &guard, &path, &bytes)?;
            Ok(format!("wrote {}", path.display()))
        }
        Repair::Trash { path } => {
            let trash = workspace.dirs(env).state.join("trash");
            ensure_dir(&RealFs, &trash, 0o700)?;
            let stamp = env.clock.now().compact();
            let guard = lock(&RealFs, path.parent().unwrap_or(path), PATIENCE)?;
            let kept = move_to_trash(&RealFs, &guard, &trash, path, &stamp)?;
            Ok(format!("moved {} to {}", path.display(), kept.display()))
        }
        Repair::SetAside { file } => set_aside(env, file),
    }
}

/// Copies the file durably under a name of its own, then removes it, unless it changed meanwhile.
fn set_aside(env: &Env, file: &Path) -> Result<String, RepairError> {
    let dir = file.parent().unwrap_or(file);
    let guard = lock(&RealFs, dir, PATIENCE)?;
    let snapshot = skein_store::read(file)?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let copy = dir.join(format!("{name}.corrupt-{}", env.clock.now().compact()));
    // The copy is for its owner alone: what it holds is not known.
    create_new(&RealFs, &guard, &copy, &snapshot.bytes, 0o600)?;
    remove(&RealFs, &guard, file, &snapshot.revision)?;
    Ok(format!("set {} aside as {}", file.display(), copy.display()))
}
