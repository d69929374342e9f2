//! Texts that can be shown as they are.

use std::borrow::Cow;

/// Shows control characters instead of sending them: a file must not drive the terminal.
pub fn safe(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let shown = text
        .chars()
        .map(|c| if is_unsafe(c) { c.escape_default().to_string() } else { c.to_string() });
    Cow::Owned(shown.collect())
}

/// Returns whether a terminal must not get it: control characters but for the line end and tab, and those that turn the direction of text.
pub fn is_unsafe(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t'))
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Makes one line of a text.
pub fn one_line(text: &str) -> String {
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
