//! Brings what a program knows into the file.

use std::io;
use std::path::{Path, PathBuf};

use skein_format::session::{Merged, SessionMapDoc};
use skein_format::time::Time;
use skein_store::{CreateError, Fs, Guard, ReplaceError, create_new};

use super::aside::set_aside;
use super::error::SessionError;
use super::file::{self, Held, TRIES};
use super::map::{Base, SessionMap};

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
    fn of(action: &'static str) -> Self {
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
            Some(doc) if self.base == Base::Same && holds(fs, &real, doc.to_bytes())? => {
                Ok(Saved::of("unchanged"))
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
            self.base = Base::Same;
        }
        Ok(Saved::of("unchanged"))
    }

    fn write(&mut self, fs: &dyn Fs, real: &Path, now: Time) -> Result<Saved, SessionError> {
        let guard = file::hold_new(fs, real)?;
        let to = Write { fs, guard: &guard, real, now };
        for _ in 0..TRIES {
            let Some(doc) = &self.doc else {
                break;
            };
            let done = match &self.base {
                Base::Was(before) if holds(fs, real, before)? && to.put(before, doc)? => {
                    self.base = Base::Same;
                    Some(Saved::of("written"))
                }
                _ => self.unite(&to)?,
            };
            if let Some(saved) = done {
                return Ok(saved);
            }
        }
        Err(SessionError::Busy { path: self.path().to_owned() })
    }

    /// Reads what is there and writes what comes of both; none where another program wrote meanwhile.
    fn unite(&mut self, to: &Write<'_>) -> Result<Option<Saved>, SessionError> {
        self.base = Base::Unknown;
        let Some(memory) = &self.doc else {
            return Ok(None);
        };
        let saved = match file::read_to_write(to.fs, to.real)? {
            None => to.create(memory)?,
            Some((held, expected)) if held.is_corrupt() => to.displace(&held, &expected, memory)?,
            Some((held, expected)) => match to.merge(held.doc, &expected, memory)? {
                Some((saved, doc)) => {
                    self.doc = Some(doc);
                    Some(saved)
                }
                None => None,
            },
        };
        if saved.is_some() {
            self.base = Base::Same;
        }
        Ok(saved)
    }
}

/// A write under way, with the lock held; each way gives none where another program wrote meanwhile.
struct Write<'a> {
    fs: &'a dyn Fs,
    guard: &'a Guard,
    real: &'a Path,
    now: Time,
}

impl Write<'_> {
    fn put(&self, expected: &[u8], doc: &SessionMapDoc) -> Result<bool, SessionError> {
        file::put(self.fs, self.guard, self.real, expected, doc.to_bytes(), self.now)
    }

    /// Writes a map where there is none, for its owner alone.
    fn create(&self, memory: &SessionMapDoc) -> Result<Option<Saved>, SessionError> {
        match create_new(self.fs, self.guard, self.real, memory.to_bytes(), 0o600) {
            Ok(_) => Ok(Some(Saved::of("created"))),
            Err(CreateError::Exists { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Writes memory into the place of a damaged file, once that is kept whole; one of another version stays.
    fn displace(
        &self,
        damaged: &Held,
        expected: &[u8],
        memory: &SessionMapDoc,
    ) -> Result<Option<Saved>, SessionError> {
        damaged.saved(self.real, self.now)?;
        let bytes = damaged.doc.to_bytes();
        // Of an empty file there is nothing to keep.
        let copy = match bytes {
            [] => None,
            _ => Some(set_aside(self.fs, self.guard, self.real, bytes, self.now)?),
        };
        let written = self.put(expected, memory)?;
        Ok(written.then(|| Saved { set_aside: copy, ..Saved::of("written") }))
    }

    /// Unites memory with what another program wrote, and gives the map that is then in the file.
    fn merge(
        &self,
        mut disk: SessionMapDoc,
        expected: &[u8],
        memory: &SessionMapDoc,
    ) -> Result<Option<(Saved, SessionMapDoc)>, SessionError> {
        let merged = disk.merge(memory, self.now)?;
        let action = if merged.changed { "written" } else { "unchanged" };
        if merged.changed && !self.put(expected, &disk)? {
            return Ok(None);
        }
        Ok(Some((Saved { merged: Some(merged), ..Saved::of(action) }, disk)))
    }
}

fn holds(fs: &dyn Fs, real: &Path, bytes: &[u8]) -> Result<bool, SessionError> {
    match fs.holds(real, bytes) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        held => held.map_err(|error| file::unread(real, error)),
    }
}
