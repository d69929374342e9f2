//! What a hook prints, in the form that each agent understands.

use serde_json::json;
use skein_format::redact::redact;
use skein_model::sanitize::{escape_control, to_json};

use super::hook_event::{HookCaller, HookEvent};

/// What a hook has to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum HookReply {
    /// Something that the agent should know.
    Context(String),
    /// The agent shall not stop, and why.
    Block(String),
}

/// No agent takes more characters than this.
pub(super) const MAX_REPLY_LEN: usize = 10_000;

impl HookReply {
    /// Returns the reply in the format of an agent; none if the agent accepts none at that event.
    pub(super) fn to_bytes(&self, agent: HookCaller, event: HookEvent) -> Option<Vec<u8>> {
        use HookCaller::{ClaudeCode, Codex, OpenCode};
        let value = match (agent, event, self) {
            (ClaudeCode | Codex, _, Self::Context(text)) => {
                let name = event.name()?;
                json!({"hookSpecificOutput": {"hookEventName": name, "additionalContext": fit(text)}})
            }
            (ClaudeCode | Codex, HookEvent::Stop, Self::Block(reason)) => {
                json!({"decision": "block", "reason": fit(reason)})
            }
            (OpenCode, _, Self::Context(text)) => json!({"context": fit(text)}),
            _ => return None,
        };
        let mut bytes = to_json(&value).ok()?;
        bytes.push(b'\n');
        Some(bytes)
    }
}

/// Removes secrets, shows what cannot be seen, and cuts.
fn fit(text: &str) -> String {
    escape_control(&redact(text)).chars().take(MAX_REPLY_LEN).collect()
}
