//! Where the entries of a file stand, noted when it is first read.

mod halves;

use std::borrow::Cow;

use super::entry::Entry;
use super::entry_template::EntryTemplate;
use super::patch::{Moves, Patch};
use crate::json::{Reader, Str, SyntaxError};
use crate::span::Span;

/// An entry that names its session and its thread, which is what a lenient reading asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EntryPosition {
    /// The entry.
    pub(super) span: Span,
    /// How many entries of any kind stand before it.
    pub(super) before: usize,
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
        let (span, mut places) = match halves::read(reader) {
            Some(read) => read,
            None => {
                let (mut places, mut taker) = (Self::default(), Taker::default());
                (reader.array(|reader| taker.take(reader, &mut places))?, places)
            }
        };
        places.keyed.shrink_to_fit();
        Ok((span, places))
    }

    /// Adds the entries that follow.
    fn append(&mut self, rest: Self) {
        let before = self.keyed.len() + self.keyless;
        let moved = |place: EntryPosition| EntryPosition { before: place.before + before, ..place };
        self.keyed.extend(rest.keyed.into_iter().map(moved));
        self.keyless += rest.keyless;
        self.last = rest.last.or(self.last);
    }

    /// Moves everything to where changes of entries have left it in `bytes`; false where an entry has lost its key.
    pub(super) fn follow(&mut self, patch: &Patch, bytes: &[u8]) -> bool {
        let mut moves = Moves::from_patch(patch);
        for EntryPosition { span, id, .. } in &mut self.keyed {
            let start = moves.position(span.start);
            let before = moves.count();
            // The name of a session stands somewhere in its entry and never changes.
            id.span = moves.span(id.span);
            *span = Span::new(start, moves.position(span.end));
            if moves.count() > before && !is_keyed(bytes, *span) {
                return false;
            }
        }
        self.last = self.last.map(|last| Moves::from_patch(patch).span(last));
        true
    }
}

/// Reads entry after entry.
#[derive(Default)]
struct Taker<'a> {
    habit: EntryTemplate<'a>,
    entry: Entry,
}

impl<'a> Taker<'a> {
    /// Notes the entry that comes next.
    fn take(
        &mut self,
        reader: &mut Reader<'a>,
        places: &mut EntryPositions,
    ) -> Result<(), SyntaxError> {
        self.habit.read(reader, &mut self.entry)?;
        let span = self.entry.span;
        places.last = Some(span);
        let before = places.keyed.len() + places.keyless;
        match self.entry.key(reader.bytes()) {
            Some(id) => places.keyed.push(EntryPosition { span, before, id }),
            None => places.keyless += 1,
        }
        Ok(())
    }
}

fn is_keyed(bytes: &[u8], span: Span) -> bool {
    Entry::at(bytes, span, |_, _| ()).is_some_and(|entry| entry.key(bytes).is_some())
}
