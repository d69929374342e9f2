//! Merges the map in a program's memory with the file on disk.

mod list;
mod outcome;
mod pair;
mod top;
mod verdict;

pub use list::merge;
pub use verdict::{MergeReason, MergeSide, MergedMap, Verdict};

use super::SessionMapDoc;
use super::edit::MapEditError;
use super::session_index::{SessionIndex, keyless};
use super::value_set::ValueSet;
use crate::json::{self, Container, NewItem, Style};
use crate::span::Span;
use crate::splices::Splices;
use crate::time::Time;
use pair::EntryPair;

impl SessionMapDoc {
    /// Merges `memory` into `self`, the document on disk.
    ///
    /// Values are spliced into the entries on disk, and entries that only memory has are added after them: the
    /// order, the formatting and every key of the file stay. `lastModified` is set only if something else changed.
    pub fn merge(&mut self, memory: &Self, now: Time) -> Result<MergedMap, MapEditError> {
        self.sound()?;
        memory.sound()?;
        let mut merged = MergedMap::default();
        let splices = {
            let disk = SessionIndex::from_doc(self);
            let known = SessionIndex::from_doc(memory);
            let mut context = MergeContext {
                disk: &disk,
                memory: &known,
                style: Style::from_bytes(&self.bytes),
                splices: Splices::default(),
                verdicts: Vec::with_capacity(self.positions().keyed.len()),
                on_disk: vec![false; memory.positions().keyed.len()],
            };
            context.settle().ok_or(MapEditError::Unusable)?;
            merged.restored = context.add(self, memory);
            merged.verdicts = context.verdicts;
            context.splices
        };
        let top = top::only_in(memory, self).ok_or(MapEditError::Unusable)?;
        merged.changed = self.commit(splices, top, now)?;
        Ok(merged)
    }
}

/// Two documents that are being merged.
struct MergeContext<'m, 'a> {
    disk: &'m SessionIndex<'a>,
    memory: &'m SessionIndex<'a>,
    style: Style,
    splices: Splices,
    verdicts: Vec<Verdict>,
    /// Whether each session of memory is also on disk.
    on_disk: Vec<bool>,
}

impl MergeContext<'_, '_> {
    /// Merges every session on disk.
    fn settle(&mut self) -> Option<()> {
        let mut guess = 0;
        for number in 0..self.disk.len() {
            let id = self.disk.id(number);
            let known = self.memory.find_near(guess, &id);
            if let Some(on_disk) = known.and_then(|known| self.on_disk.get_mut(known)) {
                *on_disk = true;
            }
            guess = known.map_or(guess, |known| known + 1);
            let verdict = match known {
                None => only(&id, MergeSide::Disk, MergeReason::OnlyOne),
                Some(known) if self.is_same(number, known) => {
                    only(&id, MergeSide::Disk, MergeReason::Equal)
                }
                Some(known) => {
                    let pair = EntryPair::read(self.disk, number, self.memory, known)?;
                    pair.settle(self.style, &mut self.splices)?
                }
            };
            self.verdicts.push(verdict);
        }
        Some(())
    }

    /// Returns whether two entries are equal byte for byte, and neither session has further entries.
    fn is_same(&self, number: usize, known: usize) -> bool {
        let one = self.disk.span(number).of(self.disk.bytes());
        let other = self.memory.span(known).of(self.memory.bytes());
        one == other && !self.disk.is_double(number) && !self.memory.is_double(known)
    }

    /// Adds the entries that only memory has, and returns the number of those without a key.
    fn add(&mut self, disk: &SessionMapDoc, memory: &SessionMapDoc) -> usize {
        let mut items = Vec::new();
        let missing = self
            .on_disk
            .iter()
            .take(self.memory.len())
            .enumerate()
            .filter(|(_, on_disk)| !**on_disk);
        for (number, _) in missing {
            let value = pair::lone(self.memory, number);
            items.extend(value.map(|value| NewItem { key: None, value }));
            let id = self.memory.id(number);
            self.verdicts.push(only(&id, MergeSide::Memory, MergeReason::OnlyOne));
        }
        let restored = keyless_in_memory(disk, memory);
        let moved =
            |span: &Span| NewItem { key: None, value: json::outdented(&memory.bytes, *span) };
        items.extend(restored.iter().map(moved));
        if !items.is_empty() {
            let array = Container::array(disk.layout().mappings, disk.positions().last);
            let (at, text) = json::addition(&disk.bytes, &array, self.style, items);
            self.splices.replace(at, &text);
        }
        restored.len()
    }
}

/// Returns the entries without a key that only memory has.
fn keyless_in_memory(disk: &SessionMapDoc, memory: &SessionMapDoc) -> Vec<Span> {
    let mut wanted = keyless(memory);
    if !wanted.is_empty() {
        let mut seen = ValueSet::default();
        for span in keyless(disk) {
            seen.insert(span.of(&disk.bytes));
        }
        wanted.retain(|span| seen.insert(span.of(&memory.bytes)));
    }
    wanted
}

/// Returns the verdict for a session without a choice between two values.
fn only(id: &str, won: MergeSide, reason: MergeReason) -> Verdict {
    Verdict {
        session_id: id.to_owned(),
        won,
        reason,
        ended_kept: false,
        other_root: None,
        filled: Vec::new(),
    }
}
