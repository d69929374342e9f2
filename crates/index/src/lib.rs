//! What a query means, which text matches it, and a full-text index that may be deleted at any moment.
//!
//! One grammar, one way to cut text into words and one matcher serve text that is indexed and text that is not.
//!
//! ```
//! use skein_index::{Clause, Field, Matcher, What, pieces, snippet};
//!
//! # fn main() -> Result<(), skein_index::QueryError> {
//! let mut clauses = Vec::new();
//! for piece in pieces("cafe \"two words\" -gone", &["kind", "status"])? {
//!     if let What::Text(atom) = piece.what {
//!         clauses.push(Clause { not: piece.not, atom });
//!     }
//! }
//! let matcher = Matcher::new(&clauses);
//! let body = "In the Café they say two\nwords.";
//! assert!(matcher.may_match(body.as_bytes()));
//! assert!(matcher.judge(&[(Field::Title, "A title"), (Field::Body, body)]).is_some());
//! let shown = snippet(body, &matcher.spans(body), 80);
//! assert_eq!(shown.text, "In the Café they say two words.");
//! assert_eq!(shown.marks, [7..12, 22..31]);
//! # Ok(())
//! # }
//! ```
//!
//! There are no stems and no synonyms: `word` does not find `words`, `word*` does. A word is found by its letters and digits
//! alone, so that punctuation cannot be searched for.

mod checksum;
mod directory;
mod evaluate;
mod field;
mod fold;
mod index;
mod matcher;
mod needle;
mod query;
mod schema;
mod score;
mod snapshot;
mod snippet;
mod text;
mod token;
mod writer;

pub use field::Field;
pub use index::error::IndexError;
pub use index::{Index, Matches};
pub use matcher::{Found, Matcher};
pub use query::{Atom, Clause, LONGEST_QUERY, MOST_PIECES, Piece, QueryError, What, pieces};
pub use score::{Scorer, Stats};
pub use snapshot::Snapshot;
pub use snapshot::row::{DocId, Record, Stamp};
pub use snippet::{Snippet, snippet};
pub use text::Text;
pub use token::{LONGEST_TOKEN, Token, tokens};
pub use writer::Writer;
