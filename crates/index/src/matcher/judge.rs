//! One pass over the words of a thread.

use std::collections::VecDeque;
use std::ops::Range;

use super::phrase::Phrase;
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
            |first, length| terms.may_have(first, length),
            |token| {
                for term in terms.of(token.text) {
                    if completes(&mut phrases, term, token.position)
                        && let Some(counts) = counts.get_mut(term.clause)
                    {
                        *field.of(counts) += 1;
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
