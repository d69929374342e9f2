//! Discovery and the use cases; the one API that every face calls.
//!
//! A [`Workspace`] is found from a directory and a [`Env`]. The use cases are functions over it: [`list()`],
//! [`show()`], [`overview()`], [`doctor::examine`]. What they return is plain data in [`view`], which is also the
//! JSON of every face.
//!
//! Nothing here reads the environment, the clock or the terminal: they come in through [`Env`]. Nothing
//! here writes a file but through `skein-store`.

mod actor;
pub mod age;
mod agents;
mod branch_versions;
mod branches;
mod checkpoint_lookup;
mod checkpoint_rows;
mod checkpoint_state;
mod claims;
mod date;
mod deleted_reviews;
pub mod demo;
mod described;
mod desk;
mod discover;
pub mod doctor;
mod door;
mod drafts;
mod edits;
mod env;
mod env_vars;
mod exclude;
mod file_error;
mod filter;
mod find;
mod fold;
mod git_setup;
mod guarded;
mod handle;
mod handoff;
pub mod hook;
mod ids;
pub mod install;
mod kept_state;
mod kind;
mod layout;
mod lexical;
pub mod links;
mod list;
mod local;
mod local_clock;
mod location;
mod other;
mod other_stores;
mod overview;
mod owners;
mod person_names;
mod place;
mod placed;
mod placement;
pub mod plain;
mod progress;
mod read;
mod removed_reviews;
mod removed_worktrees;
mod repository;
mod resume_lock;
pub mod review;
mod scratch;
pub mod search;
mod session_map_path;
pub mod sessions;
pub mod settings;
pub mod setup;
mod show;
mod source_text;
mod state_file;
mod thread;
pub mod trust;
mod turn;
mod typed_path;
mod update;
pub mod view;
pub mod watching;
pub mod work;
pub mod workspaces;
mod worktree_copy;

pub use skein_anchor::words;
pub use skein_git::{CommitId, RunError as GitError};
pub use skein_store::{Dirs, Fs, RealFs};

pub use actor::Actor;
pub use desk::{CheckpointRefs, Desk, Entry, Event, Roll, Text, Threads, Timeline};
pub use discover::{discover, discover_in, state_without_home};
pub use door::{Door, door};
pub use edits::{near_ids, nearest};
pub use env::{Clock, Env, Ids};
pub use env_vars::is_wanted;
pub use file_error::FileError;
pub use filter::{Filter, FilterError, Occurs, Waiting};
pub use fold::fold_autos;
pub use guarded::Guarded;
pub use handle::Handles;
pub use ids::{Named, names};
pub use install::follow_move;
pub use kind::Kind;
pub use layout::{Checkpoints, Reviews, Sessions, Workspace};
pub use list::{Scope, list, occurs};
pub use local::state_in_worktree;
pub use local_clock::{LocalClock, utc_minutes};
pub use location::{FindError, Found};
pub use overview::{
    Groups, OpenWork, OtherWorktree, Overview, Recent, WorkRow, group, other_worktrees, overview,
    recent,
};
pub use progress::Progress;
pub use repository::state as repository_state;
pub use scratch::Scratch;
pub use show::{ShowError, expand, show};
pub use typed_path::{UnknownPath, resolve_file};
pub use work::agent_session::session_name;
pub use worktree_copy::refresh_copies;
