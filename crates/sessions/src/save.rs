//! Brings what a program knows into the file.

use std::io;
use std::path::{Path, PathBuf};

use skein_format::session::{Merged, SessionMapDoc};
use skein_format::time::Time;
use skein_store::{Edit, Fs, ReplaceError};

use super::error::SessionError;
use super::file::{self, set_aside};
use super::map::{MapBase, SessionMap};

/// What a save did.
#[derive(Debug)]
pub struct Saved {
    /// What became of the file: `created`, `written` or `unchanged`.
    pub action: &'static str,
    /// What came of uniting memory with a file that another program had written.
    pub merged: Option<Merged>,
    /// Where a damaged file is kept that was in the place of the map.
    pub set_aside: Option<PathBuf>,
}

impl Saved {
    fn with_action(action: &'static str) -> Self {
        Self { action, merged: None, set_aside: None }
    }
}

impl SessionMap {
    /// Writes what is in memory, united with what the file holds at this moment, durably and as a whole.
    ///
    /// Where the file holds it all already nothing is written. Afterwards memory is what the file holds. A crash leaves the
    /// old map or the other one; after an error memory is as it was, and a later save may succeed.
    pub fn save(&mut self, fs: &dyn Fs, now: Time) -> Result<Saved, SessionError> {
        let real = file::real(fs, &self.path)?;
        let saved = match &self.doc {
            None => self.refresh(fs, &real),
            Some(doc) if self.base == MapBase::Same && holds(fs, &real, doc.to_bytes())? => {
                Ok(Saved::with_action("unchanged"))
            }
            Some(_) => self.write(fs, &real, now),
        };
        let saved = saved.and_then(|saved| self.confirm(fs, &real).map(|()| saved));
        saved.map_err(|error| {
            self.unconfirmed |= error.is_unconfirmed();
            error.in_dir(file::dir(&real))
        })
    }

    /// Makes sure that an earlier save is on disk, where that was not known.
    ///
    /// A later one finds the file as it should be and has nothing to write, but a power cut may still undo it.
    fn confirm(&mut self, fs: &dyn Fs, real: &Path) -> Result<(), SessionError> {
        if self.unconfirmed {
            let failed =
                |source| ReplaceError::Unconfirmed { path: real.to_owned(), kept: None, source };
            fs.sync_dir(file::dir(real)).map_err(failed)?;
            self.unconfirmed = false;
        }
        Ok(())
    }

    /// Takes over the file where memory has nothing to add.
    fn refresh(&mut self, fs: &dyn Fs, real: &Path) -> Result<Saved, SessionError> {
        if let Some(held) = file::read(fs, real)?.filter(|held| !held.is_corrupt()) {
            self.doc = Some(held.doc);
            self.base = MapBase::Same;
        }
        Ok(Saved::with_action("unchanged"))
    }

    fn write(&mut self, fs: &dyn Fs, real: &Path, now: Time) -> Result<Saved, SessionError> {
        let guard = file::hold_new(fs, real)?;
        let Some(memory) = &self.doc else { return Ok(Saved::with_action("unchanged")) };
        let base = &self.base;
        let put = |saved: Saved| Edit::Write(memory.to_bytes().to_vec(), (saved, None));
        let (saved, merged) = file::update(fs, &guard, real, now, |held| match held {
            None => Ok(put(Saved::with_action("created"))),
            Some((_, bytes)) if matches!(base, MapBase::Was(before) if before == bytes) => {
                Ok(put(Saved::with_action("written")))
            }
            Some((held, bytes)) if held.is_corrupt() => {
                // A damaged map of another version is refused here.
                held.saved(real, now)?;
                // There is nothing to keep of an empty file.
                let copy = match bytes {
                    [] => None,
                    _ => Some(set_aside(fs, &guard, real, bytes, now)?),
                };
                Ok(put(Saved { set_aside: copy, ..Saved::with_action("written") }))
            }
            Some((held, _)) => merge(held.doc, memory, now),
        })?;
        if let Some(doc) = merged {
            self.doc = Some(doc);
        }
        self.base = MapBase::Same;
        Ok(saved)
    }
}

/// Merges memory into what another program wrote.
fn merge(
    mut disk: SessionMapDoc,
    memory: &SessionMapDoc,
    now: Time,
) -> Result<Edit<(Saved, Option<SessionMapDoc>)>, SessionError> {
    let merged = disk.merge(memory, now)?;
    Ok(if merged.changed {
        let saved = Saved { merged: Some(merged), ..Saved::with_action("written") };
        Edit::Write(disk.to_bytes().to_vec(), (saved, Some(disk)))
    } else {
        let saved = Saved { merged: Some(merged), ..Saved::with_action("unchanged") };
        Edit::Keep((saved, Some(disk)))
    })
}

fn holds(fs: &dyn Fs, real: &Path, bytes: &[u8]) -> Result<bool, SessionError> {
    match fs.holds(real, bytes) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        held => held.map_err(|error| file::unread(real, error)),
    }
}
