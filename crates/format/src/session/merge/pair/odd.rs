//! Fields that are no text: they say nothing, and stay where no text takes their place.

use super::{EntryPair, Splices};
use crate::json::{self, Item, Style, outdented};
use crate::session::entry::{FIELDS, Slot};
use crate::session::mapping::Mapping;
use crate::session::merge::verdict::{Side, Verdict};

impl EntryPair<'_> {
    /// Returns whether both sides have the same of the kind; a text on either side stands for it.
    pub(super) fn is_equally_odd(&self) -> bool {
        let texts = self.disk.mapping.texts();
        texts.iter().enumerate().filter(|(_, text)| text.is_none()).all(|(n, _)| {
            match (self.disk.entry.slot(n), self.memory.entry.slot(n)) {
                (Slot::Wrong(disk), Slot::Wrong(memory)) => self.is_same(disk, memory),
                (Slot::Wrong(_), Slot::Missing) | (Slot::Missing, Slot::Wrong(_)) => false,
                _ => true,
            }
        })
    }

    /// Notes what memory adds of them, and changes where it won.
    pub(super) fn odd(
        &self,
        result: &Mapping<'_>,
        verdict: &mut Verdict,
        style: Style,
        splices: &mut Splices,
        items: &mut Vec<Item>,
    ) {
        let (disk, memory) = (&self.disk, &self.memory);
        for (n, (name, text)) in FIELDS.iter().zip(result.texts()).enumerate() {
            if text.is_some() {
                continue;
            }
            let filled = match (memory.entry.slot(n), disk.entry.slot(n)) {
                (Slot::Wrong(value), Slot::Missing) => {
                    let value = outdented(memory.bytes, value);
                    items.push(Item { key: Some(json::quote(name)), value });
                    verdict.won == Side::Disk
                }
                (Slot::Wrong(value), Slot::Wrong(known)) => {
                    if verdict.won == Side::Memory && !self.is_same(known, value) {
                        splices.replace(known, &self.fitted(value, known, style));
                    }
                    false
                }
                (Slot::Missing, Slot::Wrong(_)) => verdict.won == Side::Memory,
                _ => false,
            };
            verdict.filled.extend(filled.then(|| (*name).to_owned()));
        }
    }
}
