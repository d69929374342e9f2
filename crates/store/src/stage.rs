//! The steps that the write paths share: find the file, write its successor beside it.

use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::fs::{EntryKind, Fs, Meta, NewFile};
use crate::temp;

/// Whom the staged file shall belong to.
pub(crate) enum Access<'a> {
    /// The same mode, owner and group as this file.
    Like(&'a Meta),
    /// This mode, less the umask.
    Mode(u32),
    /// This mode, less the umask, and the time of the document that it is a copy of.
    Copy { mode: u32, mtime: SystemTime },
}

/// Whether the staged data must survive a power cut.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Durability {
    /// Synced before the file gets its name.
    Synced,
    /// Left to the system.
    Unsynced,
}

/// Writes `bytes` to a temp file in the directory of `target`, and returns its path.
///
/// On an error no temp file is left, unless it cannot be removed either.
pub(crate) fn stage(
    fs: &dyn Fs,
    target: &Path,
    access: &Access<'_>,
    bytes: &[u8],
    durability: Durability,
) -> io::Result<PathBuf> {
    stage_at(fs, temp::beside(target), access, bytes, durability)
}

/// Writes `bytes` to the temp file `temp`, and returns it.
pub(crate) fn stage_at(
    fs: &dyn Fs,
    temp: PathBuf,
    access: &Access<'_>,
    bytes: &[u8],
    durability: Durability,
) -> io::Result<PathBuf> {
    let mode = match access {
        // No other user may read it before it has its final mode.
        Access::Like(_) => 0o600,
        Access::Mode(mode) | Access::Copy { mode, .. } => *mode,
    };
    let mut file = fs.create(&temp, mode)?;
    match fill(&mut *file, access, bytes, durability) {
        Ok(()) => Ok(temp),
        Err(error) => {
            discard(fs, &temp);
            Err(error)
        }
    }
}

fn fill(
    file: &mut dyn NewFile,
    access: &Access<'_>,
    bytes: &[u8],
    durability: Durability,
) -> io::Result<()> {
    if let Access::Like(meta) = access {
        file.adopt(meta)?;
    }
    file.write(bytes)?;
    match access {
        Access::Copy { mtime, .. } => file.set_modified(*mtime)?,
        Access::Like(_) | Access::Mode(_) => file.date_back()?,
    }
    match durability {
        Durability::Synced => file.sync(),
        Durability::Unsynced => Ok(()),
    }
}

/// Removes a temp file that is of no use any more.
pub(crate) fn discard(fs: &dyn Fs, temp: &Path) {
    match fs.unlink(temp) {
        // The outcome of the write itself is what the caller must hear of. A temp file that stays
        // is known by its name, and `leftovers` finds it.
        Ok(()) | Err(_) => {}
    }
}

/// Returns the file that `path` leads to, through symlinks, and what is known about it.
pub(crate) fn follow(fs: &dyn Fs, path: &Path) -> io::Result<(PathBuf, Meta)> {
    let meta = fs.metadata(path)?;
    if meta.kind != EntryKind::Symlink {
        return Ok((path.to_owned(), meta));
    }
    let target = fs.canonicalize(path)?;
    let meta = fs.metadata(&target)?;
    Ok((target, meta))
}

/// Returns the directory that holds the entry `path`.
pub(crate) fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Says, for the end of an error message, where the bytes of another program were kept.
pub(crate) fn kept_note(kept: Option<&PathBuf>) -> String {
    kept.map(|path| format!("; what was displaced is kept in {}", path.display()))
        .unwrap_or_default()
}
