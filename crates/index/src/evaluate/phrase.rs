use std::io;
use std::ops::Range;

use crate::evaluate::column::{self, Column};
use crate::index::segment::{OpenField, OpenSegment};

/// Returns those of some documents that have the words one after another in a value of the field, and how
/// often; with `open`, the last word may be the beginning of one.
///
/// Values lie apart: the library leaves a position free between two of them.
pub(crate) fn phrase(
    (segment, docs): (&OpenSegment, &Range<u32>),
    field: &OpenField,
    words: &[String],
    open: bool,
) -> io::Result<Vec<(u32, u32)>> {
    let (whole, last) = match words.split_last() {
        Some((last, whole)) if open => (whole, Some(last)),
        _ => (words, None),
    };
    let mut columns = Vec::new();
    for word in whole {
        let Some(info) = field.find(word)? else { return Ok(Vec::new()) };
        columns.push(Column::of_word(field, &info)?);
    }
    let mut docs = common(segment, docs, &columns);
    if let Some(prefix) = last {
        let column = Column::of_prefix(field, prefix, &docs)?;
        docs.clone_from(&column.docs);
        columns.push(column);
    }
    Ok(count(&docs, &mut columns))
}

/// Returns those of some documents that all columns have and that count.
fn common(segment: &OpenSegment, among: &Range<u32>, columns: &[Column]) -> Vec<u32> {
    let mut docs = match columns.iter().min_by_key(|column| column.docs.len()) {
        Some(shortest) => column::between(&shortest.docs, among).to_vec(),
        None => among.clone().collect(),
    };
    docs.retain(|doc| segment.is_live(*doc));
    for column in columns {
        let mut rest = column::between(&column.docs, among).iter().peekable();
        docs.retain(|doc| {
            while rest.next_if(|found| *found < doc).is_some() {}
            rest.peek().is_some_and(|found| *found == doc)
        });
    }
    docs
}

fn count(docs: &[u32], columns: &mut [Column]) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    let Some((last, before)) = columns.split_last_mut() else { return found };
    let mut marks = Marks::default();
    let mut ends = Vec::new();
    for doc in docs {
        let count = match before.split_first_mut() {
            None => last.distances(*doc).len(),
            Some((first, others)) => {
                marks.set_behind(first.distances(*doc));
                // What has no beginning of the phrase need not be unpacked to its end.
                let begun = others.iter_mut().all(|other| {
                    marks.take(other.distances(*doc), &mut ends);
                    marks.set_behind(&ends);
                    !ends.is_empty()
                });
                if begun { marks.count(last.distances(*doc)) } else { 0 }
            }
        };
        if let Ok(count @ 1..) = u32::try_from(count) {
            found.push((*doc, count));
        }
    }
    found
}

/// Where the next word of a phrase would have to stand: a bit for each position in a document.
///
/// Two short lists could as well be walked along side by side, but then each step is a guess for
/// the processor, which takes several times as long.
#[derive(Default)]
struct Marks {
    bits: Vec<u64>,
    /// Where bits may be set.
    used: Range<usize>,
}

impl Marks {
    /// Marks the position behind each of those given, by their distances, and no other one.
    fn set_behind(&mut self, distances: &[u32]) {
        self.clear();
        let Some(first) = distances.first() else { return };
        let last: u32 = distances.iter().sum();
        self.used = word_of(first + 1)..word_of(last + 1) + 1;
        if self.bits.len() < self.used.end {
            self.bits.resize(self.used.end, 0);
        }
        let mut position = 1;
        for distance in distances {
            position += distance;
            if let Some(word) = self.bits.get_mut(word_of(position)) {
                *word |= 1 << (position % 64);
            }
        }
    }

    fn clear(&mut self) {
        if let Some(used) = self.bits.get_mut(self.used.clone()) {
            used.fill(0);
        }
        self.used = 0..0;
    }

    fn has(&self, position: u32) -> bool {
        let word = self.bits.get(word_of(position)).copied().unwrap_or_default();
        (word >> (position % 64)) & 1 == 1
    }

    /// Returns how many of the positions are marked.
    fn count(&self, distances: &[u32]) -> usize {
        let (mut count, mut position) = (0, 0);
        for distance in distances {
            position += distance;
            count += usize::from(self.has(position));
        }
        count
    }

    /// Takes the positions that are marked.
    fn take(&self, distances: &[u32], taken: &mut Vec<u32>) {
        taken.clear();
        let (mut last, mut position) = (0, 0);
        for distance in distances {
            position += distance;
            if self.has(position) {
                taken.push(position - last);
                last = position;
            }
        }
    }
}

fn word_of(position: u32) -> usize {
    usize::try_from(position / 64).unwrap_or_default()
}
