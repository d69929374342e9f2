//! The session map: one JSON file that binds agent sessions to chat threads.
//!
//! `docs/formats/session-map.md` defines the format.

mod contract;
mod dedup;
mod edit;
mod entry;
mod entry_template;
mod find;
mod lookup;
mod mapping;
mod merge;
mod outline;
mod positions;
mod read_all;
mod salvage;
mod session_index;
mod status;
mod value_set;
mod version;

pub use edit::{MapEdit, MapEditError, MappingField, NewMapping};
pub use entry::Mode;
pub use lookup::Lookup;
pub use mapping::Mapping;
pub use merge::{MergeReason, MergeSide, MergedMap, Verdict, merge};
pub use outline::MapValidity;
pub use salvage::{Salvage, salvage};
pub use status::SessionStatus;
pub use version::{MapVersion, UpgradeFn, VERSIONS};

use std::sync::OnceLock;

use crate::diagnostic::{Diagnostic, DiagnosticList};
use outline::MapLayout;
use positions::EntryPositions;

/// The name of the file in its directory.
pub const FILE_NAME: &str = "mattermost-threads.json";

/// The session map: its bytes, and the locations of its parts.
#[derive(Clone, Debug)]
pub struct SessionMapDoc {
    bytes: Vec<u8>,
    /// Parsed from the bytes when it is first needed after an edit.
    parsed: OnceLock<(MapLayout, EntryPositions)>,
}

/// The result of [`SessionMapDoc::load`].
#[derive(Debug)]
pub struct Loaded<'a> {
    /// The effective entry of each session, in the order of the file.
    pub mappings: Vec<Mapping<'a>>,
    /// The diagnostics of the entries; [`SessionMapDoc::parse`] returns those of the file.
    pub diagnostics: Vec<Diagnostic>,
}

impl SessionMapDoc {
    /// Parses a map; its entries are read by [`Self::load`].
    pub fn parse(bytes: Vec<u8>) -> (Self, Vec<Diagnostic>) {
        Self::parse_through(bytes, VERSIONS)
    }

    /// Parses a map of any of the given versions; an older one is upgraded step by step.
    pub fn parse_through(bytes: Vec<u8>, versions: &[MapVersion]) -> (Self, Vec<Diagnostic>) {
        let mut findings = DiagnosticList::default();
        let (layout, positions, lifted) = MapLayout::lift(&bytes, versions, &mut findings);
        let parsed = OnceLock::from((layout, positions));
        (Self { bytes: lifted.unwrap_or(bytes), parsed }, findings.into_list())
    }

    fn parsed(&self) -> &(MapLayout, EntryPositions) {
        self.parsed.get_or_init(|| MapLayout::read(&self.bytes, &mut DiagnosticList::default()))
    }

    fn layout(&self) -> &MapLayout {
        &self.parsed().0
    }

    fn positions(&self) -> &EntryPositions {
        &self.parsed().1
    }

    /// Returns the bytes of the document, with its edits.
    pub fn to_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Consumes the document and returns its bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Returns whether the file can be used.
    pub fn soundness(&self) -> MapValidity {
        self.layout().soundness
    }

    /// Returns the number of entries, valid or not.
    pub fn count(&self) -> usize {
        self.positions().keyed.len() + self.positions().keyless
    }

    /// Reads the entries; an invalid one does not affect the others.
    pub fn load(&self, mode: Mode) -> Loaded<'_> {
        let mut findings = DiagnosticList::default();
        let mut mappings = Vec::new();
        if self.layout().soundness == MapValidity::Sound {
            mappings = read_all::read_all(self, mode, &mut findings);
            dedup::dedup_reporting(&self.bytes, &mut mappings, &mut findings);
        }
        Loaded { mappings, diagnostics: findings.into_list() }
    }
}
