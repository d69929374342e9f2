//! The locations of the entries of a file, noted when it is first read.

use std::borrow::Cow;

use super::entry::Entry;
use super::entry_template::EntryTemplate;
use crate::json::{Reader, Str, SyntaxError};
use crate::span::Span;

/// An entry that names its session and its thread, which is what a lenient reading asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EntryPosition {
    /// The entry.
    pub(super) span: Span,
    id: Str,
}

impl EntryPosition {
    /// Returns the session.
    pub(super) fn id<'a>(&self, bytes: &'a [u8]) -> Cow<'a, str> {
        self.id.decode(bytes).text
    }
}

/// The entries of a list.
///
/// The ones without a key are only counted: they can be a few bytes each, and must not cost more than they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct EntryPositions {
    /// The entries with a key, in the order of the file.
    pub(super) keyed: Vec<EntryPosition>,
    /// The number of the others.
    pub(super) keyless: usize,
    /// The last entry of all.
    pub(super) last: Option<Span>,
}

impl EntryPositions {
    /// Reads the list that comes next.
    pub(super) fn read(reader: &mut Reader<'_>) -> Result<(Span, Self), SyntaxError> {
        let mut places = Self::default();
        let (mut template, mut entry) = (EntryTemplate::default(), Entry::default());
        let span = reader.array(|reader| {
            template.read(reader, &mut entry)?;
            places.push(&entry, reader.bytes());
            Ok(())
        })?;
        places.keyed.shrink_to_fit();
        Ok((span, places))
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
