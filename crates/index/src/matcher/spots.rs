//! Single words, found in a text without cutting all of it into words.

use super::terms::{Term, Terms};
use crate::needle::{
    AsciiNeedle, each_mixed_run, is_in_long_run, is_part_of_word, may_be_redacted,
};
use crate::query::{Clause, shortest};
use crate::text::Text;
use crate::token::{LONGEST_TOKEN, tokens};

/// Words of ASCII to look for, each by itself.
#[derive(Clone, Debug)]
pub(super) struct Spots {
    spots: Vec<Spot>,
    /// Whether one of the words may stand where a secret was taken out.
    may_be_redacted: bool,
}

#[derive(Clone, Debug)]
struct Spot {
    term: Term,
    needle: AsciiNeedle,
}

impl Spots {
    /// Takes the words of all clauses; none where one of them is a phrase, or not ASCII.
    pub(super) fn new(clauses: &[Clause], terms: &Terms) -> Option<Self> {
        let is_one = terms.clauses.iter().all(|need| need.words == 1);
        let all: Vec<&Term> = terms.all().collect();
        if !is_one || all.iter().any(|term| !term.text.is_ascii()) {
            return None;
        }
        let spots = all.into_iter().map(|term| {
            let letters = if term.is_commit() { shortest(&term.text) } else { &term.text };
            Spot { term: term.clone(), needle: AsciiNeedle::new(letters.to_owned()) }
        });
        let may_be_redacted = clauses.iter().any(|clause| may_be_redacted(&clause.atom));
        Some(Self { spots: spots.collect(), may_be_redacted })
    }

    /// Calls `found` with the clause of each word that is there; `room` is for its use.
    pub(super) fn each(&self, text: &Text<'_>, room: &mut Vec<usize>, found: impl FnMut(usize)) {
        match text.guarded {
            false => self.each_in(text.text, room, found),
            true if self.is_clear(text.text, room) => {}
            true => self.each_in(&text.shown(), room, found),
        }
    }

    /// Returns whether none of the words is there, nor will be when secrets are gone: to look for those takes much longer
    /// than to look for words.
    pub(super) fn is_clear(&self, text: &str, room: &mut Vec<usize>) -> bool {
        let none = |spot: &Spot| {
            room.clear();
            spot.needle.places(text.as_bytes(), room);
            !room
                .iter()
                .any(|start| is_in_long_run(text.as_bytes(), *start) || spot.is_at(text, *start))
        };
        !self.may_be_redacted && text.is_ascii() && self.spots.iter().all(none)
    }

    fn each_in(&self, text: &str, room: &mut Vec<usize>, mut found: impl FnMut(usize)) {
        for spot in &self.spots {
            room.clear();
            spot.needle.places(text.as_bytes(), room);
            let count = room.iter().filter(|start| spot.is_at(text, **start)).count();
            (0..count).for_each(|_| found(spot.term.clause));
        }
        each_mixed_run(text, |run| {
            tokens(run, |token| {
                let same = self.spots.iter().filter(|spot| spot.term.is(token.text));
                same.for_each(|spot| found(spot.term.clause));
            });
        });
    }
}

impl Spot {
    /// Returns whether the word starts where its letters do, in a run of ASCII.
    fn is_at(&self, text: &str, start: usize) -> bool {
        let bytes = text.as_bytes();
        let before = start.checked_sub(1).and_then(|before| bytes.get(before));
        if before.is_some_and(is_part_of_word) {
            return false;
        }
        let rest = bytes.get(start..).unwrap_or_default();
        let length = rest.iter().take_while(|byte| is_part_of_word(byte)).count();
        let run = rest.get(..length).unwrap_or_default();
        let word = text.get(start..start + length.min(LONGEST_TOKEN));
        run.is_ascii() && word.is_some_and(|word| self.term.is_in_any_case(word))
    }
}
