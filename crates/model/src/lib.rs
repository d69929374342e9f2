//! Plain data that every frontend shows: rows and views of threads, filters, and rules for text and time.
//!
//! Nothing here does I/O or reads the clock. The field names in `view` are the keys of the JSON
//! output.

pub mod advice;
pub mod bridge;
pub mod date_filter;
pub mod edit_distance;
mod filter;
mod fold;
mod kind;
mod local_clock;
pub mod normalize_path;
pub mod person_names;
mod progress;
mod prompt_text;
pub mod relative_time;
pub mod sanitize;
pub mod sensitive;
pub mod truncate;
mod turn;
pub mod view;
mod word_enum;

pub use advice::{Advice, FailureKind, Retype, UserError};
pub use edit_distance::{nearest, similar_ids};
pub use filter::{Filter, FilterError, Occurs};
pub use fold::fold_autos;
pub use kind::Kind;
pub use local_clock::{LocalClock, utc_minutes};
pub use progress::Progress;
pub use prompt_text::PromptText;
pub use sensitive::Sensitive;
pub use turn::Turn;
