//! Unique ids for comments.

use std::collections::{BTreeMap, BTreeSet};

/// The ids in use in a thread, to choose new ones.
#[derive(Debug, Default)]
pub(super) struct Ids {
    taken: BTreeSet<Vec<u8>>,
    /// The number that was last appended, by id.
    last: BTreeMap<Vec<u8>, u64>,
}

impl Ids {
    pub(super) fn new(taken: impl IntoIterator<Item = Vec<u8>>) -> Self {
        Self { taken: taken.into_iter().collect(), last: BTreeMap::new() }
    }

    /// Reserves and returns the id itself if it is free, else the next one.
    pub(super) fn take(&mut self, id: Vec<u8>) -> Vec<u8> {
        if self.taken.insert(id.clone()) { id } else { self.next(&id) }
    }

    /// Reserves and returns `<id>-2`, or the next free number.
    pub(super) fn next(&mut self, id: &[u8]) -> Vec<u8> {
        let last = self.last.entry(id.to_vec()).or_insert(1);
        loop {
            *last = last.saturating_add(1);
            let fresh = [id, format!("-{last}").as_bytes()].concat();
            if self.taken.insert(fresh.clone()) {
                return fresh;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_is_returned_once() {
        let mut ids = Ids::new([b"a".to_vec(), b"a-3".to_vec()]);
        assert_eq!(ids.next(b"a"), b"a-2");
        assert_eq!(ids.next(b"a"), b"a-4");
        assert_eq!(ids.take(b"b".to_vec()), b"b");
        assert_eq!(ids.take(b"b".to_vec()), b"b-2");
        assert_eq!(ids.next(b"a-2"), b"a-2-2");
    }
}
