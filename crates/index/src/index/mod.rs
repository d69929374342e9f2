pub(crate) mod error;
mod matches;
pub(crate) mod segment;

use std::path::Path;

use crate::index::error::{IndexError, guarded};
use crate::index::segment::OpenSegment;
use crate::query::Clause;
use crate::snapshot::Snapshot;

pub use self::matches::Matches;

/// How often an index is opened that a writer may be replacing meanwhile.
const ATTEMPTS: usize = 2;

/// The documents of a workspace, ready to be asked.
///
/// It stays what it was when it was opened, whatever a writer does.
pub struct Index {
    snapshot: Snapshot,
    segments: Vec<OpenSegment>,
    /// How many bytes each field has, of all documents and of each.
    lengths: [u64; 3],
    slot_lengths: Vec<[u32; 3]>,
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Index")
    }
}

impl Index {
    /// Gives up an index that does not answer, so that the next writer builds it anew.
    ///
    /// One that somebody has put in its place a moment ago goes too, which costs time alone.
    pub fn discard(dir: &Path) {
        // What cannot be removed is passed over by every reader, as it was.
        drop(std::fs::remove_file(dir.join(crate::snapshot::SNAPSHOT)));
    }

    /// Opens the index in `dir`; `None` if there is none, or one of another version, or a damaged
    /// one.
    pub fn open(dir: &Path) -> Result<Option<Self>, IndexError> {
        for _ in 0..ATTEMPTS {
            let Some(snapshot) = Snapshot::read(dir)? else { continue };
            if let Ok(index) = guarded(|| Self::load(dir, snapshot)) {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    fn load(dir: &Path, snapshot: Snapshot) -> Result<Self, IndexError> {
        let entries = snapshot.segments.iter();
        let mut segments =
            entries.map(|entry| OpenSegment::open(dir, entry)).collect::<Result<Vec<_>, _>>()?;
        let mut lengths = [0; 3];
        let mut slot_lengths = Vec::with_capacity(snapshot.len() as usize);
        for (slot, row) in (0..).zip(snapshot.docs()) {
            let segment = segments.iter_mut().find(|segment| segment.number == row.doc.segment);
            let doc = usize::try_from(row.doc.doc).unwrap_or(usize::MAX);
            let place = segment.and_then(|segment| segment.slots.get_mut(doc));
            *place.ok_or_else(|| IndexError::damaged(dir))? = slot;
            slot_lengths.push(row.lengths);
            for (sum, length) in lengths.iter_mut().zip(row.lengths) {
                *sum += u64::from(length);
            }
        }
        Ok(Self { snapshot, segments, lengths, slot_lengths })
    }

    /// Returns what files the index has read.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// Returns the slots whose text has all positive clauses and none of the others.
    ///
    /// After [`IndexError::Damaged`], [`IndexError::Library`] or [`IndexError::Panicked`] the index
    /// is to be written anew.
    pub fn find(&self, clauses: &[Clause]) -> Result<Matches<'_>, IndexError> {
        guarded(|| Matches::find(self, clauses))
    }
}
