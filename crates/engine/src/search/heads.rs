//! What was found out about threads that have much in common.

/// Whether the heads of facts pass, each of which is judged once.
#[derive(Debug, Default)]
pub(super) struct Heads(Vec<Option<bool>>);

impl Heads {
    pub(super) fn passes(&mut self, head: u32, judge: impl FnOnce() -> bool) -> bool {
        let head = head as usize;
        if head >= self.0.len() {
            self.0.resize(head + 1, None);
        }
        match self.0.get_mut(head) {
            Some(known) => *known.get_or_insert_with(judge),
            None => judge(),
        }
    }
}
