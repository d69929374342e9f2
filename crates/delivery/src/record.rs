//! The record of deliveries: which threads were delivered to which session, and with which result.

use serde::{Deserialize, Serialize};
use skein_model::view::ThreadOrigin;
use skein_workspace::{FileError, Workspace, state_file};

/// The file in the state directory of a workspace.
pub(crate) const FILE: &str = "deliveries.json";
/// Maximum number of deliveries that are kept.
const MAX_DELIVERIES: usize = 200;

/// Threads that were delivered to a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryRecord {
    pub id: String,
    #[serde(flatten)]
    pub origin: ThreadOrigin,
    pub threads: Vec<DeliveredThread>,
    pub state: DeliveryState,
    /// When it began.
    pub at: String,
    /// The process of the agent, if one was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<u32>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A thread of a delivery.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveredThread {
    pub id: String,
    /// The fingerprint of its comments: with other ones it is new.
    pub comments: String,
}

/// The state of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryState {
    /// The agent works on it, or the program that started the agent was killed.
    Started,
    /// The agent ended its turn.
    Done,
    /// The agent could not be started, or failed.
    Failed,
    /// The program that started the agent was killed, so that nothing is known about the agent.
    Interrupted,
}

#[derive(Default, Serialize, Deserialize)]
struct Deliveries {
    deliveries: Vec<DeliveryRecord>,
}

/// Returns the deliveries, the oldest first.
pub fn read(workspace: &Workspace) -> Vec<DeliveryRecord> {
    let known: Option<Deliveries> = state_file::read(&workspace.dirs(), FILE);
    known.map(|known| known.deliveries).unwrap_or_default()
}

/// Changes the deliveries.
pub(crate) fn change(
    workspace: &Workspace,
    edit: &dyn Fn(&mut Vec<DeliveryRecord>),
) -> Result<(), FileError> {
    state_file::update(&workspace.env, &workspace.dirs(), FILE, &|known: Option<Deliveries>| {
        let known = known.unwrap_or_default().deliveries;
        let mut deliveries = known.clone();
        edit(&mut deliveries);
        let extra = deliveries.len().saturating_sub(MAX_DELIVERIES);
        deliveries.drain(..extra);
        (deliveries != known).then_some(Deliveries { deliveries })
    })
}
