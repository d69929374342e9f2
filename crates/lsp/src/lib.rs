//! A server of the Language Server Protocol: review threads as diagnostics, hovers, code actions and code lenses.
//!
//! It shows the threads of all files, at their lines in the texts that the editor has open. It writes threads only if the user asks for
//! it, and uses no network.

mod actions;
mod buffer;
mod client;
mod command_names;
mod commands;
mod comment_file;
mod connection;
mod diagnostics;
mod document;
mod editing;
mod failure;
mod file_claim;
mod folder;
mod hover;
mod inline_comment;
mod input;
mod lenses;
mod markdown;
mod messages;
mod pending_request;
mod position;
mod protocol;
mod publisher;
mod requests;
mod server;
mod thread_line;
mod tracked_lines;
mod uri;
mod written_comments;

pub use connection::{LspOptions, serve};
