//! The query language: parses queries, matches texts, ranks the matches, and builds snippets.
//!
//! This crate reads no files; the caller passes texts.
//!
//! ```
//! use skein_query::{Clause, TextRole, Matcher, TermKind, parse_terms, snippet};
//!
//! # fn main() -> Result<(), skein_query::TermError> {
//! let mut clauses = Vec::new();
//! for term in parse_terms("cafe \"two words\" -gone", &["kind", "status"])? {
//!     if let TermKind::Text(atom) = term.kind {
//!         clauses.push(Clause { not: term.not, atom });
//!     }
//! }
//! let matcher = Matcher::new(&clauses);
//! let body = "In the Café they say two\nwords.";
//! assert!(matcher.may_match(&[body.as_bytes()]));
//! assert!(matcher.judge(&[(TextRole::Title, "A title"), (TextRole::Body, body)]).is_some());
//! let shown = snippet(body, &matcher.spans(body), 80);
//! assert_eq!(shown.text, "In the Café they say two words.");
//! assert_eq!(shown.marks, [7..12, 22..31]);
//! # Ok(())
//! # }
//! ```
//!
//! There is no stemming and there are no synonyms: `word` does not find `words`, `word*` does. Only
//! letters and digits are searched, not punctuation.

mod field;
mod fold;
mod matcher;
mod prefilter;
mod prepared;
mod query;
mod score;
mod snippet;
mod text;
mod token;

pub use field::TextRole;
pub use matcher::{MatchCounts, Matcher};
pub use prepared::PreparedTexts;
pub use query::{
    Atom, Clause, MAX_QUERY_LEN, MAX_TERMS, QueryTerm, TermError, TermKind, TermProblem,
    parse_terms,
};
pub use score::{Scorer, Stats};
pub use snippet::{Snippet, snippet};
pub use text::SearchText;
pub use token::{MAX_TOKEN_LEN, Token, tokens};
