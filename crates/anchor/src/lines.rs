//! Splits a text into lines.

use memchr::memchr_iter;

/// Splits a text into lines without their line endings. A final line ending does not start another
/// line.
pub(crate) fn split(text: &[u8]) -> Vec<&[u8]> {
    let mut lines = Vec::with_capacity(text.len() / 32 + 1);
    let mut start = 0;
    for end in memchr_iter(b'\n', text) {
        lines.push(without_return(text.get(start..end).unwrap_or_default()));
        start = end + 1;
    }
    if let Some(last) = text.get(start..).filter(|last| !last.is_empty()) {
        lines.push(without_return(last));
    }
    lines
}

/// Returns a line, or an empty one past the end.
pub(crate) fn at<'a>(lines: &[&'a [u8]], index: usize) -> &'a [u8] {
    lines.get(index).copied().unwrap_or_default()
}

/// Returns how much information a line has: the number of its letters and digits, up to a limit.
///
/// Each byte of a non-ASCII character counts.
pub(crate) fn information(line: &[u8]) -> usize {
    const ENOUGH: usize = 40;
    line.iter().filter(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii()).take(ENOUGH).count()
}

/// Returns whether a line has too little information to search for: blank, a bracket, a short
/// keyword.
pub(crate) fn is_poor(line: &[u8]) -> bool {
    information(line) < 3
}

fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}
