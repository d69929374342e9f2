use std::cmp::Ordering;
use std::sync::atomic::{self, AtomicUsize};
use std::thread;

use crate::evaluate::{Hit, evaluate};
use crate::index::Index;
use crate::index::error::IndexError;
use crate::index::segment::{NO_SLOT, OpenSegment};
use crate::query::{Atom, Clause};
use crate::score::{Stats, score};

/// The number of documents that one thread looks at in no time.
const FEW: u32 = 10_000;

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
        let found = if is_much(index, clauses) {
            evaluate_together(&index.segments, clauses)?
        } else {
            let segments = index.segments.iter();
            segments.map(|segment| evaluate_all(segment, clauses)).collect::<Result<_, _>>()?
        };
        for (segment, found) in index.segments.iter().zip(found) {
            let found = found.iter().zip(clauses);
            let (unwanted, wanted): (Vec<_>, Vec<_>) = found.partition(|(_, clause)| clause.not);
            matches.add(segment, &of(wanted), &of(unwanted));
        }
        Ok(matches)
    }

    fn add(&mut self, segment: &OpenSegment, wanted: &[&[Hit]], unwanted: &[&[Hit]]) {
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
        for hit in *shortest {
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

/// The hits of each clause.
type Found = Vec<Vec<Hit>>;

fn evaluate_all(segment: &OpenSegment, clauses: &[Clause]) -> Result<Found, IndexError> {
    clauses.iter().map(|clause| evaluate(segment, &clause.atom)).collect()
}

/// Evaluates on all processors; the result is in the order of the segments.
fn evaluate_together(
    segments: &[OpenSegment],
    clauses: &[Clause],
) -> Result<Vec<Found>, IndexError> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let number = next.fetch_add(1, atomic::Ordering::Relaxed)
            && let Some(segment) = segments.get(number)
        {
            done.push((number, evaluate_all(segment, clauses)?));
        }
        Ok(done)
    };
    let threads = thread::available_parallelism().map_or(1, Into::into).min(segments.len());
    let mut found = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut found = work()?;
        for other in others {
            found.extend(other.join().unwrap_or(Err(IndexError::Panicked))?);
        }
        Ok::<_, IndexError>(found)
    })?;
    found.sort_unstable_by_key(|(number, _)| *number);
    Ok(found.into_iter().map(|(_, found)| found).collect())
}

/// Says whether a query is likely to take longer than to start a thread.
fn is_much(index: &Index, clauses: &[Clause]) -> bool {
    let slow = |clause: &Clause| matches!(clause.atom, Atom::Phrase { .. } | Atom::Prefix(_));
    index.snapshot.len() > FEW && index.segments.len() > 1 && clauses.iter().any(slow)
}

fn of<'a>(found: Vec<(&'a Vec<Hit>, &Clause)>) -> Vec<&'a [Hit]> {
    found.into_iter().map(|(hits, _)| hits.as_slice()).collect()
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
