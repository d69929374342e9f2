//! What was found out about threads that have much in common.

use std::collections::HashMap;

/// Whether the heads of facts pass, each of which is judged once.
#[derive(Debug, Default)]
pub(super) struct Heads<'a> {
    /// Those of one byte, which most threads have.
    short: Vec<Option<bool>>,
    others: HashMap<&'a [u8], bool>,
}

impl<'a> Heads<'a> {
    pub(super) fn passes(&mut self, head: &'a [u8], judge: impl FnOnce() -> bool) -> bool {
        let [byte] = head else { return *self.others.entry(head).or_insert_with(judge) };
        self.short.resize(256, None);
        match self.short.get_mut(usize::from(*byte)) {
            Some(known) => *known.get_or_insert_with(judge),
            None => judge(),
        }
    }
}
