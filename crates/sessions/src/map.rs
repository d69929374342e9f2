use std::path::Path;

use skein_format::session::{Edit, Field, Loaded, Mapping, Mode, NewMapping, SessionMapDoc};
use skein_format::time::Time;
use skein_model::view::FileDiagnostic;
use skein_store::{Fs, RealFs};
use skein_workspace::session_map_path::MapPath;

use super::change;
use super::error::SessionError;
use super::file;

/// What one program knows of the session map: a document in memory that is united with the file by [`Self::save`].
///
/// Several programs may each have one for the same file. What one of them knows is never lost to another that wrote
/// the file without reading it: the next save brings it back.
#[derive(Debug)]
pub struct SessionMap {
    pub(super) path: MapPath,
    pub(super) mode: Mode,
    /// None where there was no map, and none is needed yet.
    pub(super) doc: Option<SessionMapDoc>,
    pub(super) base: MapBase,
    /// Whether a save may still be undone by a power cut.
    pub(super) unconfirmed: bool,
    diagnostics: Vec<FileDiagnostic>,
}

/// How the document in memory stands to the file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum MapBase {
    /// The file has to be read to know.
    Unknown,
    /// It is what the file held when it was last seen.
    Same,
    /// It was made by edits from the file with these bytes.
    Was(Vec<u8>),
}

impl SessionMap {
    /// Loads the map; a missing one is empty, and nothing is created.
    ///
    /// A file that is no map reads as empty too, with an error among the diagnostics; it is set aside before anything is
    /// written. A version that is not known is refused.
    pub fn load(path: &MapPath, mode: Mode) -> Result<Self, SessionError> {
        Self::load_through(&RealFs, path, mode)
    }

    /// Does the same through another file system.
    pub fn load_through(fs: &dyn Fs, path: &MapPath, mode: Mode) -> Result<Self, SessionError> {
        let real = file::real(fs, path)?;
        let mut map = Self {
            path: path.clone(),
            mode,
            doc: None,
            base: MapBase::Unknown,
            unconfirmed: false,
            diagnostics: Vec::new(),
        };
        if let Some(held) = file::read(fs, &real)? {
            let corrupt = held.is_corrupt();
            map.diagnostics = FileDiagnostic::all(held.found, path.path().display().to_string());
            if !corrupt {
                map.doc = Some(held.doc);
                map.base = MapBase::Same;
            }
        }
        Ok(map)
    }

    /// Returns the path, as it was given.
    pub fn path(&self) -> &Path {
        self.path.path()
    }

    /// Returns what was wrong with the file when it was loaded; [`Self::entries`] has the findings of the entries.
    pub fn diagnostics(&self) -> &[FileDiagnostic] {
        &self.diagnostics
    }

    /// Reads the entries that count, one for each session, and says what is wrong with the others.
    ///
    /// A `skein_format::session::Lookup` over them finds one in constant time.
    pub fn entries(&self) -> Loaded<'_> {
        match &self.doc {
            Some(doc) => doc.load(self.mode),
            None => Loaded { mappings: Vec::new(), diagnostics: Vec::new() },
        }
    }

    /// Returns the entries that count.
    pub fn mappings(&self) -> Vec<Mapping<'_>> {
        self.entries().mappings
    }

    /// Adds an entry, in memory.
    pub fn insert(&mut self, mapping: &NewMapping, now: Time) -> Result<(), SessionError> {
        self.apply(&[Edit::Insert(mapping)], now).map(|_| ())
    }

    /// Sets fields of an entry, in memory; a change counts as activity, and `ended` is final.
    pub fn set(
        &mut self,
        session_id: &str,
        fields: &[(Field, &str)],
        now: Time,
    ) -> Result<(), SessionError> {
        let none = || SessionError::NoSession { id: session_id.to_owned() };
        let doc = self.doc.as_ref().ok_or_else(none)?;
        let mapping = doc.entry(session_id).ok_or_else(none)?;
        let fields = change::complete(&mapping, fields, now)?;
        let fields: Vec<_> = fields.iter().map(|(field, value)| (*field, value.as_str())).collect();
        self.apply(&[Edit::Set { session_id, fields: &fields }], now).map(|_| ())
    }

    /// Makes several changes at once, in memory, all or none; true where something changed.
    pub fn apply(&mut self, edits: &[Edit<'_>], now: Time) -> Result<bool, SessionError> {
        let doc = self.doc.get_or_insert_with(|| SessionMapDoc::create(now));
        let before = (self.base == MapBase::Same).then(|| doc.to_bytes().to_vec());
        let changed = doc.apply(edits, now)?;
        if let Some(before) = before.filter(|_| changed) {
            self.base = MapBase::Was(before);
        }
        Ok(changed)
    }
}
