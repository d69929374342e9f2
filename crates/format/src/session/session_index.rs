//! Which entry counts for each session of a document.

use std::borrow::Cow;
use std::collections::HashMap;

use super::SessionMapDoc;
use super::dedup::{Times, resolve};
use super::entry::Entry;
use super::mapping::Mapping;
use super::positions::EntryPosition;
use crate::json::{self};
use crate::span::Span;

/// The sessions of a document that a lenient reading uses, without what their entries say.
///
/// Two maps and what becomes of them are in memory at once when they are merged: an entry is read again where it
/// is needed, and costs a few words until then.
pub(super) struct SessionIndex<'a> {
    doc: &'a SessionMapDoc,
    /// The entry that counts for each session, in the order in which they first appear.
    seats: Vec<&'a EntryPosition>,
    numbers: HashMap<Cow<'a, str>, usize>,
    /// The values that count for sessions that appear more than once.
    doubles: HashMap<usize, (Mapping<'a>, Times)>,
}

impl<'a> SessionIndex<'a> {
    /// Takes in every session.
    pub(super) fn from_doc(doc: &'a SessionMapDoc) -> Self {
        let room = doc.positions().keyed.len();
        let mut census = Self {
            doc,
            seats: Vec::with_capacity(room),
            numbers: HashMap::with_capacity(room),
            doubles: HashMap::new(),
        };
        for place in &doc.positions().keyed {
            census.seat(place.id(&doc.bytes), place);
        }
        census
    }

    /// Takes in the sessions that are wanted.
    pub(super) fn only(doc: &'a SessionMapDoc, wanted: impl Fn(&str) -> bool) -> Self {
        let mut census =
            Self { doc, seats: Vec::new(), numbers: HashMap::new(), doubles: HashMap::new() };
        for place in &doc.positions().keyed {
            let id = place.id(&doc.bytes);
            if wanted(&id) {
                census.seat(id, place);
            }
        }
        census
    }

    fn seat(&mut self, id: Cow<'a, str>, place: &'a EntryPosition) {
        match self.numbers.get(&id) {
            Some(number) => self.twin(*number, place),
            None => {
                self.numbers.insert(id, self.seats.len());
                self.seats.push(place);
            }
        }
    }

    /// Decides which entry counts if a session appears again.
    fn twin(&mut self, number: usize, place: &'a EntryPosition) {
        let Some(mut other) = self.read(place.span) else {
            return;
        };
        if !self.doubles.contains_key(&number)
            && let Some(first) = self.mapping(number)
        {
            let times = Times::from_mapping(&first);
            self.doubles.insert(number, (first, times));
        }
        let mut other_times = Times::from_mapping(&other);
        if let Some((kept, times)) = self.doubles.get_mut(&number)
            && resolve((kept, times), (&mut other, &mut other_times)).other_won
            && let Some(seat) = self.seats.get_mut(number)
        {
            *seat = place;
        }
    }

    /// Returns the bytes of the document.
    pub(super) fn bytes(&self) -> &'a [u8] {
        &self.doc.bytes
    }

    /// Returns the number of sessions, which are numbered from 0.
    pub(super) fn len(&self) -> usize {
        self.seats.len()
    }

    /// Returns a session.
    pub(super) fn id(&self, number: usize) -> Cow<'a, str> {
        self.seats.get(number).map(|place| place.id(&self.doc.bytes)).unwrap_or_default()
    }

    /// Returns the entry that counts for a session.
    pub(super) fn span(&self, number: usize) -> Span {
        self.seats.get(number).map(|place| place.span).unwrap_or_default()
    }

    /// Returns the number of a session.
    pub(super) fn find(&self, id: &str) -> Option<usize> {
        self.numbers.get(id).copied()
    }

    /// Returns the number of a session, which may be the one guessed.
    ///
    /// Two maps mostly have their sessions in the same order, and a look where the next one should be costs
    /// much less than one anywhere in a large table.
    pub(super) fn find_near(&self, guess: usize, id: &str) -> Option<usize> {
        let near = self.seats.get(guess).is_some_and(|place| place.id(&self.doc.bytes) == id);
        if near { Some(guess) } else { self.find(id) }
    }

    /// Returns whether a session appears more than once.
    pub(super) fn is_double(&self, number: usize) -> bool {
        self.doubles.contains_key(&number)
    }

    /// Returns what counts for a session, whatever its entries say.
    pub(super) fn mapping(&self, number: usize) -> Option<Mapping<'a>> {
        match self.doubles.get(&number) {
            Some((mapping, _)) => Some(mapping.clone()),
            None => self.read(self.span(number)),
        }
    }

    fn read(&self, span: Span) -> Option<Mapping<'a>> {
        Some(Entry::at(&self.doc.bytes, span, |_, _| ())?.mapping(&self.doc.bytes))
    }
}

/// Returns the entries that name no session, in the order of the file.
pub(super) fn keyless(doc: &SessionMapDoc) -> Vec<Span> {
    let mut spans = Vec::new();
    if doc.positions().keyless == 0 {
        return spans;
    }
    json::for_each_element(&doc.bytes, doc.layout().mappings, |reader| {
        let entry = Entry::read(reader, |_, _| ())?;
        spans.extend(entry.key(&doc.bytes).is_none().then_some(entry.span));
        Ok(())
    });
    spans
}
