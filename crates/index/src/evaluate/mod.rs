mod phrase;

use std::io;

use tantivy::postings::TermInfo;

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

/// Returns the documents of a segment that match an atom, in order, without those that are gone.
pub(crate) fn evaluate(segment: &OpenSegment, atom: &Atom) -> Result<Vec<Hit>, IndexError> {
    let mut lists = Vec::new();
    for field in Field::ALL {
        let open = segment.field(field)?;
        let found = match atom {
            Atom::Phrase { words, open: prefix } => {
                phrase(segment, &open, words, *prefix).map(|list| vec![list])
            }
            Atom::Word(word) => exact(segment, &open, word),
            Atom::Prefix(prefix) => every(segment, &open, prefix, |_| true),
            Atom::Commit(commit) => {
                every(segment, &open, shortest(commit), |term| is_same_commit(commit, term))
            }
        };
        let found = found.map_err(tantivy::TantivyError::from)?;
        lists.extend(found.into_iter().filter(|list| !list.is_empty()).map(|list| (field, list)));
    }
    Ok(unite(segment, lists))
}

/// Documents of one field with the number of matches, in order.
pub(crate) type List = Vec<(u32, u32)>;

fn exact(segment: &OpenSegment, field: &OpenField, word: &str) -> io::Result<Vec<List>> {
    field.find(word)?.iter().map(|info| list(segment, field, info)).collect()
}

fn every(
    segment: &OpenSegment,
    field: &OpenField,
    prefix: &str,
    wanted: impl Fn(&str) -> bool,
) -> io::Result<Vec<List>> {
    let mut infos = Vec::new();
    field.each_from(prefix, |term, info| {
        if str::from_utf8(term).is_ok_and(&wanted) {
            infos.push(info.clone());
        }
    })?;
    infos.iter().map(|info| list(segment, field, info)).collect()
}

fn list(segment: &OpenSegment, field: &OpenField, info: &TermInfo) -> io::Result<List> {
    let mut postings = field.postings(info)?;
    let mut list = Vec::with_capacity(usize::try_from(info.doc_freq).unwrap_or_default());
    while !postings.docs().is_empty() {
        let found = postings.docs().iter().copied().zip(postings.freqs().iter().copied());
        list.extend(found.filter(|(doc, _)| segment.is_live(*doc)));
        postings.advance();
    }
    Ok(list)
}

/// Adds up what was found for several terms and in several fields.
fn unite(segment: &OpenSegment, lists: Vec<(Field, List)>) -> Vec<Hit> {
    let total: usize = lists.iter().map(|(_, list)| list.len()).sum();
    if lists.len() == 1 || total < segment.slots.len() / 8 {
        return unite_few(lists, total);
    }
    let mut counts = vec![[0; 3]; segment.slots.len()];
    for (field, list) in lists {
        for (doc, count) in list {
            if let Some(counts) = usize::try_from(doc).ok().and_then(|doc| counts.get_mut(doc)) {
                *field.of(counts) += count;
            }
        }
    }
    let all = (0..).zip(counts).map(|(doc, counts)| Hit { doc, counts });
    all.filter(|hit| hit.counts != [0; 3]).collect()
}

fn unite_few(lists: Vec<(Field, List)>, total: usize) -> Vec<Hit> {
    let several = lists.len() > 1;
    let mut hits = Vec::with_capacity(total);
    for (field, list) in lists {
        hits.extend(list.into_iter().map(|(doc, count)| {
            let mut counts = [0; 3];
            *field.of(&mut counts) = count;
            Hit { doc, counts }
        }));
    }
    if several {
        hits.sort_unstable_by_key(|hit| hit.doc);
        hits.dedup_by(|later, first| {
            let same = later.doc == first.doc;
            if same {
                for (sum, count) in first.counts.iter_mut().zip(later.counts) {
                    *sum += count;
                }
            }
            same
        });
    }
    hits
}
