//! Skein's reading of a repository, held against what the git program makes.

mod compose;
mod discover;
mod head;
mod identity;
mod sandbox;
mod worktrees;
