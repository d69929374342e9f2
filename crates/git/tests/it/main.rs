//! Compares what Skein reads from a repository with the results of the git program.

mod blame;
mod changed;
mod commit_files;
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
mod sample_repo;
mod sandbox;
mod settings;
mod snapshot;
mod status;
mod submissions;
mod submodules;
mod worktrees;
