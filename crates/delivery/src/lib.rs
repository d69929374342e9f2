//! Delivers review threads to the sessions of agents that wrote the code.
//!
//! Hooks record what each session edited and committed. [`submit`] finds the session of each thread by it, [`plan`] looks for the agent's
//! own record of the session and decides which sessions get which threads now, and a [`Deliverer`] claims them and records the result. Starting an agent is the task of
//! the caller.

mod agent_command;
mod attribution;
pub mod consent;
mod deliverer;
mod evidence;
mod known_sessions;
mod plan;
mod process;
mod record;
mod submit;

pub use agent_command::{AGENTS, AgentCommand, usual_args};
pub use attribution::{Attribution, UnknownOrigin};
pub use deliverer::{Deliverer, MAX_TURN, RENEW_INTERVAL, StartedDelivery, log_file};
pub use evidence::{DATA_HOME, SessionEvidence};
pub use plan::{Obstacle, Plan, PlannedDelivery, SessionChannel, UnknownThread, plan};
pub use process::is_alive;
pub use record::{DeliveredThread, DeliveryRecord, DeliveryState, read as deliveries};
pub use submit::{Submitted, submit};
