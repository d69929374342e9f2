//! Queries: words and filters.

use std::ops::Range;

use skein_format::time::Time;
use skein_model::{Filter, FilterError, Occurs};
use skein_query::{Atom, Clause, QueryTerm, TermError, TermKind, TermProblem, parse_terms};

/// A parsed query: the words to find, and the filters.
#[derive(Clone, Debug, Default)]
pub struct Query {
    pub filter: Filter,
    /// Filters that exclude threads.
    pub(super) except: Vec<Filter>,
    pub(super) clauses: Vec<Clause>,
}

/// A query that cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct QueryError {
    /// The byte range of the error in the query.
    pub at: Range<usize>,
    pub problem: QueryProblem,
}

/// What is wrong with a part of a query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueryProblem {
    #[error(transparent)]
    Term(#[from] TermProblem),
    #[error(transparent)]
    Filter(#[from] FilterError),
}

impl Query {
    /// Parses a query.
    pub fn parse(text: &str, now: Time) -> Result<Self, QueryError> {
        Self::parse_or(text, now, &|_, _| false)
    }

    /// Parses a query whose filters may also have values that occur in threads.
    pub fn parse_or(text: &str, now: Time, occurs: Occurs<'_>) -> Result<Self, QueryError> {
        Self::from_terms(terms(text)?, now, occurs)
    }

    /// Parses a query that is being typed: the last word may be incomplete.
    pub fn parse_typed(text: &str, now: Time, occurs: Occurs<'_>) -> Result<Self, QueryError> {
        let mut terms = terms(text)?;
        if let Some(last) = terms.last_mut().filter(|last| last.at.end == text.len() && !last.not)
            && !text.ends_with('"')
            && let TermKind::Text(atom) = &mut last.kind
        {
            open(atom);
        }
        Self::from_terms(terms, now, occurs)
    }

    fn from_terms(
        terms: Vec<QueryTerm>,
        now: Time,
        occurs: Occurs<'_>,
    ) -> Result<Self, QueryError> {
        // Drafts are searched too, and no thread in a store has their status.
        let is_draft =
            |key: &str, value: &str| key == "status" && value.eq_ignore_ascii_case("draft");
        let occurs = &|key: &str, value: &str| is_draft(key, value) || occurs(key, value);
        let mut query = Self::default();
        for term in terms {
            match term.kind {
                TermKind::Text(atom) => query.clauses.push(Clause { not: term.not, atom }),
                TermKind::Filter { key, value } => {
                    let bad = |error: FilterError| QueryError {
                        at: term.at.clone(),
                        problem: error.into(),
                    };
                    let mut except = Filter::default();
                    let filter = if term.not { &mut except } else { &mut query.filter };
                    filter.set_or(&key, &value, now, occurs).map_err(bad)?;
                    filter.check_kind().map_err(bad)?;
                    query.except.extend(term.not.then_some(except));
                }
            }
        }
        Ok(query)
    }

    /// Returns the part of the query that depends only on the files of review threads; `None` if
    /// that is all of it.
    pub(super) fn of_review_files(&self) -> Option<Self> {
        let is_decided = |filter: &&Filter| !filter.asks_beyond_review_file();
        if is_decided(&&self.filter) && self.except.iter().all(|except| is_decided(&except)) {
            return None;
        }
        let except = self.except.iter().filter(is_decided).cloned().collect();
        let (filter, clauses) = (self.filter.of_review_file(), self.clauses.clone());
        Some(Self { filter, except, clauses })
    }

    /// Returns whether the query has no words and no filters.
    pub fn is_empty(&self) -> bool {
        self.clauses.is_empty() && self.except.is_empty() && self.filter == Filter::default()
    }
}

impl QueryError {
    /// Returns how to fix it.
    pub fn hint(&self) -> String {
        match &self.problem {
            QueryProblem::Term(term) => term.hint().to_owned(),
            QueryProblem::Filter(filter @ FilterError::Key { .. }) => {
                let filters = filter.hint();
                let joint = if filters.ends_with('?') { " Or" } else { "; or" };
                format!("{filters}{joint} put it in quotes to look for the text itself")
            }
            QueryProblem::Filter(filter) => filter.hint(),
        }
    }
}

fn terms(text: &str) -> Result<Vec<QueryTerm>, QueryError> {
    parse_terms(text, &Filter::NAMES)
        .map_err(|TermError { at, problem }| QueryError { at, problem: problem.into() })
}

/// Makes the last word match as a prefix; a commit matches by its first digits anyway.
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
    fn the_word_that_is_being_typed_is_a_prefix() {
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
