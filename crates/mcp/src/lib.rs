//! A server of the Model Context Protocol: review threads and checkpoints as tools of an agent.
//!
//! It answers over two pipes until its input ends, and works on one directory. It starts nothing, applies nothing, deletes
//! nothing and listens on no network. Each answer is one text, in which everything from files is quoted.

mod call;
mod claims;
mod client;
mod connection;
mod ending;
mod failure;
mod instructions;
mod page;
mod params;
mod prompts;
mod relative_paths;
mod resources;
mod root;
mod server;
mod subscriptions;
mod tools;

pub use connection::{McpOptions, serve};
pub use root::StartDir;
