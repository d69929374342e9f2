//! `skein review …`, `init`, `install`, `share` and `uninstall`, in repositories of their own.

mod agents;
mod apply;
mod bad;
mod bad_place;
mod batch;
mod bytes;
mod claims;
mod diff;
mod drafts;
mod editor;
mod everyday;
mod install;
mod moved;
mod not_utf8;
mod repo;
mod reserved;
mod setup;
mod shared;
mod trash;
mod write;
