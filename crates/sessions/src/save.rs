//! Saves a map in memory to its file.

use std::io;
use std::path::{Path, PathBuf};

use skein_format::session::{MergedMap, SessionMapDoc};
use skein_format::time::Time;
use skein_store::{Edit, Fs, ReplaceError};

use super::error::SessionResult;
use super::file::{self, copy_damaged};
use super::map::{MapBase, SessionMap};

skein_model::word_enum! {
    /// The change of a file or an entry of the session map.
    MapWriteAction {
        Created = "created",
        Written = "written",
        Updated = "updated",
        Unchanged = "unchanged",
    }
}

/// The result of a save.
#[derive(Debug)]
pub struct Saved {
    pub action: MapWriteAction,
    /// The result of merging with a file that another program had written.
    pub merged: Option<MergedMap>,
    /// The backup of a damaged file.
    pub set_aside: Option<PathBuf>,
}

impl Saved {
    fn with_action(action: MapWriteAction) -> Self {
        Self { action, merged: None, set_aside: None }
    }
}

impl SessionMap {
    /// Merges memory with the current file, and writes the result durably and atomically.
    ///
    /// If the file already has everything, nothing is written. Afterwards memory and file are the same. A crash leaves the old map or
    /// the new one. After an error memory is unchanged, and a later save may succeed.
    pub fn save(&mut self, fs: &dyn Fs, now: Time) -> SessionResult<Saved> {
        let real = file::resolve(fs, &self.path)?;
        let saved = match &self.doc {
            None => self.refresh(fs, &real),
            Some(doc) if self.base == MapBase::Same && holds(fs, &real, doc.to_bytes())? => {
                Ok(Saved::with_action(MapWriteAction::Unchanged))
            }
            Some(_) => self.write(fs, &real, now),
        };
        let saved = saved.and_then(|saved| self.confirm(fs, &real).map(|()| saved));
        saved.map_err(|error| {
            self.unconfirmed |= error.is_unconfirmed();
            error.in_dir(file::dir(&real))
        })
    }

    /// Syncs the directory after an earlier save that a power cut may still undo.
    fn confirm(&mut self, fs: &dyn Fs, real: &Path) -> SessionResult {
        if self.unconfirmed {
            let failed =
                |source| ReplaceError::Unconfirmed { path: real.to_owned(), kept: None, source };
            fs.sync_dir(file::dir(real)).map_err(failed)?;
            self.unconfirmed = false;
        }
        Ok(())
    }

    /// Reads the file, because memory has nothing to add.
    fn refresh(&mut self, fs: &dyn Fs, real: &Path) -> SessionResult<Saved> {
        if let Some(held) = file::read(fs, real)?.filter(|held| !held.is_corrupt()) {
            self.doc = Some(held.doc);
            self.base = MapBase::Same;
        }
        Ok(Saved::with_action(MapWriteAction::Unchanged))
    }

    fn write(&mut self, fs: &dyn Fs, real: &Path, now: Time) -> SessionResult<Saved> {
        let guard = file::lock_new_dir(fs, real)?;
        let Some(memory) = &self.doc else {
            return Ok(Saved::with_action(MapWriteAction::Unchanged));
        };
        let base = &self.base;
        let put = |saved: Saved| Edit::Write(memory.to_bytes().to_vec(), (saved, None));
        let (saved, merged) = file::update(fs, &guard, real, now, |held| match held {
            None => Ok(put(Saved::with_action(MapWriteAction::Created))),
            Some(held) if matches!(base, MapBase::Was(before) if before == held.doc.to_bytes()) => {
                Ok(put(Saved::with_action(MapWriteAction::Written)))
            }
            Some(held) if held.is_corrupt() => {
                // Returns an error for a damaged map of another version.
                held.recover(real, now)?;
                // An empty file needs no backup.
                let copy = match held.doc.to_bytes() {
                    [] => None,
                    bytes => Some(copy_damaged(fs, &guard, real, bytes, now)?),
                };
                Ok(put(Saved { set_aside: copy, ..Saved::with_action(MapWriteAction::Written) }))
            }
            Some(held) => merge(held.doc, memory, now),
        })?;
        if let Some(doc) = merged {
            self.doc = Some(doc);
        }
        self.base = MapBase::Same;
        Ok(saved)
    }
}

/// Merges memory into the version of another program.
fn merge(
    mut disk: SessionMapDoc,
    memory: &SessionMapDoc,
    now: Time,
) -> SessionResult<Edit<(Saved, Option<SessionMapDoc>)>> {
    let merged = disk.merge(memory, now)?;
    Ok(if merged.changed {
        let saved = Saved { merged: Some(merged), ..Saved::with_action(MapWriteAction::Written) };
        Edit::Write(disk.to_bytes().to_vec(), (saved, Some(disk)))
    } else {
        let saved = Saved { merged: Some(merged), ..Saved::with_action(MapWriteAction::Unchanged) };
        Edit::Keep((saved, Some(disk)))
    })
}

fn holds(fs: &dyn Fs, real: &Path, bytes: &[u8]) -> SessionResult<bool> {
    match fs.holds(real, bytes) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        held => held.map_err(|error| file::unread(real, error)),
    }
}
