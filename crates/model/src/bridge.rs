//! What `skein bridge` reports.

use serde::Serialize;
use skein_format::time::Time;

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

/// A post of the chat thread of a session.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChatPost {
    pub at: Time,
    /// The name of its author.
    pub user: String,
    pub text: String,
}

/// Returns the address of a post on a Mattermost server, for users of every team.
///
/// `None` if the id is not one that can be part of an address.
pub fn post_address(server: &str, post: &str) -> Option<String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let is_id = !post.is_empty() && post.chars().all(is_plain);
    is_id.then(|| format!("{}/_redirect/pl/{post}", server.trim_end_matches('/')))
}

#[cfg(test)]
mod tests {
    use super::post_address;

    #[test]
    fn an_address_has_the_id_of_a_post_and_nothing_else() {
        let address = |server, post| post_address(server, post);
        let expected = Some("https://chat/team/_redirect/pl/a1".to_owned());
        assert_eq!(address("https://chat/team/", "a1"), expected);
        assert_eq!(address("https://chat", "a/../b"), None);
        assert_eq!(address("https://chat", "[REDACTED:token]"), None);
        assert_eq!(address("https://chat", ""), None);
    }
}
