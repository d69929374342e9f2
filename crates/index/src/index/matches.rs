use std::cmp::Ordering;

use crate::evaluate::{Hit, evaluate};
use crate::index::Index;
use crate::index::error::IndexError;
use crate::index::segment::{NO_SLOT, OpenSegment};
use crate::query::Clause;
use crate::score::{Stats, score};

/// What was found, and what is needed to say how well it fits.
pub struct Matches<'a> {
    index: &'a Index,
    slots: Vec<u32>,
    /// How often each positive clause is in each field, slot after slot.
    counts: Vec<[u32; 3]>,
    frequencies: Vec<u64>,
}

impl<'a> Matches<'a> {
    pub(super) fn find(index: &'a Index, clauses: &[Clause]) -> Result<Self, IndexError> {
        let positive = clauses.iter().filter(|clause| !clause.not).count();
        let frequencies = vec![0; positive];
        let mut matches = Self { index, slots: Vec::new(), counts: Vec::new(), frequencies };
        for segment in &index.segments {
            let mut wanted = Vec::new();
            let mut unwanted = Vec::new();
            for clause in clauses {
                let hits = evaluate(segment, &clause.atom)?;
                if clause.not { unwanted.push(hits) } else { wanted.push(hits) }
            }
            matches.add(segment, &wanted, &unwanted);
        }
        Ok(matches)
    }

    fn add(&mut self, segment: &OpenSegment, wanted: &[Vec<Hit>], unwanted: &[Vec<Hit>]) {
        for (frequency, hits) in self.frequencies.iter_mut().zip(wanted) {
            *frequency += hits.len() as u64;
        }
        let mut unwanted: Vec<Cursor<'_>> = unwanted.iter().map(|hits| Cursor(hits)).collect();
        let mut is_unwanted = |doc| unwanted.iter_mut().any(|hits| hits.seek(doc).is_some());
        let Some(shortest) = wanted.iter().min_by_key(|hits| hits.len()) else {
            let live = (0..).zip(&segment.slots).filter(|(_, slot)| **slot != NO_SLOT);
            self.slots.extend(live.filter(|(doc, _)| !is_unwanted(*doc)).map(|(_, slot)| slot));
            return;
        };
        let mut all: Vec<Cursor<'_>> = wanted.iter().map(|hits| Cursor(hits)).collect();
        for hit in shortest {
            let before = self.counts.len();
            self.counts.extend(all.iter_mut().map_while(|hits| hits.seek(hit.doc)));
            if self.counts.len() - before < all.len() || is_unwanted(hit.doc) {
                self.counts.truncate(before);
            } else {
                self.slots.push(segment.slot(hit.doc));
            }
        }
    }

    /// Returns the slots, in no order that means anything.
    pub fn slots(&self) -> &[u32] {
        &self.slots
    }

    /// Returns how many documents the index has.
    pub fn docs(&self) -> u64 {
        u64::from(self.index.snapshot.len())
    }

    /// Returns how many tokens all documents have, by field.
    pub fn lengths(&self) -> [u64; 3] {
        self.index.lengths
    }

    /// Returns how many documents each positive clause is in.
    pub fn frequencies(&self) -> &[u64] {
        &self.frequencies
    }

    /// Returns how often each positive clause is in each field, for each of [`Matches::slots`].
    pub fn counts(&self) -> impl Iterator<Item = &[[u32; 3]]> {
        self.counts.chunks_exact(self.frequencies.len().max(1))
    }

    /// Returns the slots with their scores, in no order that means anything.
    pub fn scored(&self, stats: &Stats) -> Vec<(u32, f32)> {
        if self.frequencies.is_empty() {
            return self.slots.iter().map(|slot| (*slot, 0.0)).collect();
        }
        let snapshot = &self.index.snapshot;
        let slots = self.slots.iter().zip(self.counts());
        slots.map(|(slot, counts)| (*slot, score(counts, snapshot.lengths(*slot), stats))).collect()
    }
}

/// Walks along hits, which are in the order of their documents.
struct Cursor<'a>(&'a [Hit]);

impl Cursor<'_> {
    /// Returns the counts of `doc`, which must not be before one that was asked for.
    fn seek(&mut self, doc: u32) -> Option<[u32; 3]> {
        while let Some((first, rest)) = self.0.split_first() {
            match first.doc.cmp(&doc) {
                Ordering::Less => self.0 = rest,
                Ordering::Equal => return Some(first.counts),
                Ordering::Greater => return None,
            }
        }
        None
    }
}
