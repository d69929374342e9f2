mod column;
mod phrase;

use std::io;
use std::ops::Range;

use tantivy::postings::{BlockSegmentPostings, TermInfo};

use crate::evaluate::phrase::phrase;
use crate::field::Field;
use crate::index::error::IndexError;
use crate::index::segment::{OpenField, OpenSegment};
use crate::query::{Atom, is_same_commit, shortest};

/// A document that has what a clause asks for, and how often in each field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) doc: u32,
    pub(crate) counts: [u32; 3],
}

/// Returns those of some documents of a segment that match an atom, in order, without those that are gone.
pub(crate) fn evaluate(
    segment: &OpenSegment,
    atom: &Atom,
    docs: &Range<u32>,
) -> Result<Vec<Hit>, IndexError> {
    let mut tally = Tally { segment, docs, runs: 0, hits: Vec::new() };
    for field in Field::ALL {
        let open = segment.field(field)?;
        let added = match atom {
            Atom::Word(word) => tally.add_word(field, &open, word),
            Atom::Prefix(prefix) => tally.add_every(field, &open, prefix, |_| true),
            Atom::Commit(commit) => {
                tally.add_every(field, &open, shortest(commit), |term| is_same_commit(commit, term))
            }
            Atom::Phrase { words, open: prefix } => {
                let found = phrase((segment, docs), &open, words, *prefix);
                found.map(|found| tally.add(field, found))
            }
        };
        added.map_err(tantivy::TantivyError::from)?;
    }
    Ok(tally.finish())
}

/// Adds up what is found for several terms and in several fields.
struct Tally<'a> {
    segment: &'a OpenSegment,
    docs: &'a Range<u32>,
    /// How many times the documents begin anew; within a run they are in order.
    runs: usize,
    hits: Vec<Hit>,
}

impl Tally<'_> {
    fn add_word(&mut self, field: Field, open: &OpenField, word: &str) -> io::Result<()> {
        match open.find(word)? {
            Some(info) => self.add_terms(field, open, &[info]),
            None => Ok(()),
        }
    }

    fn add_every(
        &mut self,
        field: Field,
        open: &OpenField,
        prefix: &str,
        wanted: impl Fn(&str) -> bool,
    ) -> io::Result<()> {
        let mut infos = Vec::new();
        open.each_from(prefix, |term, info| {
            if str::from_utf8(term).is_ok_and(&wanted) {
                infos.push(info.clone());
            }
        })?;
        self.add_terms(field, open, &infos)
    }

    fn add_terms(&mut self, field: Field, open: &OpenField, infos: &[TermInfo]) -> io::Result<()> {
        let mut postings: Option<BlockSegmentPostings> = None;
        for info in infos {
            let postings = open.postings_again(info, &mut postings)?;
            while let (Some(first), Some(last)) = (postings.docs().first(), postings.docs().last())
                && *first < self.docs.end
            {
                if *last >= self.docs.start {
                    for (doc, count) in postings.docs().iter().zip(postings.freqs()) {
                        if self.docs.contains(doc) && self.segment.is_live(*doc) {
                            self.hits.push(hit(field, *doc, *count));
                        }
                    }
                }
                postings.advance();
            }
            self.runs += 1;
        }
        Ok(())
    }

    fn add(&mut self, field: Field, found: Vec<(u32, u32)>) {
        if !found.is_empty() {
            self.runs += 1;
            self.hits.extend(found.into_iter().map(|(doc, count)| hit(field, doc, count)));
        }
    }

    fn finish(self) -> Vec<Hit> {
        match self.runs {
            0 | 1 => self.hits,
            _ if self.hits.len() < self.docs.len() / 8 => united_by_order(self.hits),
            _ => united_by_place(&self.hits, self.docs),
        }
    }
}

fn hit(field: Field, doc: u32, count: u32) -> Hit {
    let mut counts = [0; 3];
    *field.of(&mut counts) = count;
    Hit { doc, counts }
}

/// For few hits: puts those of a document side by side.
fn united_by_order(mut hits: Vec<Hit>) -> Vec<Hit> {
    hits.sort_unstable_by_key(|hit| hit.doc);
    hits.dedup_by(|later, first| {
        let same = later.doc == first.doc;
        if same {
            add(&mut first.counts, later.counts);
        }
        same
    });
    hits
}

/// For many hits: has a place for every document.
fn united_by_place(hits: &[Hit], docs: &Range<u32>) -> Vec<Hit> {
    let mut sums = vec![[0; 3]; docs.len()];
    for hit in hits {
        let place = hit.doc.checked_sub(docs.start).and_then(|doc| usize::try_from(doc).ok());
        if let Some(sum) = place.and_then(|place| sums.get_mut(place)) {
            add(sum, hit.counts);
        }
    }
    let all = docs.clone().zip(sums).map(|(doc, counts)| Hit { doc, counts });
    all.filter(|hit| hit.counts != [0; 3]).collect()
}

fn add(sum: &mut [u32; 3], counts: [u32; 3]) {
    for (sum, count) in sum.iter_mut().zip(counts) {
        *sum += count;
    }
}
