//! Merges the two sides of a thread that git left in conflict.

use super::conflict::{self, Conflict};
use super::merge::{MergedReview, merge};
use crate::span::Span;
use crate::splices::Splices;

/// Merges the two versions of a thread that git left in one file with conflict markers.
///
/// None if there is no conflict, or if its markers are incomplete. The base is known if git
/// is configured to write it (style `diff3`).
pub fn merge_conflict(bytes: &[u8], stem: &str, store: &str) -> Option<MergedReview> {
    let found = conflict::find(bytes);
    let first = found.list.first().filter(|_| !found.stray)?;
    let ours = version(bytes, &found.list, |one| Some(one.ours))?;
    let theirs = version(bytes, &found.list, |one| Some(one.theirs))?;
    let base = version(bytes, &found.list, |one| one.base);
    let label = |span: Span| String::from_utf8_lossy(span.of(bytes)).into_owned();
    let labels = (label(first.labels.0), label(first.labels.1));
    let labels = (labels.0.as_str(), labels.1.as_str());
    Some(merge(base.as_deref(), &ours, &theirs, stem, store, labels))
}

/// Returns the number of conflicts in a file; those quoted in a fenced block do not count.
pub fn conflict_count(bytes: &[u8]) -> usize {
    conflict::find(bytes).list.len()
}

/// Returns the file with one side of every conflict; none if a conflict has no such side.
fn version(
    bytes: &[u8],
    conflicts: &[Conflict],
    side: impl Fn(&Conflict) -> Option<Span>,
) -> Option<Vec<u8>> {
    let mut splices = Splices::default();
    for conflict in conflicts {
        splices.replace(conflict.whole, side(conflict)?.of(bytes));
    }
    Some(splices.apply(bytes))
}
