//! The top level of the file, without its entries.

use std::mem;

use super::contract;
use super::positions::EntryPositions;
use super::version::{self, MapVersion};
use crate::diagnostic::{Code, DiagnosticList, brief};
use crate::json::{self, JsonKind, Reader, Str, SyntaxError};
use crate::span::{Span, line_of};

/// Whether the file is a valid map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapValidity {
    /// A map that can be read and written.
    Sound,
    /// Not a map: it reads as empty and is backed up before anything is written.
    Corrupt,
    /// A map of another version: it is neither read nor written.
    UnknownVersion,
}

/// The locations of the parts of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MapLayout {
    /// Whether the file is a valid map; if not, the spans are empty.
    pub(super) soundness: MapValidity,
    /// The top-level object.
    pub(super) root: Span,
    /// The list of entries.
    pub(super) mappings: Span,
    /// The value of `lastModified`, of any type.
    pub(super) last_modified: Option<Span>,
    /// Whether there are unknown keys.
    pub(super) others: bool,
}

impl MapLayout {
    fn broken(soundness: MapValidity) -> Self {
        let none = Span::default();
        Self { soundness, root: none, mappings: none, last_modified: None, others: false }
    }

    /// Reads a file of the current version.
    pub(super) fn read(bytes: &[u8], findings: &mut DiagnosticList) -> (Self, EntryPositions) {
        let (layout, positions, _) = Self::lift(bytes, version::VERSIONS, findings);
        (layout, positions)
    }

    /// Reads a file of any version; also returns the upgraded bytes if it had to be upgraded.
    pub(super) fn lift(
        bytes: &[u8],
        versions: &[MapVersion],
        findings: &mut DiagnosticList,
    ) -> (Self, EntryPositions, Option<Vec<u8>>) {
        let mut lifted: Option<Vec<u8>> = None;
        let mut least = 0;
        loop {
            let current = lifted.as_deref().unwrap_or(bytes);
            let mut outline = match Outline::read(current) {
                Ok(outline) => outline,
                Err(error) => {
                    findings.push_syntax(Code::SessionBadJson, current, error);
                    return (Self::broken(MapValidity::Corrupt), EntryPositions::default(), lifted);
                }
            };
            let row = outline.row(current, versions).filter(|row| *row >= least);
            let older = row.and_then(|row| Some((row, versions.get(row)?.lift?)));
            let next = older.and_then(|(_, lift)| lift(current));
            let Some(next) = next else {
                let known = row.is_some() && older.is_none();
                let layout = outline.check(current, known, findings);
                let sound = layout.soundness == MapValidity::Sound;
                let positions = if sound {
                    mem::take(&mut outline.positions)
                } else {
                    EntryPositions::default()
                };
                return (layout, positions, lifted);
            };
            least = older.map_or(least, |(row, _)| row + 1);
            lifted = Some(next);
        }
    }
}

/// The top level of the file.
#[derive(Default)]
struct Outline {
    root: Option<Span>,
    version: Option<Span>,
    mappings: Option<Span>,
    array: bool,
    positions: EntryPositions,
    others: bool,
    last_modified: Option<Span>,
    /// The value of `lastModified`, if it is a string.
    modified_at: Option<Str>,
    /// The first key found more than once; its last value is used.
    doubled: Option<(&'static str, Span)>,
}

impl Outline {
    fn read(bytes: &[u8]) -> Result<Self, SyntaxError> {
        let mut outline = Self::default();
        let mut reader = Reader::document(bytes);
        if reader.peek()? != JsonKind::Object {
            reader.skip()?;
            reader.finish()?;
            return Ok(outline);
        }
        let root = reader.object(|reader, key| outline.read_member(reader, key))?;
        reader.finish()?;
        outline.root = Some(root);
        Ok(outline)
    }

    fn read_member(&mut self, reader: &mut Reader<'_>, key: Str) -> Result<(), SyntaxError> {
        let kind = reader.peek()?;
        let (name, before) = match key.name(reader.bytes()).as_ref() {
            b"version" => ("version", self.version.replace(reader.skip()?)),
            b"lastModified" => {
                self.modified_at = None;
                let value = if kind == JsonKind::String {
                    let text = reader.string()?;
                    self.modified_at = Some(text);
                    text.span
                } else {
                    reader.skip()?
                };
                ("lastModified", self.last_modified.replace(value))
            }
            b"mappings" => {
                self.array = kind == JsonKind::Array;
                let (span, positions) = match kind {
                    JsonKind::Array => EntryPositions::read(reader)?,
                    _ => (reader.skip()?, EntryPositions::default()),
                };
                self.positions = positions;
                ("mappings", self.mappings.replace(span))
            }
            _ => {
                self.others = true;
                return Ok(());
            }
        };
        if before.is_some() {
            self.doubled = self.doubled.or(Some((name, key.span)));
        }
        Ok(())
    }

    fn row(&self, bytes: &[u8], versions: &[MapVersion]) -> Option<usize> {
        version::row(versions, self.version?.of(bytes))
    }

    fn check(&self, bytes: &[u8], current: bool, findings: &mut DiagnosticList) -> MapLayout {
        if json::bom_len(bytes) > 0 {
            findings.push(Code::SessionBom, Some(1), "the file starts with a byte order mark");
        }
        let Some(root) = self.root else {
            findings.push(Code::SessionBadShape, Some(1), "the file is not an object");
            return MapLayout::broken(MapValidity::Corrupt);
        };
        if let Some((name, at)) = self.doubled {
            let message = format!("`{name}` appears more than once");
            findings.push(Code::SessionDuplicateKey, Some(line_of(bytes, at.start)), message);
        }
        if !current {
            self.report_version(bytes, findings);
            return MapLayout::broken(MapValidity::UnknownVersion);
        }
        let Some(mappings) = self.mappings.filter(|_| self.array) else {
            findings.push(Code::SessionBadShape, None, "`mappings` is missing or not an array");
            return MapLayout::broken(MapValidity::Corrupt);
        };
        if !self.modified_at.is_some_and(|at| contract::is_date_time(at.raw(bytes))) {
            let line = self.modified_at.map(|at| line_of(bytes, at.span.start));
            findings.push(
                Code::SessionLastModified,
                line,
                "`lastModified` is missing or not a time",
            );
        }
        let (last_modified, others) = (self.last_modified, self.others);
        MapLayout { soundness: MapValidity::Sound, root, mappings, last_modified, others }
    }

    fn report_version(&self, bytes: &[u8], findings: &mut DiagnosticList) {
        let found = self.version.map(|span| String::from_utf8_lossy(span.of(bytes)).into_owned());
        let message = match &found {
            Some(found) => format!("version {} is not known", brief(found)),
            None => "the file has no version".to_owned(),
        };
        let line = self.version.map(|span| line_of(bytes, span.start));
        findings.push(Code::SessionVersion, line, message);
    }
}
