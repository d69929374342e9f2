//! Merges a session that both sides have into its entry on disk.

mod non_text;

use std::borrow::Cow;
use std::collections::HashMap;

use super::outcome::Outcome;
use super::verdict::{MergeReason, MergeSide, Verdict};
use crate::json::{self, Dialect, NewItem, Str, Style, compact, outdented};
use crate::session::entry::{Entry, FIELDS};
use crate::session::mapping::Mapping;
use crate::session::session_index::SessionIndex;
use crate::span::Span;
use crate::splices::Splices;

/// The index of `status` in `FIELDS`.
const STATUS: usize = 8;

/// A session on both sides.
pub(super) struct EntryPair<'a> {
    disk: Part<'a>,
    memory: Part<'a>,
}

/// The session on one side.
struct Part<'a> {
    bytes: &'a [u8],
    entry: Entry,
    /// The effective values of all entries of the session.
    mapping: Mapping<'a>,
    others: Others<'a>,
}

/// The keys of an entry that are not fields.
#[derive(Default)]
struct Others<'a> {
    /// Each name once, in the order of the file.
    list: Vec<(Cow<'a, [u8]>, Str, Span)>,
    positions: HashMap<Cow<'a, [u8]>, usize>,
}

impl<'a> Others<'a> {
    /// Adds a key; of duplicates the last one is kept.
    fn put(&mut self, bytes: &'a [u8], key: Str, value: Span) {
        let name = key.name(bytes);
        if let Some((_, old_key, old)) =
            self.positions.get(&name).and_then(|position| self.list.get_mut(*position))
        {
            (*old_key, *old) = (key, value);
            return;
        }
        self.positions.insert(name.clone(), self.list.len());
        self.list.push((name, key, value));
    }

    fn get(&self, name: &[u8]) -> Option<Span> {
        self.list.get(*self.positions.get(name)?).map(|(_, _, value)| *value)
    }
}

impl<'a> Part<'a> {
    fn read(index: &SessionIndex<'a>, number: usize) -> Option<Self> {
        let bytes = index.bytes();
        let mut others = Others::default();
        let span = index.span(number);
        let entry = Entry::at(bytes, span, |key, value| others.put(bytes, key, value))?;
        let mapping =
            if index.is_double(number) { index.mapping(number)? } else { entry.mapping(bytes) };
        Some(Self { bytes, entry, mapping, others })
    }
}

impl<'a> EntryPair<'a> {
    /// Reads both entries.
    pub(super) fn read(
        disk: &SessionIndex<'a>,
        number: usize,
        memory: &SessionIndex<'a>,
        known: usize,
    ) -> Option<Self> {
        Some(Self { disk: Part::read(disk, number)?, memory: Part::read(memory, known)? })
    }

    /// Records the changes of the entry on disk, and returns the verdict.
    pub(super) fn settle(&self, style: Style, splices: &mut Splices) -> Option<Verdict> {
        let Outcome { mapping, mut verdict } =
            Outcome::from_both(self.memory.mapping.clone(), self.disk.mapping.clone());
        if self.is_equal() {
            let id = verdict.session_id;
            return Some(super::only(&id, MergeSide::Disk, MergeReason::Equal));
        }
        let mut items = Vec::new();
        self.fields(&mapping, splices, &mut items);
        self.merge_non_texts(&mapping, &mut verdict, style, splices, &mut items);
        self.others(verdict.won, style, splices, &mut items);
        self.fill(&mut verdict);
        if !items.is_empty() {
            let entry =
                json::object_at(self.disk.bytes, self.disk.entry.span, Dialect::Json).ok()?;
            let (at, text) = json::addition(self.disk.bytes, &entry, style, items);
            splices.replace(at, &text);
        }
        Some(verdict)
    }

    fn is_equal(&self) -> bool {
        let (ours, theirs) = (&self.disk.others, &self.memory.others);
        self.disk.mapping.texts() == self.memory.mapping.texts()
            && self.has_same_non_texts()
            && ours.list.len() == theirs.list.len()
            && theirs.list.iter().all(|(name, _, value)| {
                ours.get(name).is_some_and(|known| self.is_same(known, *value))
            })
    }

    /// Returns whether two values are equal, ignoring white space.
    fn is_same(&self, disk: Span, memory: Span) -> bool {
        let (one, other) = (disk.of(self.disk.bytes), memory.of(self.memory.bytes));
        one == other || compact(one) == compact(other)
    }

    /// Records the fields whose result differs from the disk.
    fn fields(&self, result: &Mapping<'_>, splices: &mut Splices, items: &mut Vec<NewItem>) {
        let (before, after) = (self.known_on_disk(result), result.texts());
        for (n, (before, after)) in before.iter().zip(after).enumerate() {
            let Some(text) = after.filter(|_| before.as_deref() != after) else {
                continue;
            };
            let value = self.spelt(n, text);
            match self.disk.entry.slot(n).span() {
                Some(at) => splices.replace(at, &value),
                None => {
                    let key = FIELDS.get(n).map(|name| json::quote(name));
                    items.push(NewItem { key, value });
                }
            }
        }
    }

    /// Returns the texts of the fields on disk.
    ///
    /// The status `ended` may come from another entry of the session. `endedAt` is only valid together with that
    /// status, so if it changes, the status in this entry is compared, and written if it differs.
    fn known_on_disk(&self, result: &Mapping<'_>) -> [Option<Cow<'_, str>>; 12] {
        let mut texts = self.disk.mapping.texts().map(|text| text.map(Cow::Borrowed));
        if self.disk.mapping.ended_at != result.ended_at
            && let Some(status) = texts.get_mut(STATUS)
        {
            *status = self.disk.entry.text(self.disk.bytes, STATUS);
        }
        texts
    }

    /// Returns a text as JSON, with the spelling of memory if memory has it.
    fn spelt(&self, n: usize, text: &str) -> Vec<u8> {
        let memory = &self.memory;
        let same = memory.entry.text(memory.bytes, n).is_some_and(|spelt| spelt == text);
        let span = memory.entry.slot(n).span().filter(|_| same);
        span.map_or_else(|| json::quote(text), |span| span.of(memory.bytes).to_vec())
    }

    /// Records the keys that are not fields and that only memory has, and the changed ones if memory won.
    fn others(
        &self,
        won: MergeSide,
        style: Style,
        splices: &mut Splices,
        items: &mut Vec<NewItem>,
    ) {
        let memory = self.memory.bytes;
        for (name, key, value) in &self.memory.others.list {
            match self.disk.others.get(name) {
                Some(known) if won == MergeSide::Memory && !self.is_same(known, *value) => {
                    splices.replace(known, &self.fitted(*value, known, style));
                }
                Some(_) => {}
                None => {
                    let key = Some(key.span.of(memory).to_vec());
                    items.push(NewItem { key, value: outdented(memory, *value) });
                }
            }
        }
    }

    /// Returns a value of memory, formatted to replace one on disk.
    fn fitted(&self, value: Span, known: Span, style: Style) -> Vec<u8> {
        let indent = json::indent_at(self.disk.bytes, known.start);
        json::fit(&outdented(self.memory.bytes, value), &indent, style.eol)
    }

    /// Adds to the verdict the keys that only the losing side has.
    fn fill(&self, verdict: &mut Verdict) {
        let (winner, loser) = match verdict.won {
            MergeSide::Memory => (&self.memory.others, &self.disk.others),
            MergeSide::Disk => (&self.disk.others, &self.memory.others),
        };
        let only = loser.list.iter().filter(|(name, ..)| winner.get(name).is_none());
        verdict.filled.extend(only.map(|(name, ..)| String::from_utf8_lossy(name).into_owned()));
    }
}

/// Returns the entry of a session that only memory has, with the effective status and end.
pub(super) fn lone(index: &SessionIndex<'_>, number: usize) -> Option<Vec<u8>> {
    let mut text = outdented(index.bytes(), index.span(number));
    if index.is_double(number) {
        let mapping = index.mapping(number)?;
        let ended_at = mapping.ended_at.as_deref();
        for (name, value) in [("status", Some(mapping.status.as_str())), ("endedAt", ended_at)] {
            let root = Span::new(0, text.len());
            let known = json::member(&text, root, Dialect::Json, name).ok()?;
            let value = json::quote(value.unwrap_or_default());
            let same = known.is_some_and(|known| known.value.of(&text) == value);
            if !same && value != b"\"\"" {
                json::set(&mut text, root, Dialect::Json, &[name], &value).ok()?;
            }
        }
    }
    Some(text)
}
