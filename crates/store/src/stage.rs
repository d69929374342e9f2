//! Steps shared by the write paths: resolve the file, write its replacement to a temp file.

use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::fs::{EntryKind, Fs, Meta, NewFile};
use crate::limit::check_len;
use crate::temp;

/// The mode and owner of the staged file.
pub(crate) enum Access<'a> {
    /// The same mode, owner and group as this file.
    Like(&'a Meta),
    /// This mode, minus the umask.
    Mode(u32),
    /// This mode, minus the umask, and the modification time of the original.
    Copy { mode: u32, mtime: SystemTime },
}

/// Whether the staged data must survive a power cut.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Durability {
    /// Synced before the file is renamed.
    Synced,
    /// Not synced.
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

/// Writes `bytes` to the temp file `temp`, and returns it; refuses more than could be read again.
pub(crate) fn stage_at(
    fs: &dyn Fs,
    temp: PathBuf,
    access: &Access<'_>,
    bytes: &[u8],
    durability: Durability,
) -> io::Result<PathBuf> {
    check_len(u64::try_from(bytes.len()).unwrap_or(u64::MAX))?;
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

/// Removes a temp file that is no longer needed.
pub(crate) fn discard(fs: &dyn Fs, temp: &Path) {
    match fs.unlink(temp) {
        // The caller needs the result of the write, not of this. `leftovers` finds a temp file that
        // remains.
        Ok(()) | Err(_) => {}
    }
}

/// Returns the file that `path` refers to, through symlinks, and its metadata.
pub(crate) fn follow(fs: &dyn Fs, path: &Path) -> io::Result<(PathBuf, Meta)> {
    let meta = fs.metadata(path)?;
    if meta.kind != EntryKind::Symlink {
        return Ok((path.to_owned(), meta));
    }
    let target = fs.canonicalize(path)?;
    let meta = fs.metadata(&target)?;
    Ok((target, meta))
}

/// Returns the parent directory of `path`, `.` for a plain name.
pub(crate) fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Returns the end of an error message with the path of a displaced document.
pub(crate) fn kept_note(kept: Option<&PathBuf>) -> String {
    kept.map(|path| format!("; the replaced content is kept in {}", path.display()))
        .unwrap_or_default()
}
