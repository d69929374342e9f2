use std::io;
use std::ops::Range;

use tantivy::positions::PositionReader;
use tantivy::postings::TermInfo;

use crate::index::segment::OpenField;

/// How many positions are unpacked at once where most documents are asked for.
const MANY: u64 = 1024;
const FEW: u64 = 128;

/// The documents of a word in their order, and where it stands in them.
pub(super) struct Column {
    pub(super) docs: Vec<u32>,
    counts: Vec<u32>,
    total: u64,
    /// The next document, and how many positions there are before it.
    next: usize,
    before: u64,
    packed: Option<PositionReader>,
    /// Distances that are unpacked, and how many there are before them.
    unpacked: Vec<u32>,
    unpacked_at: u64,
}

impl Column {
    pub(super) fn of_word(field: &OpenField, info: &TermInfo) -> io::Result<Self> {
        let mut postings = field.postings(info)?;
        let capacity = usize::try_from(info.doc_freq).unwrap_or_default();
        let mut docs = Vec::with_capacity(capacity);
        let mut counts = Vec::with_capacity(capacity);
        while !postings.docs().is_empty() {
            docs.extend_from_slice(postings.docs());
            counts.extend_from_slice(postings.freqs());
            postings.advance();
        }
        let mut column = Self::new(docs, counts);
        column.packed = Some(field.positions(info)?);
        Ok(column)
    }

    /// Reads the positions of all words with a prefix, in the documents that are `wanted`.
    pub(super) fn of_prefix(field: &OpenField, prefix: &str, wanted: &[u32]) -> io::Result<Self> {
        let mut infos = Vec::new();
        field.each_from(prefix, |_, info| infos.push(info.clone()))?;
        // The document by its place among the wanted ones, and a position in it.
        let mut found: Vec<(usize, u32)> = Vec::new();
        for info in &infos {
            let shared = shared(field, info, wanted)?;
            if shared.is_empty() {
                continue;
            }
            let mut column = Self::of_word(field, info)?;
            for (place, doc) in shared {
                let mut position = 0;
                for distance in column.distances(doc) {
                    position += distance;
                    found.push((place, position));
                }
            }
        }
        Ok(Self::of_found(&found, wanted))
    }

    /// Puts positions into the order of their documents, and then into their own.
    fn of_found(found: &[(usize, u32)], wanted: &[u32]) -> Self {
        let mut counts = vec![0_u32; wanted.len()];
        for (place, _) in found {
            if let Some(count) = counts.get_mut(*place) {
                *count += 1;
            }
        }
        let mut next = 0;
        let mut starts = Vec::with_capacity(counts.len());
        for count in &counts {
            starts.push(next);
            next += usize::try_from(*count).unwrap_or_default();
        }
        let mut unpacked = vec![0; found.len()];
        for (place, position) in found {
            let Some(start) = starts.get_mut(*place) else { continue };
            if let Some(free) = unpacked.get_mut(*start) {
                *free = *position;
            }
            *start += 1;
        }
        let mut rest = unpacked.as_mut_slice();
        for count in &counts {
            let length = usize::try_from(*count).unwrap_or_default();
            let Some((of_doc, others)) = rest.split_at_mut_checked(length) else { break };
            of_doc.sort_unstable();
            let mut last = 0;
            for position in of_doc {
                let distance = *position - last;
                last = *position;
                *position = distance;
            }
            rest = others;
        }
        let docs = wanted.iter().copied().zip(counts).filter(|(_, count)| *count > 0);
        let (docs, counts) = docs.unzip();
        let mut column = Self::new(docs, counts);
        column.unpacked = unpacked;
        column
    }

    fn new(docs: Vec<u32>, counts: Vec<u32>) -> Self {
        let total = counts.iter().map(|count| u64::from(*count)).sum();
        Self {
            docs,
            counts,
            total,
            next: 0,
            before: 0,
            packed: None,
            unpacked: Vec::new(),
            unpacked_at: 0,
        }
    }

    /// Returns where the word stands in `doc`, each position as its distance from the one before.
    ///
    /// The word must be in `doc`, which must be behind those that were asked for before.
    pub(super) fn distances(&mut self, doc: u32) -> &[u32] {
        let rest = self.docs.get(self.next..).unwrap_or_default();
        let counts = self.counts.get(self.next..).unwrap_or_default();
        let skipped = rest.iter().take_while(|found| **found < doc).count();
        self.before += counts.iter().take(skipped).map(|count| u64::from(*count)).sum::<u64>();
        self.next += skipped;
        let count = counts.get(skipped).copied().unwrap_or_default();
        self.unpack(u64::from(count));
        let start = usize::try_from(self.before - self.unpacked_at).unwrap_or(usize::MAX);
        let end = start.saturating_add(usize::try_from(count).unwrap_or_default());
        self.next += 1;
        self.before += u64::from(count);
        self.unpacked.get(start..end).unwrap_or_default()
    }

    /// Sees to it that the next `count` positions are unpacked.
    fn unpack(&mut self, count: u64) {
        let Some(packed) = &mut self.packed else { return };
        let end = self.unpacked_at + self.unpacked.len() as u64;
        if self.before + count <= end {
            return;
        }
        let ahead = if self.before.saturating_sub(end) < FEW { MANY } else { FEW };
        let length = count.max(ahead.min(self.total.saturating_sub(self.before)));
        self.unpacked.resize(usize::try_from(length).unwrap_or_default(), 0);
        packed.read(self.before, &mut self.unpacked);
        self.unpacked_at = self.before;
    }
}

/// Returns the documents of a word that are `wanted`, with their places there.
fn shared(field: &OpenField, info: &TermInfo, wanted: &[u32]) -> io::Result<Vec<(usize, u32)>> {
    let mut postings = field.postings(info)?;
    let mut shared = Vec::new();
    let mut rest = wanted;
    while !postings.docs().is_empty() {
        for doc in postings.docs() {
            if rest.first().is_some_and(|first| first < doc) {
                let before = rest.partition_point(|wanted| wanted < doc);
                rest = rest.get(before..).unwrap_or_default();
            }
            if let Some((first, behind)) = rest.split_first()
                && first == doc
            {
                shared.push((wanted.len() - rest.len(), *doc));
                rest = behind;
            }
        }
        postings.advance();
    }
    Ok(shared)
}

/// Returns those of some documents, which are in order, that are in a range.
pub(super) fn between<'a>(docs: &'a [u32], range: &Range<u32>) -> &'a [u32] {
    let start = docs.partition_point(|doc| *doc < range.start);
    let end = docs.partition_point(|doc| *doc < range.end);
    docs.get(start..end).unwrap_or_default()
}
