//! The contract's `merge`, over entries that were loaded.

use std::borrow::Cow;
use std::collections::HashMap;

use super::outcome::Outcome;
use crate::session::dedup;
use crate::session::mapping::Mapping;

/// Merges what a program knows with what the file says: the order of the file, then what only memory has.
///
/// A session that both have is settled by its later activity; on a tie, or where the file's time cannot be read,
/// memory wins. What only the loser says stays, and `ended` is final. The span of an entry is that in
/// the document which supplied it.
pub fn merge<'a>(memory: &[Mapping<'a>], disk: &[Mapping<'a>]) -> Vec<Mapping<'a>> {
    let (mut memory, mut merged) = (memory.to_vec(), disk.to_vec());
    dedup::fold(&mut memory);
    dedup::fold(&mut merged);
    let mut places: HashMap<Cow<'a, str>, usize> = HashMap::with_capacity(merged.len());
    places.extend(merged.iter().map(|one| one.session_id.clone()).zip(0..));
    for known in memory {
        match places.get(&known.session_id).and_then(|n| merged.get_mut(*n)) {
            Some(place) => *place = Outcome::from_both(known, place.clone()).mapping,
            None => merged.push(known),
        }
    }
    merged
}
