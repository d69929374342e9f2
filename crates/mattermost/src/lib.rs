//! A client of a Mattermost server: its REST API (version 4).
//!
//! [`Client`] sends requests and repeats those that failed for a while, within limits.
//!
//! The crate keeps no state on disk, decides nothing about rights, and never logs. It knows the parts of the API that a
//! bot needs: posts, threads, reactions, files, users and channels.

mod api;
mod client;
mod error;
mod secret;
mod types;

pub use api::PostChanges;
pub use client::{Client, Timing};
pub use error::Error;
pub use secret::Secret;
pub use types::{
    Channel, ChannelKind, ClientConfig, FileInfo, NewPost, Post, PostMetadata, Reaction, User,
};
