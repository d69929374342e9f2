//! Finds a workspace and its stores, reads and writes its settings and state files, and copies the stores that git can delete.
//!
//! [`Env`] provides the environment, the clock and the file system. The content of threads is not parsed here.

mod actor;
pub mod advice;
pub mod agent_names;
pub mod branch_versions;
mod discover;
mod editor_file;
mod endpoint;
pub mod env;
pub mod file_error;
pub mod git_exclude;
pub mod git_setup;
mod input_file;
pub mod kept_state;
pub mod layout;
pub mod local;
mod owners;
pub mod registry;
pub mod repository_summary;
pub mod scissors;
pub mod session_map_path;
pub mod settings;
pub mod state_file;
pub mod store_location;
pub mod trust;
pub mod update;
pub mod worktree_copy;

pub use actor::Actor;
pub use discover::{discover, discover_in, state_without_home};
pub use editor_file::EditorFile;
pub use endpoint::{Endpoint, endpoint};
pub use env::{Clock, Env, IdGenerator};
pub use file_error::FileError;
pub use input_file::{InputError, read_input};
pub use layout::{CheckpointStore, ReviewStore, SessionMapFile, Workspace};
pub use local::{SandboxDir, state_in_worktree};
pub use repository_summary::state as repository_state;
pub use skein_git::{CommitId, RunError as GitError, search_path};
pub use skein_store::{Dirs, Fs, RealFs};
