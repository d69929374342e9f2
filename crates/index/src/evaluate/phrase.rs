use std::io;

use tantivy::positions::PositionReader;
use tantivy::postings::TermInfo;

use crate::evaluate::List;
use crate::index::segment::{OpenField, OpenSegment};

/// Returns the documents that have the words one after another in a value of the field, and how
/// often; with `open`, the last word may be the beginning of one.
///
/// Values lie apart: the library leaves a position free between two of them.
pub(crate) fn phrase(
    segment: &OpenSegment,
    field: &OpenField,
    words: &[String],
    open: bool,
) -> io::Result<List> {
    let (whole, last) = match words.split_last() {
        Some((last, whole)) if open => (whole, Some(last)),
        _ => (words, None),
    };
    let mut columns = Vec::new();
    for word in whole {
        let Some(info) = field.find(word)? else { return Ok(List::new()) };
        columns.push(Column::read(field, &info)?);
    }
    let mut docs = common(segment, &columns);
    if let Some(prefix) = last {
        let column = Column::of_prefix(field, prefix, (!whole.is_empty()).then_some(&docs))?;
        docs.retain(|doc| column.docs.binary_search(doc).is_ok());
        if whole.is_empty() {
            docs = column.docs.iter().copied().filter(|doc| segment.is_live(*doc)).collect();
        }
        columns.push(column);
    }
    Ok(count(&docs, &mut columns))
}

/// The documents of a word in their order, and where it stands in them.
struct Column {
    docs: Vec<u32>,
    counts: Vec<u32>,
    places: Places,
    /// The next document, and how many places there are before it.
    next: usize,
    before: u64,
}

enum Places {
    Packed(PositionReader),
    Plain(Vec<u32>),
}

impl Column {
    fn read(field: &OpenField, info: &TermInfo) -> io::Result<Self> {
        let mut postings = field.postings(info)?;
        let capacity = usize::try_from(info.doc_freq).unwrap_or_default();
        let mut docs = Vec::with_capacity(capacity);
        let mut counts = Vec::with_capacity(capacity);
        while !postings.docs().is_empty() {
            docs.extend_from_slice(postings.docs());
            counts.extend_from_slice(postings.freqs());
            postings.advance();
        }
        let places = Places::Packed(field.positions(info)?);
        Ok(Self { docs, counts, places, next: 0, before: 0 })
    }

    /// Reads the places of all words with a prefix, in the documents that are `wanted`.
    fn of_prefix(field: &OpenField, prefix: &str, wanted: Option<&Vec<u32>>) -> io::Result<Self> {
        let mut infos = Vec::new();
        field.each_from(prefix, |_, info| infos.push(info.clone()))?;
        let mut found = Vec::new();
        let mut positions = Vec::new();
        for info in &infos {
            let mut column = Self::read(field, info)?;
            let docs = column.docs.clone();
            for doc in docs {
                if wanted.is_none_or(|wanted| wanted.binary_search(&doc).is_ok()) {
                    column.seek(doc, &mut positions);
                    found.extend(positions.iter().map(|position| (doc, *position)));
                }
            }
        }
        found.sort_unstable();
        let places = Places::Plain(found.iter().map(|(_, position)| *position).collect());
        let chunks = found.chunk_by(|left, right| left.0 == right.0);
        let (docs, counts) = chunks
            .filter_map(|chunk| Some((chunk.first()?.0, u32::try_from(chunk.len()).ok()?)))
            .unzip();
        Ok(Self { docs, counts, places, next: 0, before: 0 })
    }

    /// Reads where the word stands in `doc`, which must not be before one that was asked for.
    fn seek(&mut self, doc: u32, positions: &mut Vec<u32>) {
        let rest = self.docs.get(self.next..).unwrap_or_default();
        let counts = self.counts.get(self.next..).unwrap_or_default();
        let skipped = rest.iter().take_while(|found| **found < doc).count();
        self.before += counts.iter().take(skipped).map(|count| u64::from(*count)).sum::<u64>();
        self.next += skipped;
        let count = match rest.get(skipped) {
            Some(found) if *found == doc => counts.get(skipped).copied().unwrap_or_default(),
            _ => 0,
        };
        let count = usize::try_from(count).unwrap_or_default();
        positions.clear();
        match &mut self.places {
            Places::Packed(reader) => {
                positions.resize(count, 0);
                reader.read(self.before, positions);
                let mut position = 0;
                for place in positions {
                    position += *place;
                    *place = position;
                }
            }
            Places::Plain(places) => {
                let start = usize::try_from(self.before).unwrap_or(usize::MAX);
                positions.extend(places.iter().skip(start).take(count));
            }
        }
    }
}

/// Returns the documents that all columns have and that count.
fn common(segment: &OpenSegment, columns: &[Column]) -> Vec<u32> {
    let Some(shortest) = columns.iter().min_by_key(|column| column.docs.len()) else {
        return Vec::new();
    };
    let mut docs = shortest.docs.clone();
    docs.retain(|doc| segment.is_live(*doc));
    for column in columns {
        let mut rest = column.docs.iter().peekable();
        docs.retain(|doc| {
            while rest.next_if(|found| *found < doc).is_some() {}
            rest.peek().is_some_and(|found| *found == doc)
        });
    }
    docs
}

fn count(docs: &[u32], columns: &mut [Column]) -> List {
    let mut list = List::new();
    let Some((first, others)) = columns.split_first_mut() else { return list };
    let (mut starts, mut positions) = (Vec::new(), Vec::new());
    for doc in docs {
        first.seek(*doc, &mut starts);
        for (distance, column) in (1..).zip(others.iter_mut()) {
            column.seek(*doc, &mut positions);
            keep_followed(&mut starts, &positions, distance);
        }
        if let Ok(count @ 1..) = u32::try_from(starts.len()) {
            list.push((*doc, count));
        }
    }
    list
}

/// Keeps the starts that have one of `positions` at `distance`; both are in order.
fn keep_followed(starts: &mut Vec<u32>, positions: &[u32], distance: u32) {
    let mut rest = positions.iter().peekable();
    starts.retain(|start| {
        let wanted = start.saturating_add(distance);
        while rest.next_if(|position| **position < wanted).is_some() {}
        rest.peek().is_some_and(|position| **position == wanted)
    });
}
