//! The file, seen from outside of its entries.

use std::mem;

use super::contract;
use super::positions::EntryPositions;
use super::version::{self, MapVersion};
use crate::diagnostic::{Code, DiagnosticList, brief};
use crate::json::{self, JsonKind, Reader, Str, SyntaxError};
use crate::span::{Span, line_of};

/// What the file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapValidity {
    /// A map that can be read and written.
    Sound,
    /// Not a map at all: it reads as empty and is set aside before anything is written.
    Corrupt,
    /// A map of another version: it is neither read nor written.
    UnknownVersion,
}

/// The locations of the parts of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MapLayout {
    /// Whether there are any.
    pub(super) soundness: MapValidity,
    /// The object.
    pub(super) root: Span,
    /// The list of entries.
    pub(super) mappings: Span,
    /// The value of `lastModified`, whatever it is.
    pub(super) last_modified: Option<Span>,
    /// Whether there are keys beside those of the format.
    pub(super) others: bool,
}

impl MapLayout {
    fn broken(soundness: MapValidity) -> Self {
        let none = Span::default();
        Self { soundness, root: none, mappings: none, last_modified: None, others: false }
    }

    /// Reads a file of the current version.
    pub(super) fn read(bytes: &[u8], findings: &mut DiagnosticList) -> (Self, EntryPositions) {
        let (layout, places, _) = Self::lift(bytes, version::VERSIONS, findings);
        (layout, places)
    }

    /// Reads a file of any version, and returns what it became where it had to be lifted.
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
                let layout = outline.judge(current, known, findings);
                let sound = layout.soundness == MapValidity::Sound;
                let places =
                    if sound { mem::take(&mut outline.places) } else { EntryPositions::default() };
                return (layout, places, lifted);
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
    places: EntryPositions,
    others: bool,
    last_modified: Option<Span>,
    /// The same, where it is a text.
    modified_at: Option<Str>,
    /// A key that appears more than once; the last one counts.
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
        let root = reader.object(|reader, key| outline.take(reader, key))?;
        reader.finish()?;
        outline.root = Some(root);
        Ok(outline)
    }

    fn take(&mut self, reader: &mut Reader<'_>, key: Str) -> Result<(), SyntaxError> {
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
                let (span, places) = match kind {
                    JsonKind::Array => EntryPositions::read(reader)?,
                    _ => (reader.skip()?, EntryPositions::default()),
                };
                self.places = places;
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

    fn judge(&self, bytes: &[u8], current: bool, findings: &mut DiagnosticList) -> MapLayout {
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
