//! Checkpoints: the state of a piece of work, so that it survives the end of a session.

pub mod agent_session;
