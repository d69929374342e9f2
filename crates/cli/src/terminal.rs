//! What a terminal can show, and what must not reach it.

use std::borrow::Cow;

use crate::machine::Machine;

/// Returns whether to use colour on a stream; `wanted` is `auto`, `always` or `never`.
pub(crate) fn color(machine: &Machine, is_terminal: bool, wanted: Option<&str>) -> bool {
    match wanted {
        Some("always") => true,
        Some("never") => false,
        _ => is_terminal && !machine.no_color,
    }
}

/// Shows control characters instead of sending them: a file must not drive the terminal.
pub(crate) fn safe(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let shown = text
        .chars()
        .map(|c| if is_unsafe(c) { c.escape_default().to_string() } else { c.to_string() });
    Cow::Owned(shown.collect())
}

/// Escapes in a JSON document what must not reach a terminal; it can only be inside of strings.
pub(crate) fn safe_json(text: &str) -> String {
    let shown = text.chars().map(|c| match c {
        // All of them lie below U+10000.
        c if is_unsafe(c) => format!("\\u{:04x}", u32::from(c)),
        c => c.to_string(),
    });
    shown.collect()
}

/// Control characters but for the line end and tab, and those that turn the direction of text.
fn is_unsafe(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t'))
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Makes one line of a text.
pub(crate) fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    safe(&words.join(" ")).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_drives_the_terminal() {
        assert_eq!(safe("a\u{1b}[2Jb\r\u{202e}"), "a\\u{1b}[2Jb\\r\\u{202e}");
        assert_eq!(safe("tab\there\n"), "tab\there\n");
        assert_eq!(one_line("  two\n lines\t\u{7} "), "two lines \\u{7}");
    }
}
