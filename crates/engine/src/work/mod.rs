//! Checkpoints: the state of a piece of work, so that it survives the end of a session.

pub mod agent_session;
mod auto;
mod claim;
mod cwd;
mod draft;
mod error;
mod facts;
mod handoff;
pub(crate) mod index_files;
mod knowledge;
pub(crate) mod open;
mod publish;
mod save;
mod saved;
mod session;
mod upgrade;

pub use auto::{Auto, auto};
pub use error::WorkError;
pub use handoff::{HandedOver, Handoff, handoff};
pub use save::{Save, WorkerGiven, save};
pub use saved::Saved;
pub use session::Session;
