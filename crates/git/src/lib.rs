//! Facts of a git repository.
//!
//! [`Layout::discover`] says where the repository around a directory lives: the top of the worktree,
//! the main checkout, the linked worktrees and what each has checked out. It reads the documented
//! files of a repository and starts no program, so a hook can afford it and a machine without git
//! gets an answer too.
//!
//! Where the user's own configuration must count, [`run`] starts the `git` program. [`command`] is
//! the one place in Skein that makes such a process.
//!
//! ```
//! use skein_git::{CommitAs, Head, Layout, commit_all, init};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! init(folder.path(), "main")?;
//! let first = CommitAs {
//!     name: "Ada",
//!     email: "ada@example.org",
//!     date: "2026-01-23T09:00:00Z",
//!     message: "begin",
//! };
//! commit_all(folder.path(), &first)?;
//!
//! let layout = Layout::discover(folder.path())?.ok_or("no repository")?;
//! assert_eq!(layout.top, Some(folder.path().canonicalize()?));
//! assert_eq!(layout.head(), Head::Branch { name: "main".to_owned() });
//! # Ok(())
//! # }
//! ```
//!
//! # Limits
//!
//! - `GIT_DIR` and the other variables that move a repository are ignored: Skein is pointed at a
//!   directory, never at a repository.
//! - The search for a repository does not stop where another file system begins.
//! - `core.worktree` is honoured only to find the main checkout of a submodule. For every other
//!   purpose the directory that holds `.git` is the top of the worktree.
//! - Objects are not read, and refs only as far as `HEAD` names them.

mod command;
mod commit_id;
mod compose;
mod config;
mod discover;
mod git_dir;
mod head;
mod identity;
mod layout;
mod path_file;
mod run;
mod worktrees;

pub use command::command;
pub use commit_id::CommitId;
pub use compose::{CommitAs, commit_all, init};
pub use discover::DiscoverError;
pub use head::Head;
pub use identity::user_name;
pub use layout::Layout;
pub use run::{RunError, run};
pub use worktrees::Worktree;
