//! A client of a Mattermost server: its REST API (version 4) and its events.
//!
//! [`Client`] sends requests and repeats those that failed for a while, within limits. [`Events`] keeps a WebSocket
//! open for as long as it exists and reports whether messages were missed; what was missed is read by REST.
//!
//! The crate keeps no state on disk, decides nothing about rights, and never logs. It knows the parts of the API that a
//! bot needs: posts, threads, reactions, files, users and channels.

mod api;
mod client;
mod connection;
mod error;
mod event;
mod events;
mod frame;
mod secret;
mod sequence;
mod types;

pub use api::PostChanges;
pub use client::{Client, Timing};
pub use error::Error;
pub use event::Event;
pub use events::Events;
pub use secret::Secret;
pub use types::{
    Channel, ChannelKind, ClientConfig, FileInfo, NewPost, Post, PostMetadata, Reaction, User,
};
