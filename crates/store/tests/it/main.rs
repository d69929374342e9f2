//! The store with power cuts, errors, other programs, and several processes.
#![expect(
    clippy::disallowed_methods,
    reason = "these tests act as other programs, start processes and use the real clock"
)]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that meets something unexpected has failed"
)]

use std::time::Duration;

/// A process that another test starts inherits the file of a lock until it runs its program, so that a lock that was released can be held for a
/// moment longer.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

mod cuts;
mod faults;
mod foreign;
mod journal;
mod open_dir;
mod processes;
mod real;
mod safe_open;
mod scan;
mod update;
mod walk;
mod watch;
mod write_path;
