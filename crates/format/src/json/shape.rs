//! White space of JSON: removed to compare values, changed to move a value.

use super::edit::line_before;
use crate::span::Span;

/// Removes the white space from JSON.
pub(crate) fn compact(json: &[u8]) -> Vec<u8> {
    let (mut quoted, mut escaped) = (false, false);
    let kept = |byte: &u8| {
        let keep = quoted || !byte.is_ascii_whitespace();
        quoted ^= *byte == b'"' && !escaped;
        escaped = quoted && *byte == b'\\' && !escaped;
        keep
    };
    json.iter().copied().filter(kept).collect()
}

/// Returns a value with LF between its lines and without the indent of the line that it starts on.
pub(crate) fn outdented(bytes: &[u8], value: Span) -> Vec<u8> {
    let line = line_before(bytes, value.start);
    let indent = line.iter().take_while(|byte| b" \t".contains(byte)).count();
    let mut out = Vec::with_capacity(value.len());
    for (number, line) in value.of(bytes).split(|byte| *byte == b'\n').enumerate() {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let blank = line.iter().take(indent).take_while(|byte| b" \t".contains(byte)).count();
        if number > 0 {
            out.push(b'\n');
            out.extend_from_slice(line.get(blank..).unwrap_or_default());
        } else {
            out.extend_from_slice(line);
        }
    }
    out
}
