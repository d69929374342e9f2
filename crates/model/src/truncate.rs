//! Shortens texts to a number of characters.

use crate::sanitize::one_line;

/// Converts a text to one line of at most `max_chars` characters.
pub fn truncate_line(text: &str, max_chars: usize) -> String {
    truncate(&one_line(text), max_chars)
}

/// Shortens a text to `max_chars` characters, at the end of a line or word if one is near.
pub fn truncate(text: &str, max_chars: usize) -> String {
    if text.chars().count() <= max_chars {
        return text.to_owned();
    }
    let head: String = text.chars().take(max_chars.saturating_sub(1)).collect();
    let near = head.len() - head.len() / 5;
    let at = head.rfind('\n').or_else(|| head.rfind(' ')).filter(|at| *at > near);
    let head = at.and_then(|at| head.get(..at)).unwrap_or(&head);
    format!("{}\u{2026}", head.trim_end())
}
