//! Finds threads by what they say.
//!
//! A [`Query`] is words and filters. A [`Searcher`] knows where threads are stored, reads all of them for each query on all
//! processors, and ranks what matches. So every answer is about the files as they are; a [`TextCache`] saves parsing the ones that
//! did not change.

mod cache;
mod filter;
mod folder;
mod hit;
mod query;
mod rank;
mod reviews;
mod scan;
mod searcher;
mod sessions;
mod thread;
mod values;

pub use cache::TextCache;
pub use hit::{Hit, Hits};
pub use query::{Query, QueryError, Why};
pub use searcher::{Page, Reach, Searcher};
pub use skein_query::QueryError as WordsError;
