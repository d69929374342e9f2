//! What is asked for.

use std::ops::Range;

use skein_format::time::Time;
use skein_model::{Filter, FilterError, Occurs};
use skein_query::{Atom, Clause, Piece, What, pieces};

/// Words to look for, and which threads are meant.
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// Which threads are meant.
    pub filter: Filter,
    /// Threads that pass one of these are not.
    pub(super) except: Vec<Filter>,
    pub(super) clauses: Vec<Clause>,
}

/// A query that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct QueryError {
    /// Where in the query, in bytes.
    pub at: Range<usize>,
    /// What is wrong there.
    pub why: Why,
}

/// What is wrong with a part of a query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// The words make no sense.
    #[error(transparent)]
    Words(skein_query::QueryError),
    /// A filter makes no sense.
    #[error(transparent)]
    Filter(FilterError),
}

impl Query {
    /// Reads a query.
    pub fn parse(text: &str, now: Time) -> Result<Self, QueryError> {
        Self::parse_or(text, now, &|_, _| false)
    }

    /// Reads a query, whose filters may also have values that a thread has.
    pub fn parse_or(text: &str, now: Time, occurs: Occurs<'_>) -> Result<Self, QueryError> {
        Self::from_pieces(read(text)?, now, occurs)
    }

    /// Reads a query that somebody is still typing: the word that it ends with may be the beginning of one.
    pub fn parse_typed(text: &str, now: Time, occurs: Occurs<'_>) -> Result<Self, QueryError> {
        let mut pieces = read(text)?;
        if let Some(last) = pieces.last_mut().filter(|last| last.at.end == text.len() && !last.not)
            && !text.ends_with('"')
            && let What::Text(atom) = &mut last.what
        {
            open(atom);
        }
        Self::from_pieces(pieces, now, occurs)
    }

    fn from_pieces(pieces: Vec<Piece>, now: Time, occurs: Occurs<'_>) -> Result<Self, QueryError> {
        // Drafts are searched too, and no thread in a store has their status.
        let is_draft =
            |key: &str, value: &str| key == "status" && value.eq_ignore_ascii_case("draft");
        let occurs = &|key: &str, value: &str| is_draft(key, value) || occurs(key, value);
        let mut query = Self::default();
        for piece in pieces {
            match piece.what {
                What::Text(atom) => query.clauses.push(Clause { not: piece.not, atom }),
                What::Filter { key, value } => {
                    let bad = |why| QueryError { at: piece.at.clone(), why: Why::Filter(why) };
                    let mut except = Filter::default();
                    let filter = if piece.not { &mut except } else { &mut query.filter };
                    filter.set_or(&key, &value, now, occurs).map_err(bad)?;
                    filter.check_kind().map_err(bad)?;
                    query.except.extend(piece.not.then_some(except));
                }
            }
        }
        Ok(query)
    }

    /// Returns what the files of review threads decide of it; none where that is all.
    pub(super) fn of_review_files(&self) -> Option<Self> {
        let is_decided = |filter: &&Filter| !filter.asks_beyond_review_file();
        if is_decided(&&self.filter) && self.except.iter().all(|except| is_decided(&except)) {
            return None;
        }
        let except = self.except.iter().filter(is_decided).cloned().collect();
        let (filter, clauses) = (self.filter.of_review_file(), self.clauses.clone());
        Some(Self { filter, except, clauses })
    }

    /// Returns whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.clauses.is_empty() && self.except.is_empty() && self.filter == Filter::default()
    }
}

impl QueryError {
    /// Returns what to do about it.
    pub fn hint(&self) -> String {
        match &self.why {
            Why::Words(words) => words_hint(words).to_owned(),
            Why::Filter(filter @ FilterError::Key { .. }) => {
                let filters = filter.hint();
                let joint = if filters.ends_with('?') { " Or" } else { "; or" };
                format!("{filters}{joint} put it in quotes to look for the text itself")
            }
            Why::Filter(filter) => filter.hint(),
        }
    }
}

fn words_hint(error: &skein_query::QueryError) -> &'static str {
    use skein_query::QueryError as Words;
    match error {
        Words::Unclosed { .. } => "close the quote, or leave it out",
        Words::LoneMinus { .. } => "write it as `-word`, or leave it out",
        Words::LoneStar { .. } => "write it as `begin*`, or leave it out",
        Words::Nothing { .. } => "leave it out",
        Words::TooLong { .. } | Words::TooMany { .. } => "look for the few words that matter most",
    }
}

fn read(text: &str) -> Result<Vec<Piece>, QueryError> {
    let words =
        |error: skein_query::QueryError| QueryError { at: error.at(), why: Why::Words(error) };
    pieces(text, &Filter::NAMES).map_err(words)
}

/// Lets a text match that only begins so; a commit is known by any of its digits anyway.
fn open(atom: &mut Atom) {
    match atom {
        Atom::Word(word) => *atom = Atom::Prefix(std::mem::take(word)),
        Atom::Phrase { open, .. } => *open = true,
        Atom::Prefix(_) | Atom::Commit(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let now = Time::from_millis(0);
        let (typed, written) =
            (Query::parse_typed(text, now, &|_, _| false), Query::parse(expected, now));
        assert_eq!(typed.unwrap().clauses, written.unwrap().clauses, "{text}");
    }

    #[test]
    fn the_word_that_is_being_typed_may_go_on() {
        check("retry bud", "retry bud*");
        check("retry bud ", "retry bud");
        check("src/cac", "src/cac*");
        check("\"retry bud\"", "\"retry bud\"");
        check("retry -fla", "retry -fla");
        check("1a2b3c4", "1a2b3c4");
        check("bud status:open", "bud status:open");
        check("", "");
    }
}
