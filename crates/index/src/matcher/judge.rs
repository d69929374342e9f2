//! One pass over the texts of a thread.

use std::collections::VecDeque;
use std::ops::Range;

use super::phrase::Phrase;
use super::spots::Spots;
use super::terms::{Term, Terms};
use crate::field::Field;
use crate::text::Text;
use crate::token::{tokens, walk};

/// What was found in a thread that matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// How often each positive clause is in each field.
    pub counts: Vec<[u32; 3]>,
    /// How many bytes each field has.
    pub lengths: [u32; 3],
}

/// What is found while the texts of a thread are looked at.
struct Tally {
    counts: Vec<[u32; 3]>,
    lengths: [u32; 3],
}

impl Tally {
    fn new(terms: &Terms) -> Self {
        Self { counts: vec![[0; 3]; terms.clauses.len()], lengths: [0; 3] }
    }

    fn add(&mut self, clause: usize, field: Field) {
        if let Some(counts) = self.counts.get_mut(clause) {
            *field.of(counts) += 1;
        }
    }

    /// Returns what was found if every clause has what it needs.
    fn found(self, terms: &Terms) -> Option<Found> {
        let mut positive = Vec::with_capacity(self.counts.len());
        for (need, counts) in terms.clauses.iter().zip(self.counts) {
            if need.not != (counts == [0; 3]) {
                return None;
            }
            if !need.not {
                positive.push(counts);
            }
        }
        Some(Found { counts: positive, lengths: self.lengths })
    }
}

/// Looks for phrases, one word of the texts after the other.
pub(super) fn judge<'a>(terms: &Terms, texts: impl Iterator<Item = Text<'a>>) -> Option<Found> {
    let mut phrases: Vec<Phrase> =
        terms.clauses.iter().map(|need| Phrase::new(need.words)).collect();
    let mut tally = Tally::new(terms);
    for text in texts {
        text.measure(&mut tally.lengths);
        phrases.iter_mut().for_each(Phrase::restart);
        walk(
            &text.shown(),
            |first, length| terms.may_have(first, length),
            |token| {
                for term in terms.of(token.text) {
                    if completes(&mut phrases, term, token.position) {
                        tally.add(term.clause, text.field);
                    }
                }
            },
        );
    }
    tally.found(terms)
}

/// Looks for single words.
pub(super) fn judge_spots<'a>(
    spots: &Spots,
    terms: &Terms,
    texts: impl Iterator<Item = Text<'a>>,
) -> Option<Found> {
    let mut tally = Tally::new(terms);
    let mut room = Vec::new();
    for text in texts {
        text.measure(&mut tally.lengths);
        spots.each(&text, &mut room, |clause| tally.add(clause, text.field));
    }
    tally.found(terms)
}

/// Returns whether a word is the last one of what its clause needs.
fn completes(phrases: &mut [Phrase], term: &Term, position: u32) -> bool {
    phrases.get_mut(term.clause).is_some_and(|phrase| phrase.meets(&term.places, position))
}

pub(super) fn spans(terms: &Terms, text: &str) -> Vec<Range<usize>> {
    let mut phrases: Vec<Phrase> =
        terms.clauses.iter().map(|need| Phrase::new(need.words)).collect();
    let longest = terms.clauses.iter().map(|need| need.words).max().unwrap_or_default();
    // Where the last words start, as many as the longest phrase has.
    let mut starts = VecDeque::with_capacity(longest + 1);
    let mut spans: Vec<Range<usize>> = Vec::new();
    tokens(text, |token| {
        starts.push_back(token.start);
        if starts.len() > longest {
            starts.pop_front();
        }
        for term in terms.of(token.text) {
            let need = terms.clauses.get(term.clause).filter(|need| !need.not);
            if let Some(need) = need
                && completes(&mut phrases, term, token.position)
            {
                let first = starts.len().saturating_sub(need.words);
                let start = starts.get(first).copied().unwrap_or(token.start);
                spans.push(start..token.end);
            }
        }
    });
    merged(spans)
}

/// Sorts ranges and joins those that overlap or touch.
fn merged(mut spans: Vec<Range<usize>>) -> Vec<Range<usize>> {
    spans.sort_unstable_by_key(|span| (span.start, span.end));
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(spans.len());
    for span in spans {
        match merged.last_mut().filter(|last| last.end >= span.start) {
            Some(last) => last.end = last.end.max(span.end),
            None => merged.push(span),
        }
    }
    merged
}
