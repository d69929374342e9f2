//! The outcome of a tool call, in the formats of all agents.

use skein_format::json::{Dialect, JsonKind, Reader, SyntaxError};
use skein_format::span::Span;

/// The outcome of a tool call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ToolOutcome {
    /// Whether it failed, if known.
    pub(super) failed: Option<bool>,
    /// Whether it failed, if it is a command that Gemini CLI ran.
    pub(super) shell_failed: bool,
    /// Whether it continues in the background.
    pub(super) in_background: bool,
}

/// Number of characters of an output that are searched for the exit code.
const MAX_SEARCHED: usize = 400;

/// Reads the response of a tool.
pub(super) fn read(reader: &mut Reader<'_>) -> Result<ToolOutcome, SyntaxError> {
    match reader.peek()? {
        JsonKind::Object => object(reader, 0),
        JsonKind::String => {
            let bytes = reader.bytes();
            let text = reader.string()?.to_text(bytes);
            Ok(in_text(&text))
        }
        _ => Ok(ToolOutcome::default()),
    }
}

/// Reads a number, or a text that contains a number.
pub(super) fn exit_code(reader: &mut Reader<'_>) -> Result<Option<i64>, SyntaxError> {
    let bytes = reader.bytes();
    let raw = reader.skip()?.of(bytes);
    let text = str::from_utf8(raw).unwrap_or_default();
    Ok(text.trim_matches('"').trim().parse().ok())
}

fn object(reader: &mut Reader<'_>, depth: usize) -> Result<ToolOutcome, SyntaxError> {
    let bytes = reader.bytes();
    let mut outcome = ToolOutcome::default();
    let fail = |failed: Option<bool>, outcome: &mut ToolOutcome| match (failed, outcome.failed) {
        // Any failure counts.
        (Some(true), _) => outcome.failed = Some(true),
        (Some(false), None) => outcome.failed = Some(false),
        _ => {}
    };
    reader.object(|reader, key| {
        match key.name(bytes).as_ref() {
            b"exit_code" | b"exitCode" | b"returnCode" | b"return_code" | b"exit" | b"code" => {
                let code = exit_code(reader)?;
                fail(code.map(|code| code != 0), &mut outcome);
            }
            b"is_error" | b"isError" | b"interrupted" => {
                let is_true = reader.skip()?.of(bytes) == b"true";
                fail(is_true.then_some(true), &mut outcome);
            }
            b"success" => {
                let is_false = reader.skip()?.of(bytes) == b"false";
                fail(is_false.then_some(true), &mut outcome);
            }
            // Gemini CLI reports an error as an object.
            b"error" => fail((reader.peek()? == JsonKind::Object).then_some(true), &mut outcome),
            b"llmContent" => {
                let text = reader.string_or_skip()?.map(|text| text.to_text(bytes));
                outcome.shell_failed = text.as_deref().is_some_and(has_failed_in_shell);
            }
            b"backgroundTaskId" => outcome.in_background = true,
            b"status" => {
                let status = reader.string_or_skip()?;
                let launched = status.is_some_and(|text| text.is(bytes, "async_launched"));
                outcome.in_background |= launched;
            }
            b"metadata" if depth == 0 && reader.peek()? == JsonKind::Object => {
                let inner = object(reader, depth + 1)?;
                fail(inner.failed, &mut outcome);
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok(outcome)
}

/// Parses a response that is a text: JSON, or words with the exit code.
fn in_text(text: &str) -> ToolOutcome {
    if text.starts_with('{') {
        let bytes = text.as_bytes();
        let mut reader = Reader::new(bytes, Span::new(0, bytes.len()), Dialect::Json);
        return object(&mut reader, 0).unwrap_or_default();
    }
    let head: String = text.chars().take(MAX_SEARCHED).collect();
    let after = |words: &str| number_at_start(head.split_once(words)?.1);
    let code = after("exited with code").or_else(|| after("Exit code:"));
    ToolOutcome { failed: code.map(|code| code != 0), ..ToolOutcome::default() }
}

/// Returns whether the text of Gemini CLI about a command ends with its exit code, which is there only if it is not 0.
fn has_failed_in_shell(text: &str) -> bool {
    const AFTER: [&str; 3] = ["Signal: ", "Background PIDs: ", "Process Group PGID: "];
    let mut lines = text.lines().rev();
    let last = lines.find(|line| !AFTER.iter().any(|start| line.starts_with(start)));
    let code = last.and_then(|line| line.strip_prefix("Exit Code: "));
    code.is_some_and(|code| code.trim() != "0")
}

fn number_at_start(text: &str) -> Option<i64> {
    let digits: String = text.trim_start().chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}
