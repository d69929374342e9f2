//! `skein review …`, `init`, `share` and `uninstall`, in repositories of their own.

mod agents;
mod apply;
mod bad;
mod batch;
mod bytes;
mod diff;
mod drafts;
mod editor;
mod everyday;
mod moved;
mod repo;
mod setup;
mod trash;
mod write;
