//! What a query means, which text matches it, and a full-text index that may be deleted at any moment.

mod field;
mod fold;
mod matcher;
mod query;
mod score;
mod snippet;
mod token;

pub use field::Field;
pub use matcher::{Found, Matcher};
pub use query::{Atom, Clause, LONGEST_QUERY, MOST_PIECES, Piece, QueryError, What, pieces};
pub use score::{Stats, score};
pub use snippet::{Snippet, snippet};
pub use token::{LONGEST_TOKEN, Token, tokens};
