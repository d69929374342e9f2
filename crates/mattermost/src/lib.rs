//! A client of a Mattermost server: its REST API (version 4) and its events.
//!
//! [`MattermostClient`] sends requests and repeats those that failed for a while, within limits. [`MattermostEvents`]
//! keeps a WebSocket open for as long as it exists and reports whether messages were missed; what was missed is read
//! by REST.
//!
//! The crate keeps no state on disk, decides nothing about rights, and never logs. It knows the parts of the API that a
//! bot needs: posts, threads, reactions, files, users, channels and preferences.

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
pub use client::{MattermostClient, Timing};
pub use error::MattermostError;
pub use event::MattermostEvent;
pub use events::MattermostEvents;
pub use secret::Secret;
pub use types::{
    Channel, ChannelKind, ClientConfig, FileInfo, MattermostPost, MattermostReaction, NewPost,
    PostMetadata, Preference, User,
};
