//! Reads and changes the session map, which binds sessions of agents to chat threads.
//!
//! Other programs write the map at the same time: every change is merged into the current file.
//! It starts no session and connects to no chat.

pub mod advice;
mod backup;
mod change;
mod error;
mod file;
mod find;
mod list;
mod map;
mod merge;
mod repair;
mod save;
mod set;

pub use error::{SessionError, SessionResult};
pub use list::{SessionFilter, session_handles, session_list, session_show};
pub use map::SessionMap;
pub use merge::{MergeReport, MergeStep, merge_files};
pub use repair::{MapRepair, MapRepairAction, repair, repair_through};
pub use save::{MapWriteAction, Saved};
pub use set::{SessionWritten, SetRequest, set_session};
pub use skein_catalog::rows::session::check_directories;
pub use skein_workspace::session_map_path::{MapPath, map_path};

pub use backup::back_up;
