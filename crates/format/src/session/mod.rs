//! The session map: one JSON file that binds agent sessions to chat threads.
//!
//! `docs/formats/session-map.md` defines the format.

mod contract;
mod edit;
mod entry;
mod winner;

pub use edit::{EditError, Field, NewMapping};
pub use entry::{Mapping, Mode, SessionStatus};

use crate::diagnostic::{Code, Diagnostic, Findings, brief};
use crate::json::{self, Dialect, Kind, Reader, Str, SyntaxError};
use crate::span::{Span, line_of};

/// The name of the file in its directory.
pub const FILE_NAME: &str = "mattermost-threads.json";

/// The session map: its bytes, and where in them things stand.
#[derive(Clone, Debug)]
pub struct SessionMapDoc {
    bytes: Vec<u8>,
    layout: Layout,
}

/// What the file is, seen from outside of its entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Soundness {
    /// A map that can be read and written.
    Sound,
    /// Not a map at all: it reads as empty and is set aside before anything is written.
    Corrupt,
    /// A map of another version: it is neither read nor written.
    UnknownVersion,
}

#[derive(Clone, Copy, Debug)]
struct Layout {
    soundness: Soundness,
    root: Span,
    mappings: Span,
}

/// What `load` gives: the entries that count, and what is wrong with the others.
#[derive(Debug)]
pub struct Loaded<'a> {
    /// One entry for each session, in the order of the file.
    pub mappings: Vec<Mapping<'a>>,
    /// The findings of the entries; those of the file came with it.
    pub diagnostics: Vec<Diagnostic>,
}

impl SessionMapDoc {
    /// Reads a map; its entries are read by [`Self::load`].
    pub fn parse(bytes: Vec<u8>) -> (Self, Vec<Diagnostic>) {
        let mut findings = Findings::default();
        let layout = Layout::read(&bytes, &mut findings);
        (Self { bytes, layout }, findings.into_list())
    }

    /// Returns the bytes of the document: those it was read from, but for its edits.
    pub fn to_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Gives up the document for its bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Returns whether the file can be used.
    pub fn soundness(&self) -> Soundness {
        self.layout.soundness
    }

    /// Reads the entries, each on its own: a bad one costs only itself.
    pub fn load(&self, mode: Mode) -> Loaded<'_> {
        let mut findings = Findings::default();
        let mut mappings = Vec::new();
        if self.layout.soundness == Soundness::Sound {
            mappings = entry::read_all(&self.bytes, self.layout.mappings, mode, &mut findings);
            winner::keep_one_each(&self.bytes, &mut mappings, &mut findings);
        }
        Loaded { mappings, diagnostics: findings.into_list() }
    }
}

impl Layout {
    fn broken(soundness: Soundness) -> Self {
        Self { soundness, root: Span::default(), mappings: Span::default() }
    }

    fn read(bytes: &[u8], findings: &mut Findings) -> Self {
        match Outline::read(bytes) {
            Ok(outline) => outline.judge(bytes, findings),
            Err(error) => {
                findings.push_syntax(Code::SessionBadJson, bytes, error);
                Self::broken(Soundness::Corrupt)
            }
        }
    }
}

/// The top level of the file.
#[derive(Default)]
struct Outline {
    root: Option<Span>,
    version: Option<Span>,
    mappings: Option<Span>,
    last_modified: Option<Str>,
}

impl Outline {
    fn read(bytes: &[u8]) -> Result<Self, SyntaxError> {
        let mut outline = Self::default();
        let all = Span::new(json::bom_len(bytes), bytes.len());
        let mut reader = Reader::new(bytes, all, Dialect::Json);
        if reader.peek()? != Kind::Object {
            reader.skip()?;
            reader.finish()?;
            return Ok(outline);
        }
        let root = reader.object(|reader, key| {
            match key.name(bytes).as_ref() {
                b"version" => outline.version = Some(reader.skip()?),
                b"lastModified" => outline.last_modified = reader.string_or_skip()?,
                b"mappings" => {
                    let array = reader.peek()? == Kind::Array;
                    outline.mappings = Some(reader.skip()?).filter(|_| array);
                }
                _ => {}
            }
            Ok(())
        })?;
        reader.finish()?;
        outline.root = Some(root);
        Ok(outline)
    }

    fn judge(&self, bytes: &[u8], findings: &mut Findings) -> Layout {
        if json::bom_len(bytes) > 0 {
            findings.push(Code::SessionBom, Some(1), "the file starts with a byte order mark");
        }
        let Some(root) = self.root else {
            findings.push(Code::SessionBadShape, Some(1), "the file is not an object");
            return Layout::broken(Soundness::Corrupt);
        };
        if !self.version.is_some_and(|version| json::is_one(version.of(bytes))) {
            let found =
                self.version.map(|span| String::from_utf8_lossy(span.of(bytes)).into_owned());
            let message = match &found {
                Some(found) => format!("version {} is not known", brief(found)),
                None => "the file names no version".to_owned(),
            };
            let line = self.version.map(|span| line_of(bytes, span.start));
            findings.push(Code::SessionVersion, line, message);
            return Layout::broken(Soundness::UnknownVersion);
        }
        let Some(mappings) = self.mappings else {
            findings.push(Code::SessionBadShape, None, "`mappings` is missing or not an array");
            return Layout::broken(Soundness::Corrupt);
        };
        let dated = self.last_modified.is_some_and(|at| contract::is_date_time(at.raw(bytes)));
        if !dated {
            let line = self.last_modified.map(|at| line_of(bytes, at.span.start));
            findings.push(
                Code::SessionLastModified,
                line,
                "`lastModified` is missing or not a time",
            );
        }
        Layout { soundness: Soundness::Sound, root, mappings }
    }
}
