//! What a store tells the agents that come across it.

/// The file `AGENTS.md` of a store.
pub const TEXT: &str = include_str!("agents.md");
