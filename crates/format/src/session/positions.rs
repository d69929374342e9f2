//! The locations of the entries of a file, recorded when it is first read.

use std::borrow::Cow;

use super::entry::Entry;
use super::entry_template::EntryTemplate;
use crate::json::{Reader, Str, SyntaxError};
use crate::span::Span;

/// An entry with a session and a thread, as `Mode::Lenient` requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EntryPosition {
    /// The location of the entry.
    pub(super) span: Span,
    id: Str,
}

impl EntryPosition {
    /// Returns the session id.
    pub(super) fn id<'a>(&self, bytes: &'a [u8]) -> Cow<'a, str> {
        self.id.decode(bytes).text
    }
}

/// The entries of a list.
///
/// Entries without a key are only counted: they may be a few bytes long, and a location would need more memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct EntryPositions {
    /// The entries with a key, in the order of the file.
    pub(super) keyed: Vec<EntryPosition>,
    /// The number of the others.
    pub(super) keyless: usize,
    /// The last entry, with or without a key.
    pub(super) last: Option<Span>,
}

impl EntryPositions {
    /// Reads the next list.
    pub(super) fn read(reader: &mut Reader<'_>) -> Result<(Span, Self), SyntaxError> {
        let mut positions = Self::default();
        let (mut template, mut entry) = (EntryTemplate::default(), Entry::default());
        let span = reader.array(|reader| {
            template.read(reader, &mut entry)?;
            positions.push(&entry, reader.bytes());
            Ok(())
        })?;
        positions.keyed.shrink_to_fit();
        Ok((span, positions))
    }

    fn push(&mut self, entry: &Entry, bytes: &[u8]) {
        let span = entry.span;
        self.last = Some(span);
        match entry.key(bytes) {
            Some(id) => self.keyed.push(EntryPosition { span, id }),
            None => self.keyless += 1,
        }
    }
}
