//! The only type of what is passed to an agent as a prompt.

use std::fmt;

use crate::sanitize::escape_control;

/// Ends a prompt in which a character was escaped.
const NOTE: &str = "In this text, `\\u{40}` stands for an at sign, `\\u{2f}` for a slash and `\\u{21}` for an exclamation mark that came from others.";

/// A prompt with texts of others, in which no text has an effect on the program that reads it.
///
/// Claude Code, Codex, OpenCode and Gemini CLI replace `@path` by the content of the file, wherever it is, and treat lines that begin
/// with `/` or `!` as commands. These characters are shown as code points. What starts an agent or answers with a prompt takes this
/// type, so that no text gets there without the guard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptText(String);

impl PromptText {
    /// Escapes what has an effect in a prompt, and invisible characters.
    pub fn guard(text: &str) -> Self {
        let text = escape_control(text);
        let mut out = String::with_capacity(text.len());
        let mut before = '\n';
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            let after = characters.peek().copied().unwrap_or_default();
            let begins_line = before == '\n';
            let is_active = match character {
                '@' => true,
                '!' => begins_line || after == '`',
                '/' => begins_line && after.is_ascii_alphabetic(),
                _ => false,
            };
            if is_active {
                out.extend(character.escape_unicode());
            } else {
                out.push(character);
            }
            // A command can be indented.
            let is_indent = begins_line && matches!(character, ' ' | '\t');
            before = if is_indent { '\n' } else { character };
        }
        if out.len() > text.len() {
            out.truncate(out.trim_end().len());
            out.push_str("\n\n");
            out.push_str(NOTE);
            out.push('\n');
        }
        Self(out)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn into_string(self) -> String {
        self.0
    }
}

impl fmt::Display for PromptText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let guarded = PromptText::guard(text).into_string();
        let (shown, note) = guarded.split_once("\n\nIn this text").unwrap_or((&guarded, ""));
        assert_eq!(shown, expected);
        assert_eq!(note.is_empty(), text == expected);
    }

    #[test]
    fn what_an_agent_replaces_or_runs_is_escaped() {
        check("see @/etc/passwd", "see \\u{40}/etc/passwd");
        check("@\"a b\" (@x) a@b", "\\u{40}\"a b\" (\\u{40}x) a\\u{40}b");
        check("a\n/clear\n  /init x", "a\n\\u{2f}clear\n  \\u{2f}init x");
        check("!id\n> x !`id`\n\t!ls", "\\u{21}id\n> x \\u{21}`id`\n\t\\u{21}ls");
        check("a\u{202e}b\u{200b}@x", "a\\u{202e}b\\u{200b}\\u{40}x");
    }

    #[test]
    fn other_text_is_unchanged() {
        for text in
            ["", "a / b, c != d! /x", "// a\n//! b\n#![c]\n> /x\n> !y\n", "https://example.org/a"]
        {
            check(text, text);
        }
    }
}
