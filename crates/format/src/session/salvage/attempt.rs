//! Reads one object up to its end or to the first error.

use memchr::memmem;

use crate::json::{self, Dialect, JsonKind, Reader, Str, SyntaxError};
use crate::session::entry::Entry;
use crate::span::Span;

/// The content of an object, up to its end or to the first error.
pub(super) struct Attempt<'a> {
    bytes: &'a [u8],
    /// The span of the object, or the error.
    pub(super) end: Result<Span, SyntaxError>,
    /// Its keys with their values, except a list of `mappings`.
    pub(super) keys: Vec<(Str, Span)>,
    /// The complete elements of such a list.
    pub(super) elements: Vec<Span>,
    /// The start of the element that is incomplete.
    pub(super) cut: Option<usize>,
    list: bool,
}

impl<'a> Attempt<'a> {
    /// Reads the object at `start`.
    pub(super) fn at(bytes: &'a [u8], start: usize) -> Self {
        let mut attempt = Self {
            bytes,
            end: Ok(Span::default()),
            keys: Vec::new(),
            elements: Vec::new(),
            cut: None,
            list: false,
        };
        let mut reader = Reader::new(bytes, Span::new(start, bytes.len()), Dialect::Json);
        attempt.end = reader.object(|reader, key| {
            if reader.peek()? == JsonKind::Array && key.is(bytes, "mappings") {
                attempt.list = true;
                return reader.array(|reader| attempt.element(reader)).map(|_| ());
            }
            let value = reader.skip()?;
            // A number that may be truncated is another version in any case, unless it is 1 so far.
            let other_version = || key.is(bytes, "version") && !json::is_one(value.of(bytes));
            if is_complete(bytes, value) || other_version() {
                attempt.keys.push((key, value));
            }
            Ok(())
        });
        attempt
    }

    fn element(&mut self, reader: &mut Reader<'_>) -> Result<(), SyntaxError> {
        reader.peek()?;
        self.cut = Some(reader.position());
        let element = reader.skip()?;
        if is_complete(self.bytes, element) {
            self.cut = None;
            self.elements.push(element);
        }
        Ok(())
    }

    /// Returns whether the object is an entry: complete, with a session and a thread.
    pub(super) fn is_entry(&self) -> bool {
        let (Ok(span), true) = (self.end, self.value("sessionId").is_some()) else {
            return false;
        };
        Entry::at(self.bytes, span, |_, _| ()).is_some_and(|entry| entry.key(self.bytes).is_some())
    }

    /// Returns whether the object is a map, or the start of one.
    pub(super) fn is_map(&self) -> bool {
        (self.list || self.value("version").is_some()) && self.value("sessionId").is_none()
    }

    /// Adds the values of `mappings` as entries, if it is an object.
    pub(super) fn open_list(&mut self) {
        let list = self.value("mappings").filter(|list| list.of(self.bytes).starts_with(b"{"));
        if let Some(list) = list {
            let values = Self::at(self.bytes, list.start).keys.into_iter().map(|(_, value)| value);
            self.elements.extend(values);
        }
    }

    /// Removes and returns the complete maps inside of a truncated object.
    ///
    /// This is the result of a file written after one that was cut off between two values.
    pub(super) fn take_inner(&mut self) -> Vec<Self> {
        let mut maps = Vec::new();
        if self.end.is_ok() {
            return maps;
        }
        let bytes = self.bytes;
        let mut outer = |value: Span| match map_at(bytes, value) {
            Some(map) => {
                maps.push(map);
                false
            }
            None => true,
        };
        self.elements.retain(|element| outer(*element));
        self.keys.retain(|(_, value)| outer(*value));
        maps
    }

    /// Returns the value of a key.
    pub(super) fn value(&self, name: &str) -> Option<Span> {
        let found = self.keys.iter().rev().find(|(key, _)| key.is(self.bytes, name));
        found.map(|(_, value)| *value)
    }
}

/// Reads a value if it is a map; most other values are rejected without parsing.
fn map_at(bytes: &[u8], value: Span) -> Option<Attempt<'_>> {
    memmem::find(value.of(bytes), b"\"mappings\"")?;
    let map = value.of(bytes).starts_with(b"{").then(|| Attempt::at(bytes, value.start))?;
    map.is_map().then_some(map)
}

/// Returns whether a value is complete; a number at the end of the file may be truncated.
fn is_complete(bytes: &[u8], value: Span) -> bool {
    value.end < bytes.len() || !value.of(bytes).last().is_some_and(u8::is_ascii_digit)
}
