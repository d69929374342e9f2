//! Fields whose value is not a text: they are kept unless a text replaces them.

use super::{EntryPair, Splices};
use crate::json::{self, NewItem, Style, outdented};
use crate::session::entry::{FIELDS, Slot};
use crate::session::mapping::Mapping;
use crate::session::merge::verdict::{MergeSide, Verdict};

impl EntryPair<'_> {
    /// Returns whether both sides have equal values that are not texts; fields with a text are ignored.
    pub(super) fn has_same_non_texts(&self) -> bool {
        let texts = self.disk.mapping.texts();
        texts.iter().enumerate().filter(|(_, text)| text.is_none()).all(|(n, _)| {
            match (self.disk.entry.slot(n), self.memory.entry.slot(n)) {
                (Slot::Wrong(disk), Slot::Wrong(memory)) => self.is_same(disk, memory),
                (Slot::Wrong(_), Slot::Missing) | (Slot::Missing, Slot::Wrong(_)) => false,
                _ => true,
            }
        })
    }

    /// Records such values that only memory has, and the changed ones if memory won.
    pub(super) fn merge_non_texts(
        &self,
        result: &Mapping<'_>,
        verdict: &mut Verdict,
        style: Style,
        splices: &mut Splices,
        items: &mut Vec<NewItem>,
    ) {
        let (disk, memory) = (&self.disk, &self.memory);
        for (n, (name, text)) in FIELDS.iter().zip(result.texts()).enumerate() {
            if text.is_some() {
                continue;
            }
            let filled = match (memory.entry.slot(n), disk.entry.slot(n)) {
                (Slot::Wrong(value), Slot::Missing) => {
                    let value = outdented(memory.bytes, value);
                    items.push(NewItem { key: Some(json::quote(name)), value });
                    verdict.won == MergeSide::Disk
                }
                (Slot::Wrong(value), Slot::Wrong(known)) => {
                    if verdict.won == MergeSide::Memory && !self.is_same(known, value) {
                        splices.replace(known, &self.fitted(value, known, style));
                    }
                    false
                }
                (Slot::Missing, Slot::Wrong(_)) => verdict.won == MergeSide::Memory,
                _ => false,
            };
            verdict.filled.extend(filled.then(|| (*name).to_owned()));
        }
    }
}
