//! The generated heading of a thread: `# src/a.rs:L3-L5 · open`.

use super::head::{Range, Status};
use crate::line::lines;
use crate::span::Span;

/// Returns the heading, without a line end.
pub(super) fn heading(path: &str, range: Option<Range>, status: Status) -> String {
    let lines = match range {
        Some(range) if range.start_line == range.end_line => {
            format!(":L{}", one_based(range.start_line))
        }
        Some(range) => format!(":L{}-L{}", one_based(range.start_line), one_based(range.end_line)),
        None => String::new(),
    };
    format!("# {path}{lines} \u{b7} {}", status.as_str())
}

/// Returns the number of a line, counted from 1.
fn one_based(line: u32) -> u64 {
    u64::from(line) + 1
}

/// Finds the status in the generated heading, if there still is one.
///
/// Its line numbers may differ from the range, which may have moved since. Other programs write
/// `:File` if there is no range.
pub(super) fn status_word(bytes: &[u8], preamble: Span, path: &str) -> Option<Span> {
    let lead = format!("# {path}");
    lines(bytes, preamble).find_map(|line| {
        let rest = line.text.of(bytes).strip_prefix(lead.as_bytes())?;
        let words = [Status::Open, Status::Resolved].map(Status::as_str);
        let (word, place) = words.into_iter().find_map(|word| {
            let place = rest.strip_suffix(format!(" \u{b7} {word}").as_bytes())?;
            Some((word, place))
        })?;
        let whole_file = [b"".as_slice(), b":File"].contains(&place);
        let generated = whole_file || place.strip_prefix(b":L").is_some_and(is_lines);
        generated.then(|| Span::new(line.text.end - word.len(), line.text.end))
    })
}

/// Returns whether the text is `3` or `3-L5`.
fn is_lines(text: &[u8]) -> bool {
    let number = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    match memchr::memmem::find(text, b"-L") {
        Some(at) => {
            let (first, last) = text.split_at(at);
            number(first) && last.get(2..).is_some_and(number)
        }
        None => number(text),
    }
}

/// Finds the line that is equal to the generated heading `text`.
pub(super) fn find_exact(bytes: &[u8], preamble: Span, text: &str) -> Option<Span> {
    lines(bytes, preamble).map(|line| line.text).find(|line| line.of(bytes) == text.as_bytes())
}
