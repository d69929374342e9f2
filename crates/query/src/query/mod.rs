//! The grammar of a query.
//!
//! A query is made of pieces with white space between them: `word`, `"a phrase"`, `prefix*`, `key:value`,
//! `key:"a value"`, each of which a `-` in front turns into its opposite.

mod atom;
mod error;

use std::ops::Range;

pub use atom::{Atom, Clause};
pub(crate) use atom::{is_same_commit, shortest};
pub use error::QueryError;

/// The most bytes of a query.
pub const MAX_QUERY_LEN: usize = 4096;

/// The most pieces of a query.
pub const MAX_PIECES: usize = 64;

/// A part of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its bytes in the query.
    pub at: Range<usize>,
    /// Whether it tells what is not wanted.
    pub not: bool,
    /// What it asks for.
    pub what: What,
}

/// What a piece of a query asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// Words of the text.
    Text(Atom),
    /// A fact about the thread, as it was written; the key need not be a known one.
    Filter {
        /// What is in front of the colon.
        key: String,
        /// What follows it, without quotes.
        value: String,
    },
}

/// Reads a query.
///
/// `key:value` is a filter if the key is one of `keys`. If it only looks like a filter it is one as well, so that the
/// caller can tell which keys there are; `std::fs` and `https://…` do not look like one.
pub fn pieces(query: &str, keys: &[&str]) -> Result<Vec<Piece>, QueryError> {
    if query.len() > MAX_QUERY_LEN {
        return Err(QueryError::TooLong { at: MAX_QUERY_LEN..query.len() });
    }
    let mut pieces = Vec::new();
    let mut sign = None;
    let mut rest = Rest { query, at: 0 };
    while rest.skip_white_space() {
        let start = rest.at;
        let piece = match piece(&mut rest, keys) {
            Err(error) if is_sign(query, &error) => {
                sign.get_or_insert(error);
                continue;
            }
            piece => piece?,
        };
        if pieces.len() == MAX_PIECES {
            return Err(QueryError::TooMany { at: start..query.len() });
        }
        pieces.push(piece);
    }
    match sign.filter(|_| pieces.is_empty()) {
        Some(error) => Err(error),
        None => Ok(pieces),
    }
}

/// Returns whether a piece is a mere sign, as in `limit + 1`: beside words it is passed over.
fn is_sign(query: &str, error: &QueryError) -> bool {
    let piece = query.get(error.at()).unwrap_or_default();
    match error {
        QueryError::LoneMinus { .. } => true,
        QueryError::Nothing { .. } => !piece.contains('"'),
        _ => false,
    }
}

/// Reads the piece that starts here.
fn piece(rest: &mut Rest<'_>, keys: &[&str]) -> Result<Piece, QueryError> {
    let start = rest.at;
    // `--force` is what somebody looks for, and no double negation.
    let not = rest.left().starts_with('-') && !rest.left().starts_with("--");
    if not {
        rest.at += 1;
    }
    let what = if rest.left().starts_with('"') {
        let phrase = rest.quoted()?;
        let open = rest.eat('*');
        text(phrase, Form { quoted: true, open }, rest, start)?
    } else {
        match filter(rest, keys)? {
            Some(filter) => filter,
            None => word(rest, start, not)?,
        }
    };
    Ok(Piece { at: start..rest.at, not, what })
}

/// Reads a filter, if there is one here.
fn filter(rest: &mut Rest<'_>, keys: &[&str]) -> Result<Option<What>, QueryError> {
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
    Ok(Some(What::Filter { key: key.to_owned(), value: value.to_owned() }))
}

/// Reads a word, with or without a star.
fn word(rest: &mut Rest<'_>, start: usize, not: bool) -> Result<What, QueryError> {
    let word = rest.word();
    let at = start..rest.at;
    if word.is_empty() && not || word == "-" {
        return Err(QueryError::LoneMinus { at });
    }
    let bare = word.trim_end_matches('*');
    if bare.is_empty() {
        return Err(QueryError::LoneStar { at });
    }
    text(bare, Form { quoted: false, open: bare.len() < word.len() }, rest, start)
}

/// How words were written.
#[derive(Clone, Copy)]
struct Form {
    quoted: bool,
    open: bool,
}

fn text(words: &str, form: Form, rest: &Rest<'_>, start: usize) -> Result<What, QueryError> {
    let atom = match form.quoted {
        true => Atom::of_phrase(words, form.open),
        false => Atom::of_word(words, form.open),
    };
    atom.map(What::Text).ok_or_else(|| {
        let at = start..rest.at;
        let piece = rest.query.get(at.clone()).unwrap_or_default().to_owned();
        QueryError::Nothing { piece, at }
    })
}

/// What of a query is not read yet.
struct Rest<'a> {
    query: &'a str,
    at: usize,
}

impl<'a> Rest<'a> {
    fn left(&self) -> &'a str {
        self.query.get(self.at..).unwrap_or_default()
    }

    /// Goes to the next piece and returns whether there is one.
    fn skip_white_space(&mut self) -> bool {
        self.at = self.query.len() - self.left().trim_start().len();
        self.at < self.query.len()
    }

    /// Reads up to the next white space.
    fn word(&mut self) -> &'a str {
        let word = self.left().split(char::is_whitespace).next().unwrap_or_default();
        self.at += word.len();
        word
    }

    /// Reads what is between the quote that is here and the next one.
    fn quoted(&mut self) -> Result<&'a str, QueryError> {
        let start = self.at;
        self.at += 1;
        match self.left().split_once('"') {
            Some((inside, _)) => {
                self.at += inside.len() + 1;
                Ok(inside)
            }
            None => Err(QueryError::Unclosed { at: start..self.query.len() }),
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
