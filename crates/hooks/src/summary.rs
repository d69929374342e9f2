//! What an auto-checkpoint says, made of what the agent told.

use std::path::Path;

use skein_checkpoints::agent_session::AgentSession;
use skein_format::redact::redact;

use super::call::HookCall;
use super::transcript;

/// How many characters of what the user said are remembered.
const MAX_PROMPT_LEN: usize = 500;
const MAX_SUMMARY_LEN: usize = 2000;
const LEAD: usize = 300;

/// Sums up: what happened, what the user wanted, and what the agent said last.
pub(super) fn summary(call: &HookCall, lead: &str, known: Option<&AgentSession>) -> String {
    let asked = call.payload.prompt.as_deref().and_then(prompt);
    let asked = asked.or_else(|| known?.last_prompt.clone());
    let mut text = cut(&one_line(&redact(lead)), LEAD);
    if let Some(asked) = asked {
        text.push_str("\n\nThe user asked: ");
        text.push_str(&asked);
    }
    if let Some(said) = said(call, known) {
        text.push_str("\n\nThe agent said: ");
        text.push_str(&said);
    }
    cut(text.trim(), MAX_SUMMARY_LEN)
}

/// Returns what the user said as it is remembered; none where a program speaks in the user's place.
pub(super) fn prompt(text: &str) -> Option<String> {
    let text = text.trim();
    if text.is_empty() || text.starts_with("<task-notification>") {
        return None;
    }
    // Secrets go first, so that none is cut into something that looks like none.
    Some(cut(redact(text).trim(), MAX_PROMPT_LEN))
}

fn said(call: &HookCall, known: Option<&AgentSession>) -> Option<String> {
    let told = call.payload.last_message.clone();
    let path = call.payload.transcript.as_deref();
    let path = path.or_else(|| known?.transcript.as_deref());
    let text = told.or_else(|| transcript::last_message(Path::new(path?)))?;
    let clean = redact(&text);
    let paragraph = clean.split("\n\n").map(str::trim).find(|part| !part.is_empty())?;
    Some(paragraph.to_owned())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Cuts a text that is too long, and shows that it was cut.
pub(super) fn cut(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    let head: String = text.chars().take(limit.saturating_sub(1)).collect();
    format!("{}…", head.trim_end())
}
