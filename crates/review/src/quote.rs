//! Quotes texts by other authors in Markdown, so that they cannot end their quotation.

use skein_model::sanitize::one_line;

/// Returns a fenced block; its fence is longer than any in the text.
pub fn fenced(language: &str, text: &str) -> String {
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    let text = text.strip_suffix('\n').unwrap_or(text);
    format!("{fence}{language}\n{text}\n{fence}\n")
}

/// Returns a block quote: every line starts with `>`.
pub(super) fn quoted(text: &str) -> String {
    let quote = |line: &str| match line.trim_end() {
        "" => ">\n".to_owned(),
        line => format!("> {line}\n"),
    };
    // Some readers treat carriage returns and Unicode line separators as line ends.
    let ends = ['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'];
    text.replace("\r\n", "\n").split(ends).map(quote).collect()
}

/// Returns a text as inline code.
pub fn inline(text: &str) -> String {
    let text: String = one_line(text).chars().take(300).collect();
    let marks = "`".repeat(longest_run(&text) + 1);
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    if text.is_empty() {
        "(none)".to_owned()
    } else {
        format!("{marks}{space}{text}{space}{marks}")
    }
}

/// Returns the language of a fenced block for a file; by default the extension.
pub(super) fn language(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let known = match extension {
        "rs" => "rust",
        "py" => "python",
        "js" | "mjs" | "cjs" => "javascript",
        "ts" | "mts" | "cts" => "typescript",
        "rb" => "ruby",
        "sh" => "bash",
        "md" => "markdown",
        "yml" => "yaml",
        "kt" => "kotlin",
        "cs" => "csharp",
        "h" => "c",
        "cc" | "hpp" => "cpp",
        other => other,
    };
    let plain = known.len() <= 12 && known.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if plain { known.to_owned() } else { String::new() }
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_content_ends_its_quotation() {
        assert_eq!(fenced("rust", "a\n"), "```rust\na\n```\n");
        assert_eq!(fenced("", "x ```` y"), "`````\nx ```` y\n`````\n");
        assert_eq!(quoted("# a\r\n\r\n```\rb\u{2028}c"), "> # a\n>\n> ```\n> b\n> c\n");
        assert_eq!(inline("a`b"), "``a`b``");
        assert_eq!(inline("`\n\u{1b}x`"), "`` ` \\u{1b}x` ``");
        assert_eq!(inline(""), "(none)");
    }

    #[test]
    fn a_language_is_a_plain_word() {
        assert_eq!(language("src/a.rs"), "rust");
        assert_eq!(language("src/a.zig"), "zig");
        assert_eq!(language("a.b`c"), "");
        assert_eq!(language("Makefile"), "");
    }
}
