//! Matches texts against a query.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::ops::Range;

use skein_format::redact::rules;

use crate::prefilter::Needle;
use crate::prepared::PreparedTexts;
use crate::query::{Atom, Clause, is_same_commit, shortest};
use crate::text::SearchText;
use crate::token::{MAX_TOKEN_LEN, Words, mixed_runs, tokens};

/// Maximum number of words of a phrase for which the bytes of a file are searched.
const MAX_NEEDLES: usize = 3;

/// Decides which texts match a query.
#[derive(Clone, Debug)]
pub struct Matcher {
    clauses: Vec<Condition>,
}

/// The matches in a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchCounts {
    /// The number of matches of each positive clause, by role.
    pub counts: Vec<[u32; 3]>,
    /// The length in bytes, by role.
    pub lengths: [u32; 3],
}

impl Matcher {
    /// Creates a matcher for clauses: every positive one must be found, and no negated one.
    pub fn new(clauses: &[Clause]) -> Self {
        let placeholders = placeholder_words();
        Self {
            clauses: clauses.iter().map(|clause| Condition::new(clause, &placeholders)).collect(),
        }
    }

    /// Returns whether a thread with these parts may match.
    ///
    /// False only if no text in the parts matches, neither as it is, nor as JSON with escapes, nor
    /// with secrets redacted.
    pub fn may_match(&self, parts: &[&[u8]]) -> bool {
        let parts: Vec<Vec<u8>> = parts.iter().map(|part| part.to_ascii_lowercase()).collect();
        let mut positive = self.clauses.iter().filter(|clause| !clause.not);
        positive.all(|clause| {
            clause.needles.iter().all(|needle| parts.iter().any(|part| needle.may_be_in(part)))
        })
    }

    /// Returns the matches in a thread; `None` if it does not match.
    ///
    /// A clause may be found in any text; a phrase must be in one text.
    pub fn judge<'a>(
        &self,
        texts: impl IntoIterator<Item = impl Into<SearchText<'a>>>,
    ) -> Option<MatchCounts> {
        let mut lengths = [0; 3];
        let mut counts = vec![[0; 3]; self.clauses.len()];
        let mut words = Words::default();
        let mut lower = String::new();
        for text in texts {
            let text = text.into();
            text.measure(&mut lengths);
            lower.clear();
            lower.push_str(text.text);
            lower.make_ascii_lowercase();
            if !self.clauses.iter().any(|clause| clause.may_be_in(&lower)) {
                continue;
            }
            if let Cow::Owned(redacted) = text.shown() {
                lower = redacted;
                lower.make_ascii_lowercase();
            }
            words.clear();
            for (clause, counts) in self.clauses.iter().zip(&mut counts) {
                *text.role.of(counts) += clause.count(&lower, &mut words);
            }
        }
        self.decide(counts, lengths)
    }

    /// Returns the matches in a thread with prepared texts; `None` if it does not match.
    pub fn judge_prepared(&self, texts: &PreparedTexts) -> Option<MatchCounts> {
        // Most threads do not match, and one search of all texts is faster than one of each.
        let mut positive = self.clauses.iter().filter(|clause| !clause.not);
        if !positive.all(|clause| clause.may_be_in(texts.all())) {
            return None;
        }
        let mut counts = vec![[0; 3]; self.clauses.len()];
        let mut words = Words::default();
        for (role, text) in texts.iter() {
            words.clear();
            for (clause, counts) in self.clauses.iter().zip(&mut counts) {
                if clause.single.is_some() || clause.may_be_in(text) {
                    *role.of(counts) += clause.count(text, &mut words);
                }
            }
        }
        self.decide(counts, texts.lengths)
    }

    /// Returns the counts of the positive clauses; `None` if the thread does not match.
    fn decide(&self, counts: Vec<[u32; 3]>, lengths: [u32; 3]) -> Option<MatchCounts> {
        let mut positive = Vec::with_capacity(counts.len());
        for (clause, counts) in self.clauses.iter().zip(counts) {
            if clause.not != (counts == [0; 3]) {
                return None;
            }
            positive.extend((!clause.not).then_some(counts));
        }
        Some(MatchCounts { counts: positive, lengths })
    }

    /// Returns whether no positive clause can match a text, without redacting it.
    pub fn is_clear(&self, text: &SearchText<'_>) -> bool {
        let lower = text.text.to_ascii_lowercase();
        !self.clauses.iter().any(|clause| !clause.not && clause.may_be_in(&lower))
    }

    /// Returns the matches of the positive clauses in a text, sorted; ranges that overlap or touch
    /// are joined.
    pub fn spans(&self, text: &str) -> Vec<Range<usize>> {
        let mut words = Words::default();
        words.fill(text);
        let positive = self.clauses.iter().filter(|clause| !clause.not);
        joined(positive.flat_map(|clause| clause.places(&words)).collect())
    }
}

/// A clause, prepared for matching.
#[derive(Clone, Debug)]
struct Condition {
    not: bool,
    /// Consecutive words.
    words: Vec<Word>,
    /// Letters that every matching text contains, longest first; empty if unknown.
    needles: Vec<Needle>,
    /// Finds the word, if it is the only one and ASCII.
    single: Option<Needle>,
}

#[derive(Clone, Debug)]
enum Word {
    Whole(String),
    Beginning(String),
    Commit(String),
}

impl Condition {
    fn new(clause: &Clause, placeholders: &[String]) -> Self {
        let words: Vec<Word> = match &clause.atom {
            Atom::Word(text) => vec![Word::Whole(text.clone())],
            Atom::Prefix(text) => vec![Word::Beginning(text.clone())],
            Atom::Commit(text) => vec![Word::Commit(text.clone())],
            Atom::Phrase { words, open } => {
                let mut words: Vec<Word> = words.iter().cloned().map(Word::Whole).collect();
                if let Some(last) = words.last_mut().filter(|_| *open)
                    && let Word::Whole(text) = last
                {
                    *last = Word::Beginning(std::mem::take(text));
                }
                words
            }
        };
        let in_file = words.iter().filter(|word| !placeholders.iter().any(|text| word.is(text)));
        let mut needles: Vec<Needle> =
            in_file.filter_map(|word| Needle::new(word.letters())).collect();
        needles.sort_by_key(|needle| Reverse(needle.len()));
        needles.truncate(MAX_NEEDLES);
        let single = match words.as_slice() {
            [word] if word.letters().is_ascii() => Needle::new(word.letters()),
            _ => None,
        };
        Self { not: clause.not, words, needles, single }
    }

    fn may_be_in(&self, lower: &str) -> bool {
        self.needles.iter().all(|needle| needle.may_be_in(lower.as_bytes()))
    }

    /// Counts the matches in a text with ASCII in lower case; `words` are those of the text, and
    /// are filled when needed.
    fn count(&self, text: &str, words: &mut Words) -> u32 {
        if let (Some(needle), [word]) = (&self.single, self.words.as_slice()) {
            let ascii = needle
                .count_words(text, |found| word.is(found.get(..MAX_TOKEN_LEN).unwrap_or(found)));
            return ascii + count_in_mixed_runs(text, word);
        }
        if words.is_empty() {
            words.fill(text);
        }
        u32::try_from(self.places(words).count()).unwrap_or(u32::MAX)
    }

    /// Returns the positions at which the words are consecutive.
    fn places<'a>(&'a self, words: &'a Words) -> impl Iterator<Item = Range<usize>> + 'a {
        let starts = 0..(words.len() + 1).saturating_sub(self.words.len());
        starts.filter_map(|first| {
            let is_there = |(word, at): (&Word, usize)| word.is(words.text(at));
            let all = self.words.iter().zip(first..).all(is_there);
            all.then(|| words.span(first..first + self.words.len()))
        })
    }
}

impl Word {
    /// Returns the letters that every such word begins with.
    fn letters(&self) -> &str {
        match self {
            Self::Whole(text) | Self::Beginning(text) => text,
            Self::Commit(text) => shortest(text),
        }
    }

    fn is(&self, word: &str) -> bool {
        match self {
            Self::Whole(text) => word == text,
            Self::Beginning(text) => word.starts_with(text),
            Self::Commit(text) => is_same_commit(text, word),
        }
    }
}

/// Counts a word in the parts of a text that are not plain ASCII.
fn count_in_mixed_runs(text: &str, word: &Word) -> u32 {
    let mut count = 0;
    for run in mixed_runs(text.as_bytes()) {
        tokens(text.get(run).unwrap_or_default(), |token| count += u32::from(word.is(token.text)));
    }
    count
}

/// Sorts ranges and joins those that overlap or touch.
fn joined(mut spans: Vec<Range<usize>>) -> Vec<Range<usize>> {
    spans.sort_unstable_by_key(|span| (span.start, span.end));
    let mut joined: Vec<Range<usize>> = Vec::with_capacity(spans.len());
    for span in spans {
        match joined.last_mut().filter(|last| last.end >= span.start) {
            Some(last) => last.end = last.end.max(span.end),
            None => joined.push(span),
        }
    }
    joined
}

/// Returns the words that replace a secret, which are not in the file itself.
fn placeholder_words() -> Vec<String> {
    let mut words = vec!["redacted".to_owned()];
    for rule in rules() {
        tokens(rule.name, |token| words.push(token.text.to_owned()));
    }
    words
}

#[cfg(test)]
mod tests;
