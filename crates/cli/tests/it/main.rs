//! The command line from arguments to output, in one process.

#![expect(clippy::disallowed_methods, reason = "the files of a test need no durability")]
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a panic fails the test"
)]

mod agent;
mod bad_input;
mod bridge;
mod checkpoint;
mod config;
mod demo;
mod doctor;
mod editor;
mod editor_text;
mod help;
mod hook;
mod hostile;
mod json;
mod list;
mod overview;
mod place;
mod review;
mod search;
mod serve;
mod session;
mod show;
mod streams;
mod work;
mod workspaces;
