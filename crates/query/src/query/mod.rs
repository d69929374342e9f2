//! The grammar of a query.
//!
//! A query consists of terms separated by white space: `word`, `"a phrase"`, `prefix*`, `key:value`,
//! `key:"a value"`. A `-` in front negates a term.

mod atom;
mod error;

use std::ops::Range;

pub use atom::{Atom, Clause};
pub(crate) use atom::{is_same_commit, shortest};
pub use error::{TermError, TermProblem};

/// Maximum length of a query in bytes.
pub const MAX_QUERY_LEN: usize = 4096;

/// Maximum number of terms in a query.
pub const MAX_TERMS: usize = 64;

/// A term of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryTerm {
    /// Its byte range in the query.
    pub at: Range<usize>,
    /// Whether it is negated.
    pub not: bool,
    pub kind: TermKind,
}

/// The content of a term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TermKind {
    /// Words to search for.
    Text(Atom),
    /// A filter as it was written; the key may be unknown.
    Filter {
        key: String,
        /// Without quotes.
        value: String,
    },
}

/// Parses a query.
///
/// `key:value` is a filter if the key is one of `keys`, or if it looks like one, so that the caller can report an
/// unknown key. `std::fs` and `https://…` do not look like filters.
pub fn parse_terms(query: &str, keys: &[&str]) -> Result<Vec<QueryTerm>, TermError> {
    if query.len() > MAX_QUERY_LEN {
        return Err(TermProblem::TooLong.at(MAX_QUERY_LEN..query.len()));
    }
    let mut terms = Vec::new();
    let mut sign = None;
    let mut rest = Rest { query, at: 0 };
    while rest.skip_white_space() {
        let start = rest.at;
        let term = match term(&mut rest, keys) {
            Err(error) if is_sign(&error) => {
                sign.get_or_insert(error);
                continue;
            }
            term => term?,
        };
        if terms.len() == MAX_TERMS {
            return Err(TermProblem::TooManyTerms.at(start..query.len()));
        }
        terms.push(term);
    }
    match sign.filter(|_| terms.is_empty()) {
        Some(error) => Err(error),
        None => Ok(terms),
    }
}

/// Returns whether a term consists of punctuation only, as in `limit + 1`; it is ignored if the
/// query has words.
fn is_sign(error: &TermError) -> bool {
    match &error.problem {
        TermProblem::LoneMinus => true,
        TermProblem::NoWord { term } => !term.contains('"'),
        _ => false,
    }
}

/// Parses the term at the current position.
fn term(rest: &mut Rest<'_>, keys: &[&str]) -> Result<QueryTerm, TermError> {
    let start = rest.at;
    // `--force` is a word, not a double negation.
    let not = rest.left().starts_with('-') && !rest.left().starts_with("--");
    if not {
        rest.at += 1;
    }
    let kind = if rest.left().starts_with('"') {
        let phrase = rest.quoted()?;
        let open = rest.eat('*');
        text(phrase, Form { quoted: true, open }, rest, start)?
    } else {
        match filter(rest, keys)? {
            Some(filter) => filter,
            None => word(rest, start, not)?,
        }
    };
    Ok(QueryTerm { at: start..rest.at, not, kind })
}

/// Parses a filter, if there is one at the current position.
fn filter(rest: &mut Rest<'_>, keys: &[&str]) -> Result<Option<TermKind>, TermError> {
    let Some((key, after)) = rest.left().split_once(':') else { return Ok(None) };
    let known = keys.iter().find(|known| known.eq_ignore_ascii_case(key));
    let is_known = known.is_some();
    let looks_like_one = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_lowercase());
    if !is_known && (!looks_like_one || after.starts_with(':') || after.starts_with("//")) {
        return Ok(None);
    }
    let mut ahead = Rest { query: rest.query, at: rest.at + key.len() + 1 };
    let value = match after.starts_with('"') {
        true => ahead.quoted()?,
        false => ahead.word(),
    };
    if value.is_empty() && !is_known {
        return Ok(None);
    }
    rest.at = ahead.at;
    let key = known.copied().unwrap_or(key);
    Ok(Some(TermKind::Filter { key: key.to_owned(), value: value.to_owned() }))
}

/// Parses a word, with or without a star.
fn word(rest: &mut Rest<'_>, start: usize, not: bool) -> Result<TermKind, TermError> {
    let word = rest.word();
    let at = start..rest.at;
    if word.is_empty() && not || word == "-" {
        return Err(TermProblem::LoneMinus.at(at));
    }
    let bare = word.trim_end_matches('*');
    if bare.is_empty() {
        return Err(TermProblem::LoneStar.at(at));
    }
    text(bare, Form { quoted: false, open: bare.len() < word.len() }, rest, start)
}

/// The notation of a term.
#[derive(Clone, Copy)]
struct Form {
    quoted: bool,
    open: bool,
}

fn text(words: &str, form: Form, rest: &Rest<'_>, start: usize) -> Result<TermKind, TermError> {
    let atom = match form.quoted {
        true => Atom::from_phrase(words, form.open),
        false => Atom::from_word(words, form.open),
    };
    atom.map(TermKind::Text).ok_or_else(|| {
        let at = start..rest.at;
        let term = rest.query.get(at.clone()).unwrap_or_default().to_owned();
        TermProblem::NoWord { term }.at(at)
    })
}

/// The part of a query that is not parsed yet.
struct Rest<'a> {
    query: &'a str,
    at: usize,
}

impl<'a> Rest<'a> {
    fn left(&self) -> &'a str {
        self.query.get(self.at..).unwrap_or_default()
    }

    /// Skips to the next term and returns whether there is one.
    fn skip_white_space(&mut self) -> bool {
        self.at = self.query.len() - self.left().trim_start().len();
        self.at < self.query.len()
    }

    /// Returns the text up to the next white space.
    fn word(&mut self) -> &'a str {
        let word = self.left().split(char::is_whitespace).next().unwrap_or_default();
        self.at += word.len();
        word
    }

    /// Returns the text between the quote at the current position and the next one.
    fn quoted(&mut self) -> Result<&'a str, TermError> {
        let start = self.at;
        self.at += 1;
        match self.left().split_once('"') {
            Some((inside, _)) => {
                self.at += inside.len() + 1;
                Ok(inside)
            }
            None => Err(TermProblem::UnclosedQuote.at(start..self.query.len())),
        }
    }

    fn eat(&mut self, wanted: char) -> bool {
        let is_there = self.left().starts_with(wanted);
        if is_there {
            self.at += wanted.len_utf8();
        }
        is_there
    }
}

#[cfg(test)]
mod tests;
