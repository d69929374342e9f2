//! The reply of a hook, in the format of each agent.

use serde_json::json;
use skein_format::redact::redact;
use skein_model::sanitize::{escape_control, to_json};

use super::hook_event::{HookCaller, HookEvent};

/// The reply of a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum HookReply {
    /// Context for the agent.
    Context(String),
    /// Prevents the agent from stopping, for this reason.
    Block(String),
}

/// Maximum length that an agent accepts, in units of UTF-16.
pub(super) const MAX_REPLY_LEN: usize = 10_000;

impl HookReply {
    /// Returns the reply in the format of an agent; `None` if the agent accepts no reply at that event.
    pub(super) fn to_bytes(&self, agent: HookCaller, event: HookEvent) -> Option<Vec<u8>> {
        use HookCaller::{ClaudeCode, Codex, Cursor, GeminiCli, OpenCode};
        let value = match (agent, event, self) {
            (ClaudeCode | Codex | GeminiCli, _, Self::Context(text)) => {
                let name = event.name(agent)?;
                json!({"hookSpecificOutput": {"hookEventName": name, "additionalContext": fit(text)}})
            }
            (ClaudeCode | Codex | GeminiCli, HookEvent::Stop, Self::Block(reason)) => {
                json!({"decision": "block", "reason": fit(reason)})
            }
            (Cursor, HookEvent::Start, Self::Context(text)) => {
                json!({"additional_context": fit(text)})
            }
            (Cursor, HookEvent::Stop, Self::Block(reason)) => {
                json!({"followup_message": fit(reason)})
            }
            (OpenCode, _, Self::Context(text)) => json!({"context": fit(text)}),
            _ => return None,
        };
        let mut bytes = to_json(&value).ok()?;
        bytes.push(b'\n');
        Some(bytes)
    }
}

/// Removes secrets, escapes control characters, and truncates.
fn fit(text: &str) -> String {
    let mut left = MAX_REPLY_LEN;
    let fits = |c: &char| {
        let fitting = left.checked_sub(c.len_utf16());
        left = fitting.unwrap_or(0);
        fitting.is_some()
    };
    escape_control(&redact(text)).chars().take_while(fits).collect()
}
