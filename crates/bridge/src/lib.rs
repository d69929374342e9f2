//! Connects sessions of OpenCode with threads of Mattermost.
//!
//! [`core`] decides everything: it turns events of both servers into actions, and does no input or
//! output itself. It does not know the protocols of the servers; the types of its inputs and
//! actions are its own.

pub mod core;
