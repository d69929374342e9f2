//! File systems for tests: one in memory that loses unsynced data, and variants of the real one.
//!
//! [`SimFs`] replaces the real file system under the write paths of `skein-store`. It counts
//! operations, and can cut the power after any of them, fail any of them, or run an action of
//! another program before any of them.
//!
//! ```
//! use std::path::Path;
//! use std::time::Duration;
//! use skein_store::{Revision, lock, replace};
//! use skein_testkit::SimFs;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let (dir, path) = (Path::new("/store"), Path::new("/store/a.md"));
//! let sim = SimFs::new().with_dir(dir).with_file(path, b"old");
//! let guard = lock(&sim, dir, Duration::ZERO)?;
//!
//! sim.cut_after(sim.operations() + 4);
//! assert!(replace(&sim, &guard, path, &Revision::from_bytes(b"old"), b"other").is_err());
//! for files in sim.survivors() {
//!     assert_eq!(files[path], b"old");
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Limits: directories cannot be renamed or removed, only one symlink is followed, and a write of
//! any length is one operation.

mod cut;
mod disk;
mod foreign;
mod hooked;
mod operations;
mod read_only;
mod set_on_drop;
mod settled;
mod sim;
mod size;

pub use cut::CutFs;
pub use disk::Files;
pub use foreign::Foreign;
pub use hooked::{HookPoint, HookedFs};
pub use read_only::ReadOnlyFs;
pub use set_on_drop::SetOnDrop;
pub use settled::write_settled;
pub use sim::SimFs;
pub use size::size;
