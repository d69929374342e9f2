//! One entry of the map, read from its own slice of the file.

use std::borrow::Cow;

use super::contract::RULES;
use super::mapping::{Mapping, MappingTexts};
use crate::diagnostic::{Code, DiagnosticList};
use crate::json::{DecodedText, Dialect, JsonKind, Reader, Str, SyntaxError};
use crate::span::Span;

/// How strictly entries are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// An entry that violates the contract is skipped.
    Strict,
    /// Like `Strict`, but a short id that is too long only gets a warning.
    ///
    /// Most of OpenCode's own session names are longer than the contract allows, and people need to see such sessions.
    Display,
    /// An entry with a session and a thread is used, with a warning.
    Lenient,
}

/// The fields of an entry, in the order of the contract.
pub(super) const FIELDS: [&str; 12] = [
    "sessionId",
    "threadRootPostId",
    "shortId",
    "mattermostUserId",
    "dmChannelId",
    "projectName",
    "directory",
    "sessionTitle",
    "status",
    "createdAt",
    "lastActivityAt",
    "endedAt",
];

/// The fields of an entry, not decoded.
#[derive(Default)]
pub(super) struct Entry {
    /// Its location in the file.
    pub(super) span: Span,
    /// Whether it is not an object.
    other: bool,
    fields: [Slot; 12],
    /// The first field found more than once; its last value is used.
    doubled: Option<&'static str>,
}

/// A part of the file that is valid UTF-8.
#[derive(Clone, Copy)]
pub(super) struct ValidText<'a> {
    pub(super) text: &'a str,
    /// Its offset in the file.
    pub(super) start: usize,
}

impl<'a> ValidText<'a> {
    fn inside(&self, quoted: Str) -> Option<&'a str> {
        let at = |offset: usize| offset.checked_sub(self.start);
        self.text.get(at(quoted.span.start + 1)?..at(quoted.span.end - 1)?)
    }
}

/// The value of a field.
#[derive(Clone, Copy, Default)]
pub(super) enum Slot {
    /// The entry does not have it.
    #[default]
    Missing,
    /// It is not a string.
    Wrong(Span),
    /// It is a string.
    Text(Str),
}

impl Slot {
    /// Returns the location of the value.
    pub(super) fn span(&self) -> Option<Span> {
        match self {
            Self::Missing => None,
            Self::Wrong(span) => Some(*span),
            Self::Text(text) => Some(text.span),
        }
    }
}

impl Entry {
    /// Reads the next value; calls `other` with each key that is not a field.
    pub(super) fn read(
        reader: &mut Reader<'_>,
        mut other: impl FnMut(Str, Span),
    ) -> Result<Self, SyntaxError> {
        let mut entry = Self::default();
        if reader.peek()? != JsonKind::Object {
            entry.span = reader.skip()?;
            entry.other = true;
            return Ok(entry);
        }
        let bytes = reader.bytes();
        let mut next = 0;
        entry.span = reader.object(|reader, key| {
            let name = key.name(bytes);
            // Programs write the fields in the order of the contract, so the expected one is tried first.
            let known =
                |n: &usize| FIELDS.get(*n).is_some_and(|field| field.as_bytes() == name.as_ref());
            let Some(n) = Some(next).filter(known).or_else(|| (0..FIELDS.len()).find(known)) else {
                other(key, reader.skip()?);
                return Ok(());
            };
            next = n + 1;
            let value = match reader.peek()? {
                JsonKind::String => Slot::Text(reader.string()?),
                _ => Slot::Wrong(reader.skip()?),
            };
            entry.put(n, value);
            Ok(())
        })?;
        Ok(entry)
    }

    /// Reads the entry at `span` of a document that was parsed before.
    pub(super) fn at(bytes: &[u8], span: Span, other: impl FnMut(Str, Span)) -> Option<Self> {
        Self::read(&mut Reader::new(bytes, span, Dialect::Json), other).ok()
    }

    fn put(&mut self, n: usize, value: Slot) {
        if let Some(slot) = self.fields.get_mut(n) {
            if slot.span().is_some() {
                self.doubled = self.doubled.or(FIELDS.get(n).copied());
            }
            *slot = value;
        }
    }

    /// Resets the entry, and returns its fields to fill in.
    pub(super) fn clear(&mut self) -> &mut [Slot; 12] {
        (self.other, self.doubled) = (false, None);
        self.fields = [Slot::Missing; 12];
        &mut self.fields
    }

    /// Returns whether a field occurs more than once.
    pub(super) fn is_doubled(&self) -> bool {
        self.doubled.is_some()
    }

    /// Returns the value of a field.
    pub(super) fn slot(&self, n: usize) -> Slot {
        self.fields.get(n).copied().unwrap_or(Slot::Missing)
    }

    /// Returns the entry if `mode` accepts it, and reports its problems.
    pub(super) fn judge<'a>(
        &self,
        bytes: &'a [u8],
        valid: Option<ValidText<'a>>,
        number: usize,
        mode: Mode,
        findings: &mut DiagnosticList,
    ) -> Option<Mapping<'a>> {
        let texts = self.texts(bytes, valid);
        let breach = self.breach(&texts, Mode::Strict);
        let keep = match mode {
            _ if breach.is_none() => true,
            Mode::Strict => false,
            Mode::Display => self.breach(&texts, Mode::Display).is_none(),
            Mode::Lenient => self.has_key(bytes),
        };
        if let Some(breach) = &breach {
            let code = if keep { Code::SessionLenient } else { Code::SessionEntry };
            let at = (bytes, self.span.start);
            findings.push_at(code, at, format!("entry {number}: {breach}"));
        }
        if let Some(name) = self.doubled {
            let at = (bytes, self.span.start);
            let message = format!("entry {number}: `{name}` appears more than once");
            findings.push_at(Code::SessionDuplicateKey, at, message);
        }
        keep.then(|| Mapping { breach, ..Mapping::new(texts, self.span) })
    }

    /// Returns the first violation of the contract, in a mode other than `Lenient`.
    ///
    /// A character that cannot be decoded is allowed, except in the session id, which is the key.
    fn breach(&self, texts: &MappingTexts<'_>, mode: Mode) -> Option<String> {
        if self.other {
            return Some("it is not an object".to_owned());
        }
        let all = self.fields.iter().zip(texts).zip(FIELDS.iter().zip(RULES));
        all.into_iter().find_map(|((slot, text), (name, rule))| {
            let problem = match (slot, text) {
                (Slot::Missing, _) if rule.is_optional() => None,
                (Slot::Missing, _) => Some("is missing"),
                (_, None) => Some("is not a string"),
                (_, Some(text)) if text.lossy && *name == FIELDS[0] => {
                    Some("contains a broken character")
                }
                (_, Some(text)) if mode == Mode::Display && rule.is_too_long(&text.text) => None,
                (_, Some(text)) => rule.broken_by(&text.text),
            };
            problem.map(|problem| format!("`{name}` {problem}"))
        })
    }

    fn has_key(&self, bytes: &[u8]) -> bool {
        self.key(bytes).is_some()
    }

    /// Returns the session id, if the entry has a session and a thread.
    ///
    /// An id with a character that cannot be decoded is not a key: it could be mistaken for a similar one.
    pub(super) fn key(&self, bytes: &[u8]) -> Option<Str> {
        let (Slot::Text(id), Slot::Text(root)) = (self.slot(0), self.slot(1)) else {
            return None;
        };
        let is_filled = |text: Str| text.span.len() > 2;
        Some(id).filter(|_| is_filled(id) && is_filled(root) && !id.decode(bytes).lossy)
    }

    /// Returns the text of a field, if it is a string.
    pub(super) fn text<'a>(&self, bytes: &'a [u8], n: usize) -> Option<Cow<'a, str>> {
        match self.fields.get(n) {
            Some(Slot::Text(text)) => Some(text.decode(bytes).text),
            _ => None,
        }
    }

    /// Decodes the entry.
    pub(super) fn mapping<'a>(&self, bytes: &'a [u8]) -> Mapping<'a> {
        Mapping::new(self.texts(bytes, None), self.span)
    }

    /// Decodes the fields; borrows them from `valid` where possible.
    fn texts<'a>(&self, bytes: &'a [u8], valid: Option<ValidText<'a>>) -> MappingTexts<'a> {
        self.fields.map(|slot| {
            let Slot::Text(text) = slot else {
                return None;
            };
            match valid.filter(|_| !text.escaped).and_then(|valid| valid.inside(text)) {
                Some(text) => Some(DecodedText { text: Cow::Borrowed(text), lossy: false }),
                None => Some(text.decode(bytes)),
            }
        })
    }
}
