use std::path::Path;

use skein_format::session::{
    Loaded, MapEdit, Mapping, MappingField, Mode, NewMapping, SessionMapDoc,
};
use skein_format::time::Time;
use skein_model::view::FileDiagnostic;
use skein_store::{Fs, RealFs};
use skein_workspace::session_map_path::MapPath;

use super::change;
use super::error::{SessionError, SessionResult};
use super::file;

/// A session map in memory, which [`Self::save`] merges with the file.
///
/// Several programs may have the same map in memory. If another program overwrites the file without reading it, the next save restores
/// the lost entries.
#[derive(Debug)]
pub struct SessionMap {
    pub(super) path: MapPath,
    pub(super) mode: Mode,
    /// None if there was no map and nothing was added.
    pub(super) doc: Option<SessionMapDoc>,
    pub(super) base: MapBase,
    /// Whether a save may still be undone by a power cut.
    pub(super) unconfirmed: bool,
    diagnostics: Vec<FileDiagnostic>,
}

/// How the document in memory relates to the file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum MapBase {
    /// Unknown until the file is read.
    Unknown,
    /// The file had the same content when it was last read.
    Same,
    /// It was edited, from a file with these bytes.
    Was(Vec<u8>),
}

impl SessionMap {
    /// Loads the map; a missing file is an empty map, and nothing is created.
    ///
    /// An invalid file is an empty map too, with an error in the diagnostics; a backup is made before it is overwritten. An unknown
    /// version is refused.
    pub fn load(path: &MapPath, mode: Mode) -> SessionResult<Self> {
        Self::load_through(&RealFs, path, mode)
    }

    /// Loads the map through another file system.
    pub fn load_through(fs: &dyn Fs, path: &MapPath, mode: Mode) -> SessionResult<Self> {
        let real = file::resolve(fs, path)?;
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

    /// Returns the path.
    pub fn path(&self) -> &Path {
        self.path.path()
    }

    /// Returns the diagnostics of the file when it was loaded; [`Self::entries`] has those of the entries.
    pub fn diagnostics(&self) -> &[FileDiagnostic] {
        &self.diagnostics
    }

    /// Returns the valid entries, one for each session, and diagnostics for the others.
    ///
    /// `skein_format::session::Lookup` finds one of them in constant time.
    pub fn entries(&self) -> Loaded<'_> {
        match &self.doc {
            Some(doc) => doc.load(self.mode),
            None => Loaded { mappings: Vec::new(), diagnostics: Vec::new() },
        }
    }

    /// Returns the valid entries.
    pub fn mappings(&self) -> Vec<Mapping<'_>> {
        self.entries().mappings
    }

    /// Adds an entry, in memory.
    pub fn insert(&mut self, mapping: &NewMapping, now: Time) -> SessionResult {
        self.apply(&[MapEdit::Insert(mapping)], now).map(|_| ())
    }

    /// Sets fields of an entry, in memory; a change counts as activity, and `ended` is final.
    pub fn set(
        &mut self,
        session_id: &str,
        fields: &[(MappingField, &str)],
        now: Time,
    ) -> SessionResult {
        let none = || SessionError::NoSession { id: session_id.to_owned() };
        let doc = self.doc.as_ref().ok_or_else(none)?;
        let mapping = doc.entry(session_id).ok_or_else(none)?;
        let fields = change::complete(&mapping, fields, now)?;
        let fields: Vec<_> = fields.iter().map(|(field, value)| (*field, value.as_str())).collect();
        self.apply(&[MapEdit::Set { session_id, fields: &fields }], now).map(|_| ())
    }

    /// Applies several changes in memory, all or none; returns whether something changed.
    pub fn apply(&mut self, edits: &[MapEdit<'_>], now: Time) -> SessionResult<bool> {
        let doc = self.doc.get_or_insert_with(|| SessionMapDoc::create(now));
        let before = (self.base == MapBase::Same).then(|| doc.to_bytes().to_vec());
        let changed = doc.apply(edits, now)?;
        if let Some(before) = before.filter(|_| changed) {
            self.base = MapBase::Was(before);
        }
        Ok(changed)
    }
}
