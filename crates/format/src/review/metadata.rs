//! The metadata block: JSON between two tags, each alone on its line.

use super::head::{ContextSpan, GitSpan, Range};
use super::marker::{THREAD, THREAD_END, places};
use crate::diagnostic::{Code, DiagnosticList};
use crate::json::{self, Dialect, JsonKind, Reader, Str, SyntaxError};
use crate::line::{Line, lines};
use crate::span::Span;

/// Returns the span between the tags of the block, and the end of the line of the closing tag.
pub(super) fn block(bytes: &[u8]) -> Option<(Span, usize)> {
    let start = json::bom_len(bytes);
    let open = tag_line(bytes, start, THREAD)?;
    let close = tag_line(bytes, open.next, THREAD_END)?;
    Some((Span::new(open.next, close.text.start), close.next))
}

/// Finds the first line from `from` on that contains only `tag` and white space.
fn tag_line(bytes: &[u8], mut from: usize, tag: &[u8]) -> Option<Line> {
    loop {
        let at = from + places(bytes.get(from..)?, tag).next()?;
        let before = bytes.get(from..at)?;
        let start = memchr::memrchr(b'\n', before).map_or(from, |newline| from + newline + 1);
        let line = lines(bytes, Span::new(start, bytes.len())).next()?;
        if line.text.of(bytes).trim_ascii() == tag {
            return Some(line);
        }
        from = line.next;
    }
}

/// Reads the block; returns its fields with the span of its JSON, and the offset after the block.
pub(super) fn read<'a>(
    bytes: &'a [u8],
    findings: &mut DiagnosticList,
) -> (Option<(Reading<'a>, Span)>, usize) {
    let Some((inside, end)) = block(bytes) else {
        findings.push(Code::ReviewNoMetadata, None, "there is no closed metadata block");
        return (None, bytes.len());
    };
    let mut reading = Reading::new(bytes);
    match reading.object(inside) {
        Ok(root) => (Some((reading, root)), end),
        Err(error) => {
            let conflict =
                lines(bytes, inside).any(|line| line.text.of(bytes).starts_with(b"<<<<<<< "));
            let (code, message) = if conflict {
                (
                    Code::ReviewConflict,
                    "the metadata block contains git conflict markers".to_owned(),
                )
            } else {
                (Code::ReviewBadJson, format!("the metadata is not JSON: {error}"))
            };
            findings.push(code, Some(error.line(bytes)), message);
            (None, end)
        }
    }
}

/// The fields of the metadata, collected in one pass.
#[derive(Debug)]
pub(super) struct Reading<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) version: Option<Span>,
    pub(super) id: Option<Str>,
    pub(super) path: Option<Str>,
    pub(super) range: Found<Range>,
    pub(super) context: Found<ContextSpan>,
    pub(super) git: GitSpan,
    pub(super) bad_anchor: Option<usize>,
    pub(super) has_anchor: bool,
    pub(super) has_anchor_kind: bool,
    pub(super) status: Option<Str>,
    pub(super) created_at: Option<Str>,
    pub(super) updated_at: Option<Str>,
    pub(super) duplicates: Vec<Span>,
}

/// A value that may be missing, null or malformed; `Bad` has its offset.
#[derive(Clone, Copy, Debug)]
pub(super) enum Found<T> {
    Missing,
    Null,
    Bad(usize),
    Good(T),
}

type Read = Result<(), SyntaxError>;

impl<'a> Reading<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            version: None,
            id: None,
            path: None,
            range: Found::Missing,
            context: Found::Missing,
            git: GitSpan::default(),
            bad_anchor: None,
            has_anchor: false,
            has_anchor_kind: false,
            status: None,
            created_at: None,
            updated_at: None,
            duplicates: Vec::new(),
        }
    }

    /// Reads the JSON of the block, and returns its span.
    fn object(&mut self, inside: Span) -> Result<Span, SyntaxError> {
        let bytes = self.bytes;
        let mut reader = Reader::new(bytes, inside, Dialect::Json);
        let mut seen = Seen::default();
        let root = reader.object(|reader, key| {
            seen.key(bytes, key, &mut self.duplicates);
            match key.name(bytes).as_ref() {
                b"schemaVersion" => self.version = Some(reader.skip()?),
                b"id" => self.id = reader.string_or_skip()?,
                b"status" => self.status = reader.string_or_skip()?,
                b"createdAt" => self.created_at = reader.string_or_skip()?,
                b"updatedAt" => self.updated_at = reader.string_or_skip()?,
                b"target" => self.target(reader)?,
                _ => {}
            }
            Ok(())
        })?;
        reader.finish()?;
        Ok(root)
    }

    fn target(&mut self, reader: &mut Reader<'a>) -> Read {
        let bytes = self.bytes;
        // If the key occurs twice, the first target is ignored.
        (self.path, self.range) = (None, Found::Missing);
        self.reset_anchor();
        if reader.peek()? != JsonKind::Object {
            return Ok(());
        }
        let mut seen = Seen::default();
        reader.object(|reader, key| {
            seen.key(bytes, key, &mut self.duplicates);
            match key.name(bytes).as_ref() {
                b"workspaceRelativePath" => self.path = reader.string_or_skip()?,
                b"range" => self.range = range(reader, bytes)?,
                b"anchor" => self.anchor(reader)?,
                _ => {}
            }
            Ok(())
        })?;
        Ok(())
    }

    fn anchor(&mut self, reader: &mut Reader<'a>) -> Read {
        let bytes = self.bytes;
        self.reset_anchor();
        self.has_anchor = true;
        if reader.peek()? != JsonKind::Object {
            self.bad_anchor = Some(reader.skip()?.start);
            return Ok(());
        }
        reader.object(|reader, key| {
            match key.name(bytes).as_ref() {
                b"kind" => {
                    self.has_anchor_kind = true;
                    let at = key.span.start;
                    let kind = reader.string_or_skip()?;
                    if !kind.is_some_and(|kind| kind.is(bytes, "lineRange")) {
                        self.bad_anchor = Some(at);
                    }
                }
                b"context" => self.context = context(reader)?,
                b"git" => self.git(reader)?,
                _ => {}
            }
            Ok(())
        })?;
        Ok(())
    }

    fn reset_anchor(&mut self) {
        self.context = Found::Missing;
        self.git = GitSpan::default();
        self.bad_anchor = None;
        (self.has_anchor, self.has_anchor_kind) = (false, false);
    }

    fn git(&mut self, reader: &mut Reader<'a>) -> Read {
        let bytes = self.bytes;
        self.git = GitSpan::default();
        if reader.peek()? != JsonKind::Object {
            self.bad_anchor = Some(reader.skip()?.start);
            return Ok(());
        }
        reader.object(|reader, key| {
            let slot = match key.name(bytes).as_ref() {
                b"baseRef" => &mut self.git.base_ref,
                b"hunkHeader" => &mut self.git.hunk_header,
                _ => return Ok(()),
            };
            *slot = reader.string_or_skip()?;
            Ok(())
        })?;
        Ok(())
    }
}

fn range(reader: &mut Reader<'_>, bytes: &[u8]) -> Result<Found<Range>, SyntaxError> {
    match reader.peek()? {
        JsonKind::Null => reader.skip().map(|_| Found::Null),
        JsonKind::Object => {
            let mut four = [None; 4];
            let span = reader.object(|reader, key| {
                let slot = match key.name(bytes).as_ref() {
                    b"startLine" => 0,
                    b"startCharacter" => 1,
                    b"endLine" => 2,
                    b"endCharacter" => 3,
                    _ => return Ok(()),
                };
                let number = json::as_u32(reader.skip()?.of(bytes));
                if let Some(slot) = four.get_mut(slot) {
                    *slot = number;
                }
                Ok(())
            })?;
            Ok(range_of(four).map_or(Found::Bad(span.start), Found::Good))
        }
        _ => reader.skip().map(|span| Found::Bad(span.start)),
    }
}

/// Returns a range of four numbers, if all are given and in order.
pub(super) fn range_of(four: [Option<u32>; 4]) -> Option<Range> {
    let [start_line, start_character, end_line, end_character] = four;
    let range = Range {
        start_line: start_line?,
        start_character: start_character?,
        end_line: end_line?,
        end_character: end_character?,
    };
    let ordered =
        (range.start_line, range.start_character) <= (range.end_line, range.end_character);
    (ordered && range.end_line < u32::MAX).then_some(range)
}

fn context(reader: &mut Reader<'_>) -> Result<Found<ContextSpan>, SyntaxError> {
    match reader.peek()? {
        JsonKind::Null => reader.skip().map(|_| Found::Null),
        JsonKind::Object => {
            let (mut before, mut selection, mut after) = (None, None, None);
            let bytes = reader.bytes();
            let span = reader.object(|reader, key| {
                let slot = match key.name(bytes).as_ref() {
                    b"before" => &mut before,
                    b"after" => &mut after,
                    b"selection" => {
                        selection = reader.string_or_skip()?;
                        return Ok(());
                    }
                    _ => return Ok(()),
                };
                let array = reader.peek()? == JsonKind::Array;
                *slot = Some(reader.skip()?).filter(|_| array);
                Ok(())
            })?;
            Ok(match (before, selection, after) {
                (Some(before), Some(selection), Some(after)) => {
                    Found::Good(ContextSpan { before, selection, after })
                }
                _ => Found::Bad(span.start),
            })
        }
        _ => reader.skip().map(|span| Found::Bad(span.start)),
    }
}

/// The keys of the format that an object has, to find duplicates.
#[derive(Default)]
struct Seen(u8);

impl Seen {
    const KEYS: [&'static [u8]; 8] = [
        b"schemaVersion",
        b"id",
        b"target",
        b"status",
        b"createdAt",
        b"updatedAt",
        b"workspaceRelativePath",
        b"range",
    ];

    fn key(&mut self, bytes: &[u8], key: Str, duplicates: &mut Vec<Span>) {
        let name = key.name(bytes);
        let Some(n) = Self::KEYS.iter().position(|known| *known == name.as_ref()) else {
            return;
        };
        if self.0 >> n & 1 == 1 && duplicates.len() < DiagnosticList::LIMIT {
            duplicates.push(key.span);
        }
        self.0 |= 1 << n;
    }
}
