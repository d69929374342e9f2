//! What `skein bridge` reports.

use serde::Serialize;

use crate::word_enum;

word_enum! {
    /// How a step of a check ended.
    CheckState {
        Ok = "ok",
        Warning = "warning",
        Failed = "failed",
        /// An earlier step failed.
        Skipped = "skipped",
    }
}

/// The result of a check of the bridge's settings against both servers.
#[derive(Clone, Debug, Serialize)]
pub struct BridgeCheck {
    /// Whether the bridge can run.
    pub ok: bool,
    pub steps: Vec<BridgeCheckStep>,
}

/// One thing that was checked.
#[derive(Clone, Debug, Serialize)]
pub struct BridgeCheckStep {
    /// What was checked, such as `token`.
    pub name: &'static str,
    pub state: CheckState,
    /// What was found.
    pub detail: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// Whether a bridge runs, and for what.
#[derive(Clone, Debug, Serialize)]
pub struct BridgeStatus {
    pub running: bool,
    /// The settings file.
    pub config: String,
    /// The address of the Mattermost server.
    pub address: Option<String>,
    /// The id of the bot, if a bridge has run with it.
    pub bot: Option<String>,
    /// The number of sessions that have a thread.
    pub sessions: usize,
    /// The number of prompts that wait or are being answered.
    pub prompts: usize,
    /// The number of permissions and questions without an answer.
    pub requests: usize,
}

word_enum! {
    /// What was done with the service file of the bridge.
    ServiceAction {
        Created = "created",
        /// It was written by an earlier installation.
        Updated = "updated",
        Unchanged = "unchanged",
        Removed = "removed",
        /// There was none to remove.
        Absent = "absent",
    }
}

/// The service file with which the system starts the bridge.
#[derive(Clone, Debug, Serialize)]
pub struct BridgeService {
    /// The path of the file.
    pub file: String,
    pub action: ServiceAction,
    /// The commands to run next.
    pub next: Vec<String>,
}
