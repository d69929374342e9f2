//! Finds threads by what they say.
//!
//! A [`Query`] is words and filters. A [`Searcher`] knows where threads are kept, and answers. What is indexed it asks
//! the index, what is not it reads, and both are judged by the same rules; a hit is shown from the file itself, and one
//! that does not match any more is none.

mod build;
mod facts;
mod folder;
mod fresh;
mod heads;
mod hit;
mod query;
mod rank;
mod reviews;
mod scan;
mod searcher;
mod sessions;
mod standby;
mod thread;
mod values;
mod warm;
mod worth;

pub use build::{Built, build};
pub use hit::{Hit, Hits};
pub use query::{Query, QueryError, Why};
pub use searcher::{Page, Searcher};
pub use skein_index::{IndexError, QueryError as WordsError};
pub use standby::{Reach, Standby};
pub use warm::keep_warm;
pub use worth::{WORTH_INDEX, Worth};
