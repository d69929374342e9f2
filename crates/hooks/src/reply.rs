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

/// Writes an answer as an agent takes it; none where the agent takes none at that moment.
pub(super) fn written(agent: HookCaller, moment: HookEvent, answer: HookReply) -> Option<Vec<u8>> {
    let value = match (agent, moment, answer) {
        (HookCaller::ClaudeCode | HookCaller::Codex, _, HookReply::Context(text)) => {
            let name = moment.name()?;
            json!({"hookSpecificOutput": {"hookEventName": name, "additionalContext": fit(&text)}})
        }
        (HookCaller::ClaudeCode | HookCaller::Codex, HookEvent::Stop, HookReply::Block(reason)) => {
            json!({"decision": "block", "reason": fit(&reason)})
        }
        (HookCaller::OpenCode, _, HookReply::Context(text)) => json!({"context": fit(&text)}),
        _ => return None,
    };
    let mut bytes = to_json(&value).ok()?;
    bytes.push(b'\n');
    Some(bytes)
}

/// Removes secrets, shows what cannot be seen, and cuts.
fn fit(text: &str) -> String {
    escape_control(&redact(text)).chars().take(MAX_REPLY_LEN).collect()
}
