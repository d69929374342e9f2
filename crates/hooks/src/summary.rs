//! The summary of an auto-checkpoint.

use std::path::Path;

use skein_checkpoints::agent_session::AgentSession;
use skein_format::redact::redact;

use super::call::HookCall;
use super::transcript;

/// Maximum number of recorded characters of a prompt.
const MAX_PROMPT_LEN: usize = 500;
/// The end of the reason for which an agent is prevented from stopping.
pub(super) const REASON_END: &str = ". `skein review next` shows the one that has waited longest.";
const MAX_SUMMARY_LEN: usize = 2000;
const MAX_LEAD_LEN: usize = 300;

/// Returns the summary: the event, the prompt of the user, and the last message of the agent.
pub(super) fn summary(call: &HookCall, lead: &str, known: Option<&AgentSession>) -> String {
    let asked = call.payload.prompt.as_deref().and_then(prompt);
    let asked = asked.or_else(|| known?.last_prompt.clone());
    let mut text = cut(&one_line(&redact(lead)), MAX_LEAD_LEN);
    if let Some(asked) = asked {
        text.push_str("\n\nThe user asked: ");
        text.push_str(&asked);
    }
    if let Some(message) = last_message(call, known) {
        text.push_str("\n\nThe agent said: ");
        text.push_str(&message);
    }
    cut(text.trim(), MAX_SUMMARY_LEN)
}

/// Returns the prompt as it is recorded; `None` for a notification of a program.
pub(super) fn prompt(text: &str) -> Option<String> {
    let text = without_hook_context(text);
    let text = text.trim();
    // Gemini CLI and Cursor report the reasons of all hooks for not stopping as the next prompt.
    let is_notification = text.starts_with("<task-notification>") || text.contains(REASON_END);
    if text.is_empty() || is_notification {
        return None;
    }
    // Secrets are removed first, because a truncated secret is not recognised.
    Some(cut(redact(text).trim(), MAX_PROMPT_LEN))
}

/// Removes what Gemini CLI adds to a prompt: the replies of hooks.
fn without_hook_context(text: &str) -> String {
    const BEGIN: &str = "<hook_context>";
    const END: &str = "</hook_context>";
    let mut text = text.to_owned();
    while let Some(start) = text.find(BEGIN) {
        let Some(len) = text.get(start..).and_then(|rest| rest.find(END)) else { break };
        text.replace_range(start..start + len + END.len(), "");
    }
    text
}

/// Returns the first paragraph of the last message of the agent.
pub(super) fn last_message(call: &HookCall, known: Option<&AgentSession>) -> Option<String> {
    let given = call.payload.last_message.clone();
    let path = call.payload.transcript.as_deref();
    let path = path.or_else(|| known?.transcript.as_deref());
    let text = given.or_else(|| transcript::last_message(Path::new(path?)))?;
    let clean = redact(&text);
    let paragraph = clean.split("\n\n").map(str::trim).find(|part| !part.is_empty())?;
    Some(paragraph.to_owned())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Truncates a text, with an ellipsis.
pub(super) fn cut(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    let head: String = text.chars().take(limit.saturating_sub(1)).collect();
    format!("{}…", head.trim_end())
}
