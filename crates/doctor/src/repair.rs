use std::path::PathBuf;

use skein_review::index;
use skein_sessions::MapPath;
use skein_workspace::{CheckpointStore, ReviewStore};

/// A repair that loses no data.
#[derive(Clone, Debug)]
pub enum Repair {
    /// Rebuild `index.json` from the thread files.
    RebuildIndex { reviews: ReviewStore },
    /// Move a leftover file to the trash.
    Trash { path: PathBuf },
    /// Merge a conflict in a thread file, or add metadata that a manual edit left out.
    Thread { reviews: ReviewStore, file: PathBuf, what: String },
    /// Write a thread of an older program into the store.
    Migrate { reviews: ReviewStore, file: PathBuf },
    /// Rebuild `INDEX.md` and `recent.md` from the checkpoints.
    WriteTables { checkpoints: CheckpointStore },
    /// Remove the byte order mark of a session map.
    Unmark { map: MapPath },
    /// Rebuild a damaged session map from the entries that can be read.
    Salvage { map: MapPath, entries: usize },
    /// Rename a session map without readable entries.
    Rename { map: MapPath },
}

impl Repair {
    /// Returns a description of the repair.
    pub fn plan(&self) -> String {
        match self {
            Self::RebuildIndex { reviews } => {
                format!("rebuild {} from the thread files", index::path(reviews).display())
            }
            Self::Trash { path } => format!("move {} to the trash", path.display()),
            Self::Thread { file, what, .. } => format!("repair {}: {what}", file.display()),
            Self::Migrate { reviews, file } => {
                let threads = reviews.threads();
                format!("move the thread of {} to {}", file.display(), threads.display())
            }
            Self::WriteTables { checkpoints } => {
                let dir = checkpoints.threads();
                format!("rebuild INDEX.md and recent.md in {} from the checkpoints", dir.display())
            }
            Self::Unmark { map } => format!(
                "remove the byte order mark of {}, and keep the old file under another name",
                map.path().display()
            ),
            Self::Salvage { map, entries } => format!(
                "rebuild {} from the {entries} entries that can be read, and keep the old file under another name",
                map.path().display()
            ),
            Self::Rename { map } => {
                format!("rename {}, which has no readable entries", map.path().display())
            }
        }
    }

    /// Returns the damaged file or its directory.
    pub fn path(&self) -> PathBuf {
        match self {
            Self::RebuildIndex { reviews } => index::path(reviews),
            Self::Trash { path } => path.clone(),
            Self::WriteTables { checkpoints } => checkpoints.threads(),
            Self::Thread { file, .. } | Self::Migrate { file, .. } => file.clone(),
            Self::Unmark { map } | Self::Salvage { map, .. } | Self::Rename { map } => {
                map.path().to_owned()
            }
        }
    }

    /// Returns the store to which the repair writes threads.
    pub(super) fn writes_to(&self) -> Option<ReviewStore> {
        match self {
            Self::Thread { reviews, .. } | Self::Migrate { reviews, .. } => Some(reviews.clone()),
            _ => None,
        }
    }
}
