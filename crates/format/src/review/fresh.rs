//! Ids for comments that need one of their own.

use std::collections::BTreeSet;

/// Returns `<id>-2`, or the next number where that is taken.
pub(super) fn fresh_id(id: &[u8], taken: &BTreeSet<Vec<u8>>) -> Vec<u8> {
    let numbered = |number: u64| [id, format!("-{number}").as_bytes()].concat();
    // One more number than there are ids: one of them is free.
    let last = u64::try_from(taken.len()).unwrap_or(u64::MAX).saturating_add(2);
    (2..=last).map(numbered).find(|id| !taken.contains(id)).unwrap_or_else(|| numbered(last))
}
