//! What of a folder is in its index as it is.

use std::collections::HashMap;
use std::ffi::OsString;

use skein_index::Snapshot;
use skein_store::Walk;

use super::folder::stamp;

/// What of a folder is in its index as it is, and what is not.
#[derive(Debug, Default)]
pub(super) struct Fresh {
    /// Whether the slot of the index says what the file says.
    live: Vec<bool>,
    /// The files that are not in the index, or not as they are.
    pub(super) unindexed: Vec<String>,
    /// Files with names that no command can take, which no index has.
    pub(super) odd: Vec<OsString>,
}

impl Fresh {
    /// Holds what is in the directory against what was indexed.
    pub(super) fn of(walk: &Walk, snapshot: &Snapshot) -> Self {
        let mut fresh = Self {
            live: vec![false; snapshot.len() as usize],
            unindexed: Vec::new(),
            odd: walk.odd.clone(),
        };
        for ((name, _), slot) in walk.iter().zip(slots(walk, snapshot)) {
            match slot.and_then(|slot| fresh.live.get_mut(slot as usize)) {
                Some(live) => *live = true,
                None => fresh.unindexed.push(name.to_owned()),
            }
        }
        fresh
    }

    /// Returns whether the slot of the index says what the file says.
    pub(super) fn is_live(&self, slot: u32) -> bool {
        self.live.get(slot as usize).copied().unwrap_or_default()
    }
}

/// Returns for each file of the directory the slot of the index that says what it says.
///
/// Both are in the order of the directory, so that nothing has to be looked up where nothing changed.
pub(super) fn slots(walk: &Walk, snapshot: &Snapshot) -> Vec<Option<u32>> {
    let mut all = Vec::with_capacity(walk.len());
    let mut next = 0;
    let mut by_name = None;
    for (name, trace) in walk.iter() {
        let slot = if next < snapshot.len() && snapshot.is_named(next, name) {
            Some(next)
        } else {
            by_name.get_or_insert_with(|| slots_by_name(snapshot)).get(name).copied()
        };
        let same =
            |slot: u32| trace.is_some_and(|trace| snapshot.stamp(slot) == Some(stamp(trace)));
        all.push(slot.filter(|slot| same(*slot)));
        next = slot.map_or(next, |slot| slot + 1);
    }
    all
}

fn slots_by_name(snapshot: &Snapshot) -> HashMap<String, u32> {
    (0..snapshot.len()).map(|slot| (snapshot.name(slot), slot)).collect()
}
