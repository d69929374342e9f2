//! The `merge` of the contract, for loaded entries.

use std::borrow::Cow;
use std::collections::HashMap;

use super::outcome::Outcome;
use crate::session::dedup;
use crate::session::mapping::Mapping;

/// Merges the entries in memory with those on disk: in the order of the file, then those only in memory.
///
/// Of a session that both have, the later activity wins; on a tie, or if the file's time cannot be parsed,
/// memory wins. Fields that only the loser has are kept, and `ended` is final. The span of an entry refers to
/// the document that supplied it.
pub fn merge<'a>(memory: &[Mapping<'a>], disk: &[Mapping<'a>]) -> Vec<Mapping<'a>> {
    let (mut memory, mut merged) = (memory.to_vec(), disk.to_vec());
    dedup::fold(&mut memory);
    dedup::fold(&mut merged);
    let mut positions: HashMap<Cow<'a, str>, usize> = HashMap::with_capacity(merged.len());
    positions.extend(merged.iter().map(|one| one.session_id.clone()).zip(0..));
    for known in memory {
        match positions.get(&known.session_id).and_then(|n| merged.get_mut(*n)) {
            Some(place) => *place = Outcome::from_both(known, place.clone()).mapping,
            None => merged.push(known),
        }
    }
    merged
}
