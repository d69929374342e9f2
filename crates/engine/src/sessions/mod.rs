//! The session map, which several programs write at once and none may damage.
//!
//! [`SessionMap`] is what a program that runs for long keeps: it loads the map, changes it in memory and saves it. The
//! other functions are the commands. `docs/sessions.md` says what can be lost beside programs that take no lock, and
//! what cannot.

mod aside;
mod change;
mod error;
mod file;
mod find;
mod list;
mod map;
mod merge;
mod path;
mod repair;
mod save;
mod set;
mod show;

pub use crate::read::session::look_at_directories;
pub use crate::session_map_path::{MapPath, map_path};
pub use error::SessionError;
pub use list::{SessionFilter, session_list};
pub use map::SessionMap;
pub use merge::{MergeReport, MergeStep, MergeVerdict, merge_files};
pub use repair::{Repaired, repair, repair_through};
pub use save::Saved;
pub use set::{SessionWritten, SetRequest, set_session};
pub use show::{session_handles, session_show};

pub(crate) use aside::put_away;
