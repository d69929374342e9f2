//! Plain data that every frontend shows: rows and views of threads, filters, and rules for text and time.
//!
//! Nothing here reads or writes files, or asks for the time. The names of fields in `view` are the keys of the JSON output.

pub mod age;
pub mod date;
pub mod edits;
mod filter;
mod fold;
pub mod guarded;
mod kind;
pub mod lexical;
mod local_clock;
pub mod person_names;
pub mod plain;
mod progress;
pub mod truncate;
pub mod view;

pub use edits::{near_ids, nearest};
pub use filter::{Filter, FilterError, Occurs, Waiting};
pub use fold::fold_autos;
pub use guarded::Guarded;
pub use kind::Kind;
pub use local_clock::{LocalClock, utc_minutes};
pub use progress::Progress;
