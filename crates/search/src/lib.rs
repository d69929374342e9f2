//! Searches threads of all kinds with one parallel scan of their files.
//!
//! It keeps no index. The query language and the ranking are in `query`.

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
mod shared_threads;
mod thread;
mod values;

pub use cache::{DirVersions, SearchCache};
pub use hit::{Hits, SearchHit};
pub use query::{Query, QueryError, QueryProblem};
pub use searcher::{Page, SearchScope, Searcher};
pub use values::FieldKind;
