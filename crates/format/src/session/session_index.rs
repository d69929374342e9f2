//! The effective entry of each session of a document.

use std::borrow::Cow;
use std::collections::HashMap;

use super::SessionMapDoc;
use super::dedup::{Times, resolve};
use super::entry::Entry;
use super::mapping::Mapping;
use super::positions::EntryPosition;
use crate::json::{self};
use crate::span::Span;

/// The sessions of a document that `Mode::Lenient` accepts, without the content of their entries.
///
/// A merge has two maps and the result in memory at once. To save memory, only the location of an entry is kept,
/// and the entry is parsed again when it is needed.
pub(super) struct SessionIndex<'a> {
    doc: &'a SessionMapDoc,
    /// The effective entry of each session, in the order of their first occurrence.
    entries: Vec<&'a EntryPosition>,
    numbers: HashMap<Cow<'a, str>, usize>,
    /// The effective values of sessions that occur more than once.
    doubles: HashMap<usize, (Mapping<'a>, Times)>,
}

impl<'a> SessionIndex<'a> {
    /// Indexes every session.
    pub(super) fn from_doc(doc: &'a SessionMapDoc) -> Self {
        let room = doc.positions().keyed.len();
        let mut index = Self {
            doc,
            entries: Vec::with_capacity(room),
            numbers: HashMap::with_capacity(room),
            doubles: HashMap::new(),
        };
        for position in &doc.positions().keyed {
            index.insert(position.id(&doc.bytes), position);
        }
        index
    }

    /// Indexes the sessions that `wanted` accepts.
    pub(super) fn only(doc: &'a SessionMapDoc, wanted: impl Fn(&str) -> bool) -> Self {
        let mut index =
            Self { doc, entries: Vec::new(), numbers: HashMap::new(), doubles: HashMap::new() };
        for position in &doc.positions().keyed {
            let id = position.id(&doc.bytes);
            if wanted(&id) {
                index.insert(id, position);
            }
        }
        index
    }

    fn insert(&mut self, id: Cow<'a, str>, position: &'a EntryPosition) {
        match self.numbers.get(&id) {
            Some(number) => self.insert_duplicate(*number, position),
            None => {
                self.numbers.insert(id, self.entries.len());
                self.entries.push(position);
            }
        }
    }

    /// Decides which entry is effective if a session occurs again.
    fn insert_duplicate(&mut self, number: usize, position: &'a EntryPosition) {
        let Some(mut other) = self.read(position.span) else {
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
            && let Some(entry) = self.entries.get_mut(number)
        {
            *entry = position;
        }
    }

    /// Returns the bytes of the document.
    pub(super) fn bytes(&self) -> &'a [u8] {
        &self.doc.bytes
    }

    /// Returns the number of sessions, which are numbered from 0.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns the id of a session.
    pub(super) fn id(&self, number: usize) -> Cow<'a, str> {
        self.entries.get(number).map(|position| position.id(&self.doc.bytes)).unwrap_or_default()
    }

    /// Returns the location of the effective entry of a session.
    pub(super) fn span(&self, number: usize) -> Span {
        self.entries.get(number).map(|position| position.span).unwrap_or_default()
    }

    /// Returns the number of a session.
    pub(super) fn find(&self, id: &str) -> Option<usize> {
        self.numbers.get(id).copied()
    }

    /// Returns the number of a session; `guess` is tried first.
    ///
    /// Two maps mostly have their sessions in the same order, and a check of the expected position is much
    /// faster than a lookup in a large table.
    pub(super) fn find_near(&self, guess: usize, id: &str) -> Option<usize> {
        let near =
            self.entries.get(guess).is_some_and(|position| position.id(&self.doc.bytes) == id);
        if near { Some(guess) } else { self.find(id) }
    }

    /// Returns whether a session occurs more than once.
    pub(super) fn is_double(&self, number: usize) -> bool {
        self.doubles.contains_key(&number)
    }

    /// Returns the effective values of a session.
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

/// Returns the entries without a key, in the order of the file.
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
