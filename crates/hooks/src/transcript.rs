//! Reads the end of an agent's transcript, which has one JSON object per line.

use std::path::Path;

use serde_json::Value;
use skein_store::read_tail;

const MAX_READ: u64 = 256 * 1024;

/// Returns the last message of the agent, if it is near the end of the transcript.
pub(super) fn last_message(path: &Path) -> Option<String> {
    if !path.is_absolute() {
        return None;
    }
    let bytes = read_tail(path, MAX_READ).ok()?;
    bytes.rsplit(|byte| *byte == b'\n').find_map(message)
}

/// Returns the message of the agent in a line; the first line may be truncated, and is then ignored.
fn message(line: &[u8]) -> Option<String> {
    let line = str::from_utf8(line).ok()?;
    // Most lines are outputs of tools and need not be parsed.
    if !line.contains("\"assistant\"") && !line.contains("\"agent_message\"") {
        return None;
    }
    let value: Value = serde_json::from_str(line).ok()?;
    let inner = [value.get("message"), value.get("payload")].into_iter().flatten().next();
    let message = inner.filter(|inner| inner.is_object()).unwrap_or(&value);
    let text = if message.get("type").is_some_and(|kind| kind == "agent_message") {
        message.get("message")?.as_str()?.to_owned()
    } else {
        let speaker = message.get("role").or_else(|| value.get("type"))?;
        Some(message.get("content")?).filter(|_| speaker == "assistant").and_then(content)?
    };
    Some(text).filter(|text| !text.trim().is_empty())
}

fn content(content: &Value) -> Option<String> {
    if let Some(text) = content.as_str() {
        return Some(text.to_owned());
    }
    let texts = content.as_array()?.iter().filter_map(|part| {
        let kind = part.get("type")?.as_str()?;
        part.get("text")?.as_str().filter(|_| matches!(kind, "text" | "output_text"))
    });
    Some(texts.collect::<Vec<_>>().join("\n\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: Option<&str>) {
        assert_eq!(message(line.as_bytes()).as_deref(), expected, "{line}");
    }

    #[test]
    fn messages_of_the_agent_are_found_in_every_format() {
        check(
            r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"thinking","text":"hm"},{"type":"text","text":"Done."}]}}"#,
            Some("Done."),
        );
        check(
            r#"{"type":"assistant","message":{"role":"assistant","content":"Done."}}"#,
            Some("Done."),
        );
        check(
            r#"{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done."}]}}"#,
            Some("Done."),
        );
        check(
            r#"{"type":"event_msg","payload":{"type":"agent_message","message":"Done."}}"#,
            Some("Done."),
        );
    }

    #[test]
    fn other_lines_are_not_messages_of_the_agent() {
        check(r#"{"type":"user","message":{"role":"user","content":"\"assistant\""}}"#, None);
        check(r#"{"type":"assistant","message":{"role":"assistant","content":[]}}"#, None);
        check(r#"{"type":"assistant","message":7}"#, None);
        check(r#"nt":"x"}],"role":"assistant"}"#, None);
        check("", None);
        check(&format!("\"assistant\"{}", "[".repeat(100_000)), None);
    }
}
