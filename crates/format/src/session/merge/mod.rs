//! The merge of what a program knows with what the file says.

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
    /// Takes over what `memory` knows; `self` is the document on disk.
    ///
    /// Values are spliced into the entries on disk, and what only memory has is added behind them: the order, the
    /// formatting and every key of the file stay. The time of the last write moves only where
    /// something else changed.
    pub fn merge(&mut self, memory: &Self, now: Time) -> Result<MergedMap, MapEditError> {
        self.sound()?;
        memory.sound()?;
        let mut merged = MergedMap::default();
        let splices = {
            let disk = SessionIndex::from_doc(self);
            let known = SessionIndex::from_doc(memory);
            let mut meeting = MergeContext {
                disk: &disk,
                memory: &known,
                style: Style::from_bytes(&self.bytes),
                splices: Splices::default(),
                verdicts: Vec::with_capacity(self.positions().keyed.len()),
                met: vec![false; memory.positions().keyed.len()],
            };
            meeting.settle().ok_or(MapEditError::Unusable)?;
            merged.restored = meeting.add(self, memory);
            merged.verdicts = meeting.verdicts;
            meeting.splices
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
    /// Which sessions of memory are on disk too.
    met: Vec<bool>,
}

impl MergeContext<'_, '_> {
    /// Settles every session on disk.
    fn settle(&mut self) -> Option<()> {
        let mut guess = 0;
        for number in 0..self.disk.len() {
            let id = self.disk.id(number);
            let known = self.memory.find_near(guess, &id);
            if let Some(met) = known.and_then(|known| self.met.get_mut(known)) {
                *met = true;
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

    /// Returns whether two entries are the same byte for byte, with no twins that would say more.
    fn is_same(&self, number: usize, known: usize) -> bool {
        let one = self.disk.span(number).of(self.disk.bytes());
        let other = self.memory.span(known).of(self.memory.bytes());
        one == other && !self.disk.is_double(number) && !self.memory.is_double(known)
    }

    /// Adds the entries that only memory has, and returns how many of them name no session.
    fn add(&mut self, disk: &SessionMapDoc, memory: &SessionMapDoc) -> usize {
        let mut items = Vec::new();
        let missing = self.met.iter().take(self.memory.len()).enumerate().filter(|(_, met)| !**met);
        for (number, _) in missing {
            let value = pair::lone(self.memory, number);
            items.extend(value.map(|value| NewItem { key: None, value }));
            let id = self.memory.id(number);
            self.verdicts.push(only(&id, MergeSide::Memory, MergeReason::OnlyOne));
        }
        let restored = nameless(disk, memory);
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

/// Returns the entries of memory that the disk does not have, of those that name no session.
fn nameless(disk: &SessionMapDoc, memory: &SessionMapDoc) -> Vec<Span> {
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

/// Returns the verdict where nothing had to be chosen.
fn only(id: &str, won: MergeSide, why: MergeReason) -> Verdict {
    Verdict {
        session_id: id.to_owned(),
        won,
        reason: why,
        ended_kept: false,
        other_root: None,
        filled: Vec::new(),
    }
}
