//! What a hook prints, in the form that each agent understands.

use serde_json::json;
use skein_format::redact::redact;
use skein_model::plain::{safe, to_json};

use super::moment::{Agent, Moment};

/// What a hook has to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// Something that the agent should know.
    Context(String),
    /// The agent shall not stop, and why.
    Block(String),
}

/// No agent takes more characters than this.
pub(super) const LONGEST: usize = 10_000;

/// Writes an answer as an agent takes it; none where the agent takes none at that moment.
pub(super) fn written(agent: Agent, moment: Moment, answer: Answer) -> Option<Vec<u8>> {
    let value = match (agent, moment, answer) {
        (Agent::ClaudeCode | Agent::Codex, _, Answer::Context(text)) => {
            let name = moment.name()?;
            json!({"hookSpecificOutput": {"hookEventName": name, "additionalContext": fit(&text)}})
        }
        (Agent::ClaudeCode | Agent::Codex, Moment::Stop, Answer::Block(reason)) => {
            json!({"decision": "block", "reason": fit(&reason)})
        }
        (Agent::OpenCode, _, Answer::Context(text)) => json!({"context": fit(&text)}),
        _ => return None,
    };
    let mut bytes = to_json(&value).ok()?;
    bytes.push(b'\n');
    Some(bytes)
}

/// Removes secrets, shows what cannot be seen, and cuts.
fn fit(text: &str) -> String {
    safe(&redact(text)).chars().take(LONGEST).collect()
}
