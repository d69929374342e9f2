use std::io;
use std::path::Path;

use crate::fs::{EntryKind, Fs};
use crate::lock::DirLock;
use crate::stage::{self, Access, Durability};

/// Copies a document durably with its modification time; false if the copy is up to date or `from`
/// is not a regular file.
///
/// A copy with the same length and time counts as up to date. Only its owner can read it. After a
/// crash the copy is the old or the new one. `guard` is the lock of the directory of the copy.
pub fn copy_document(fs: &dyn Fs, _guard: &DirLock, from: &Path, to: &Path) -> io::Result<bool> {
    let meta = fs.metadata(from)?;
    if meta.kind != EntryKind::File {
        return Ok(false);
    }
    let is_same = |copy: &crate::fs::Meta| (copy.len, copy.mtime) == (meta.len, meta.mtime);
    if fs.metadata(to).is_ok_and(|copy| is_same(&copy)) {
        return Ok(false);
    }
    let bytes = fs.read(from)?;
    let access = Access::Copy { mode: 0o600, mtime: meta.mtime };
    let temp = stage::stage(fs, to, &access, &bytes, Durability::Synced)?;
    fs.rename(&temp, to).inspect_err(|_| stage::discard(fs, &temp))?;
    fs.sync_dir(stage::parent(to))?;
    Ok(true)
}
