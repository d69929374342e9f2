//! Skein's reading of a repository, held against what the git program makes.

mod changed;
mod commit_files;
mod compose;
mod diff;
mod discover;
mod head;
mod head_commit;
mod history;
mod hooks;
mod hostile;
mod identity;
mod ignored;
mod objects;
mod operation;
mod patch;
mod refs;
mod resolve;
mod sandbox;
mod settings;
mod snapshot;
mod status;
mod submissions;
mod worktrees;
