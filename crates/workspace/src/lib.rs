//! Finds a workspace and its stores, and reads and writes its settings and state files.
//!
//! The environment, the clock and the file system come in through [`Env`]. What is in a thread is not known here.

mod actor;
pub mod agents;
pub mod branch_versions;
mod discover;
mod door;
pub mod env;
pub mod exclude;
pub mod file_error;
pub mod git_setup;
pub mod kept_state;
pub mod layout;
pub mod local;
mod owners;
pub mod place;
pub mod repository;
mod scratch;
pub mod session_map_path;
pub mod settings;
pub mod state_file;
pub mod trust;
pub mod update;
pub mod workspaces;

pub use actor::Actor;
pub use discover::{discover, discover_in, state_without_home};
pub use door::{Door, door};
pub use env::{Clock, Env, Ids};
pub use file_error::FileError;
pub use layout::{Checkpoints, Reviews, Sessions, Workspace};
pub use local::state_in_worktree;
pub use repository::state as repository_state;
pub use scratch::Scratch;
pub use skein_git::{CommitId, RunError as GitError};
pub use skein_store::{Dirs, Fs, RealFs};
