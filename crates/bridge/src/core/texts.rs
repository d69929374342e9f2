//! What the bridge says.

use super::ids::SessionId;
use super::input::AgentError;
use super::markdown::{inline_code, shorten};
use super::state::{Thread, ThreadStatus};

/// Names that notify everyone in a channel.
const GROUP_MENTIONS: [&str; 3] = ["all", "channel", "here"];
const MAX_TITLE_CHARS: usize = 120;

/// Returns `ses_` and the last six characters of an id: the first ones are the same for all
/// sessions of some minutes.
pub(super) fn short_id(session: &SessionId) -> String {
    let id = session.as_str();
    let skip = id.chars().count().saturating_sub(6);
    format!("ses_{}", id.chars().skip(skip).collect::<String>())
}

/// Returns the description of a session.
pub(super) fn session(thread: &Thread) -> String {
    let title = shorten(thread.title.trim(), MAX_TITLE_CHARS);
    let title = if title.is_empty() { "Session" } else { &title };
    let mut facts = vec![inline_code(&thread.directory), short_id(&thread.session)];
    facts.extend(thread.model.as_ref().map(|model| format!("model {}", inline_code(model))));
    facts.extend(thread.agent.as_ref().map(|agent| format!("agent {}", inline_code(agent))));
    let mut lines = vec![format!("**{title}**"), facts.join(" · ")];
    lines.extend(Some(thread.links.clone()).filter(|links| !links.is_empty()));
    match thread.status {
        ThreadStatus::Archived => lines.push("The session is archived.".to_owned()),
        ThreadStatus::Deleted => lines.push("The session was deleted.".to_owned()),
        ThreadStatus::Ended => lines.push("The session was ended in the session map.".to_owned()),
        ThreadStatus::Open | ThreadStatus::Lost | ThreadStatus::Away => {}
    }
    lines.join("\n")
}

pub(super) fn agent_error(error: &AgentError) -> String {
    match error {
        AgentError::NotFound => "not found".to_owned(),
        AgentError::Rejected(message) => shorten(message, 500),
        AgentError::Undelivered | AgentError::Unreachable => "OpenCode is not reachable".to_owned(),
    }
}

/// Keeps the names in a text from notifying everyone in a channel, in upper case too.
pub(super) fn silence_mentions(text: &str) -> String {
    let mut silent = String::with_capacity(text.len());
    let mut parts = text.split('@');
    silent.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let is_mention = |name: &&str| {
            part.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
        };
        silent.push('@');
        if GROUP_MENTIONS.iter().any(is_mention) {
            silent.push('\u{200b}');
        }
        silent.push_str(part);
    }
    silent
}

/// Returns a hash of a text that is the same in every build.
pub(super) fn hash(text: &str) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    text.as_bytes().iter().fold(0xcbf2_9ce4_8422_2325, step)
}
