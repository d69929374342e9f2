use std::cmp::Ordering;
use std::num::NonZero;
use std::ops::Range;
use std::sync::atomic::{self, AtomicUsize};
use std::thread;

use crate::evaluate::{Hit, evaluate};
use crate::field::Field;
use crate::index::Index;
use crate::index::error::IndexError;
use crate::index::segment::{NO_SLOT, OpenSegment};
use crate::query::{Atom, Clause};
use crate::score::Scorer;
use crate::snapshot::Snapshot;

/// The number of documents that one thread looks at in no time.
const FEW: u32 = 10_000;
/// The number of hits that take longer than to start a thread.
const MUCH: usize = 20_000;

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
        let threads = threads(index, clauses)?;
        let units = Unit::all(&index.segments, threads);
        let mut parts = together(&units, threads, |unit| unit.find(clauses)).into_iter();
        let first = parts.next().unwrap_or_else(|| Ok(Part::new(clauses)));
        let Part { mut slots, mut counts, mut frequencies } = first?;
        for part in parts {
            let part = part?;
            slots.extend(part.slots);
            counts.extend(part.counts);
            for (sum, frequency) in frequencies.iter_mut().zip(part.frequencies) {
                *sum += frequency;
            }
        }
        Ok(Self { index, slots, counts, frequencies })
    }

    /// Returns the slots, in no order that means anything.
    pub fn slots(&self) -> &[u32] {
        &self.slots
    }

    /// Returns what files the index has read.
    pub fn snapshot(&self) -> &'a Snapshot {
        &self.index.snapshot
    }

    /// Returns how many documents the index has.
    pub fn docs(&self) -> u64 {
        u64::from(self.index.snapshot.len())
    }

    /// Returns how many bytes all documents have, by field.
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
    pub fn scored(&self, scorer: &Scorer) -> Vec<(u32, f32)> {
        let clauses = self.frequencies.len();
        if clauses == 0 {
            return self.slots.iter().map(|slot| (*slot, 0.0)).collect();
        }
        let threads = if self.slots.len() > MUCH { processors() } else { 1 };
        let step = self.slots.len().div_ceil(threads).max(1);
        let units: Vec<_> =
            self.slots.chunks(step).zip(self.counts.chunks(step * clauses)).collect();
        let score = |(slots, counts): &(&[u32], &[[u32; 3]])| {
            let of_slots = slots.iter().zip(counts.chunks_exact(clauses));
            let lengths = |slot: u32| self.index.slot_lengths.get(slot as usize).copied();
            let score = |(slot, counts): (&u32, _)| {
                (*slot, scorer.score(counts, lengths(*slot).unwrap_or_default()))
            };
            of_slots.map(score).collect::<Vec<_>>()
        };
        together(&units, threads, score).concat()
    }
}

/// Documents of a segment that one thread looks at.
struct Unit<'a> {
    segment: &'a OpenSegment,
    docs: Range<u32>,
}

/// What was found among them.
struct Part {
    slots: Vec<u32>,
    counts: Vec<[u32; 3]>,
    frequencies: Vec<u64>,
}

impl<'a> Unit<'a> {
    /// Takes all documents; those of a large segment are shared by several threads.
    fn all(segments: &'a [OpenSegment], threads: usize) -> Vec<Self> {
        let mut units = Vec::new();
        for segment in segments {
            let docs = segment.docs();
            let shares = if docs > FEW { u32::try_from(threads).unwrap_or(1) } else { 1 };
            let step = docs.div_ceil(shares).max(1);
            let starts = (0..shares).map(|share| share.saturating_mul(step));
            let ranges = starts.map(|start| start..docs.min(start.saturating_add(step)));
            units.extend(ranges.filter(|docs| !docs.is_empty()).map(|docs| Self { segment, docs }));
        }
        units
    }

    fn find(&self, clauses: &[Clause]) -> Result<Part, IndexError> {
        let mut part = Part::new(clauses);
        let found = clauses
            .iter()
            .map(|clause| Ok((evaluate(self.segment, &clause.atom, &self.docs)?, clause.not)))
            .collect::<Result<Vec<_>, IndexError>>()?;
        let (unwanted, wanted): (Vec<_>, Vec<_>) = found.iter().partition(|(_, not)| *not);
        part.add(self, &hits(wanted), &hits(unwanted));
        Ok(part)
    }
}

impl Part {
    fn new(clauses: &[Clause]) -> Self {
        let positive = clauses.iter().filter(|clause| !clause.not).count();
        Self { slots: Vec::new(), counts: Vec::new(), frequencies: vec![0; positive] }
    }

    fn add(&mut self, unit: &Unit<'_>, wanted: &[&[Hit]], unwanted: &[&[Hit]]) {
        for (frequency, hits) in self.frequencies.iter_mut().zip(wanted) {
            *frequency = hits.len() as u64;
        }
        let mut unwanted: Vec<Cursor<'_>> = unwanted.iter().map(|hits| Cursor(hits)).collect();
        let mut is_unwanted = |doc| unwanted.iter_mut().any(|hits| hits.seek(doc).is_some());
        let Some(shortest) = wanted.iter().min_by_key(|hits| hits.len()) else {
            let slots = unit.docs.clone().map(|doc| (doc, unit.segment.slot(doc)));
            let live = slots.filter(|(doc, slot)| *slot != NO_SLOT && !is_unwanted(*doc));
            self.slots.extend(live.map(|(_, slot)| slot));
            return;
        };
        self.slots.reserve(shortest.len());
        self.counts.reserve(shortest.len() * wanted.len());
        let mut all: Vec<Cursor<'_>> = wanted.iter().map(|hits| Cursor(hits)).collect();
        'docs: for hit in *shortest {
            let before = self.counts.len();
            for hits in &mut all {
                let Some(counts) = hits.seek(hit.doc) else {
                    self.counts.truncate(before);
                    continue 'docs;
                };
                self.counts.push(counts);
            }
            if is_unwanted(hit.doc) {
                self.counts.truncate(before);
            } else {
                self.slots.push(unit.segment.slot(hit.doc));
            }
        }
    }
}

/// Returns how many threads are worth starting for a query.
fn threads(index: &Index, clauses: &[Clause]) -> Result<usize, IndexError> {
    if index.snapshot.len() <= FEW {
        return Ok(1);
    }
    let mut hits = 0;
    for Clause { atom, .. } in clauses {
        let Atom::Word(word) = atom else { return Ok(processors()) };
        for (segment, field) in
            index.segments.iter().flat_map(|open| Field::ALL.map(|field| (open, field)))
        {
            let info = segment.field(field)?.find(word).map_err(tantivy::TantivyError::from)?;
            hits += info.map_or(0, |info| info.doc_freq as usize);
        }
    }
    Ok(if hits > MUCH { processors() } else { 1 })
}

fn processors() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// Does work on several threads, of which this one is one, and returns its results in order.
fn together<U: Sync, T: Send>(
    units: &[U],
    threads: usize,
    work: impl Fn(&U) -> T + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let take = || {
        let mut done = Vec::new();
        while let number = next.fetch_add(1, atomic::Ordering::Relaxed)
            && let Some(unit) = units.get(number)
        {
            done.push((number, work(unit)));
        }
        done
    };
    let mut done = thread::scope(|scope| {
        let others: Vec<_> = (1..threads.min(units.len())).map(|_| scope.spawn(take)).collect();
        let mut done = take();
        for other in others {
            done.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        done
    });
    done.sort_unstable_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}

fn hits(found: Vec<&(Vec<Hit>, bool)>) -> Vec<&[Hit]> {
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
