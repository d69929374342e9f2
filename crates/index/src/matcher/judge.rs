//! One pass over the words of a thread.

use std::ops::Range;

use super::terms::{Term, Terms};
use crate::field::Field;
use crate::token::{tokens, walk};

/// What was found in a thread that matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// How often each positive clause is in each field.
    pub counts: Vec<[u32; 3]>,
    /// How many words each field has.
    pub lengths: [u32; 3],
}

pub(super) fn judge(terms: &Terms, values: &[(Field, &str)]) -> Option<Found> {
    let mut phrases: Vec<Phrase> =
        terms.clauses.iter().map(|need| Phrase::new(need.words)).collect();
    let mut counts = vec![[0_u32; 3]; terms.clauses.len()];
    let mut lengths = [0_u32; 3];
    for (field, text) in values {
        phrases.iter_mut().for_each(Phrase::restart);
        let words = walk(
            text,
            |first| terms.has_first(first),
            |token| {
                for term in terms.of(token.text) {
                    if completes(&mut phrases, term, token.position) {
                        if let Some(counts) = counts.get_mut(term.clause) {
                            *field.of(counts) += 1;
                        }
                    }
                }
            },
        );
        let length = field.of(&mut lengths);
        *length = length.saturating_add(words);
    }
    let mut positive = Vec::with_capacity(counts.len());
    for (need, counts) in terms.clauses.iter().zip(counts) {
        if need.not != (counts == [0; 3]) {
            return None;
        }
        if !need.not {
            positive.push(counts);
        }
    }
    Some(Found { counts: positive, lengths })
}

/// Returns whether a word is the last one of what its clause needs.
fn completes(phrases: &mut [Phrase], term: &Term, position: u32) -> bool {
    phrases.get_mut(term.clause).is_some_and(|phrase| phrase.meets(term.place, position))
}

pub(super) fn spans(terms: &Terms, text: &str) -> Vec<Range<usize>> {
    let mut phrases: Vec<Phrase> =
        terms.clauses.iter().map(|need| Phrase::new(need.words)).collect();
    let mut starts = Vec::new();
    let mut spans: Vec<Range<usize>> = Vec::new();
    tokens(text, |token| {
        starts.push(token.start);
        for term in terms.of(token.text) {
            let is_positive = terms.clauses.get(term.clause).is_some_and(|need| !need.not);
            if is_positive && completes(&mut phrases, term, token.position) {
                let first = starts.len().saturating_sub(term.place + 1);
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

/// How far a phrase has come: a bit for each beginning of it that ends at the last word that was of interest.
#[derive(Clone, Debug)]
struct Phrase {
    words: usize,
    /// Which beginnings end at `position`.
    here: Vec<u64>,
    /// Which beginnings end one before it.
    before: Vec<u64>,
    position: Option<u32>,
}

impl Phrase {
    fn new(words: usize) -> Self {
        let blocks = if words > 1 { words.div_ceil(64) } else { 0 };
        Self { words, here: vec![0; blocks], before: vec![0; blocks], position: None }
    }

    /// Forgets what was seen: another value begins.
    fn restart(&mut self) {
        self.position = None;
    }

    /// Takes the word at a position for the one at a place of the phrase, and returns whether that makes it complete.
    fn meets(&mut self, place: usize, position: u32) -> bool {
        if self.words == 1 {
            return true;
        }
        if self.position != Some(position) {
            let follows = self.position.is_some_and(|last| last.checked_add(1) == Some(position));
            std::mem::swap(&mut self.here, &mut self.before);
            self.here.fill(0);
            if !follows {
                self.before.fill(0);
            }
            self.position = Some(position);
        }
        let goes_on = match place.checked_sub(1) {
            None => true,
            Some(last) => {
                self.before.get(last / 64).is_some_and(|block| block >> (last % 64) & 1 == 1)
            }
        };
        if !goes_on {
            return false;
        }
        if let Some(block) = self.here.get_mut(place / 64) {
            *block |= 1 << (place % 64);
        }
        place + 1 == self.words
    }
}
