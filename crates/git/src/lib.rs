//! Reads git repositories.
//!
//! [`RepoDirs::discover`] finds the repository around a directory: the top of the worktree, the
//! main checkout, the linked worktrees and what each has checked out. It reads the documented files
//! of a repository and starts no process, so it is fast enough for a hook and works without git
//! installed.
//!
//! Everything else runs the `git` program, so that the user's configuration and every kind of
//! repository are supported. [`Repo`] compares versions of the files, follows renames, records the
//! worktree as a tree, and manages references. [`Objects`] reads files of commits through
//! one `git cat-file --batch` process. [`command`] is the only place in Skein that starts git.
//!
//! A repository may be untrusted. A [`Repo`] runs none of its hooks, filters and other programs,
//! fetches nothing, and passes a commit to git only as an id from [`Repo::resolve`]. The
//! configuration of the user outside of the repository is honoured.
//!
//! ```
//! use skein_git::{CommitAs, Head, RepoDirs, commit_all, init};
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
//! let layout = RepoDirs::discover(folder.path())?.ok_or("no repository")?;
//! assert_eq!(layout.top, Some(folder.path().canonicalize()?));
//! assert_eq!(layout.head(), Head::Branch { name: "main".to_owned() });
//! # Ok(())
//! # }
//! ```
//!
//! # Limits
//!
//! - `GIT_DIR` and the other variables that select a repository are ignored: Skein is given a
//!   directory, never a repository.
//! - The search for a repository does not stop at file system boundaries.
//! - `core.worktree` is honoured only to find the main checkout of a submodule. For every other
//!   purpose the directory that contains `.git` is the top of the worktree.
//! - A [`Repo`] needs git 2.31.
//! - Filters that only the configuration of the repository defines are not run, so their files are
//!   compared and recorded as they are on disk. The content of a submodule is not compared; only
//!   [`Repo::changed_submodules`] tells whether it differs.
//! - Objects that a partial clone lacks are not fetched; their files are reported as missing.

mod blame;
mod changed;
mod command;
mod commit_files;
mod config;
mod diff;
mod discover;
mod file_diff;
mod filters;
mod git_dir;
mod head;
mod history;
mod hunk;
mod object_id;
mod objects;
mod operation;
mod patch;
mod pathspec;
mod platform;
mod quoted;
mod reflog;
mod refs;
mod repo;
mod repo_dirs;
mod resolve;
mod run;
mod sample_repo;
mod scratch;
mod search_path;
mod settings;
mod side;
mod snapshot;
mod status;
mod submissions;
mod submodules;
mod worktrees;

pub use changed::ChangedFile;
pub use command::command;
pub use commit_files::CommitFiles;
pub use diff::{DiffOptions, is_binary};
pub use discover::DiscoverError;
pub use file_diff::{FileDiff, FileStatus};
pub use head::Head;
pub use history::{CommitRecord, CommitSummary, HistorySince};
pub use hunk::{Hunk, HunkLine, LineKind};
pub use object_id::{CommitId, ObjectId};
pub use objects::{ObjectError, Objects};
pub use operation::Operation;
pub use patch::parse_patch;
pub use reflog::HeadMove;
pub use refs::{Branch, Ref};
pub use repo::Repo;
pub use repo_dirs::RepoDirs;
pub use run::{RunError, run, version};
pub use sample_repo::{CommitAs, commit_all, init};
pub use search_path::search_path;
pub use settings::user_name;
pub use side::DiffSide;
pub use submissions::Submissions;
pub use submodules::Submodule;
pub use worktrees::Worktree;
