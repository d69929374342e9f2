//! Suggested changes: fenced blocks of `suggestion` in the body of a comment.

use crate::fence::Fence;
use crate::line::lines;
use crate::span::Span;

/// The proposed replacement of the commented lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// The lines, without their ends; an empty list removes the commented lines.
    pub lines: Vec<String>,
    /// Whether the block is closed; an open one may contain text that is not code.
    pub closed: bool,
}

/// Finds the suggestions of a body, in order.
///
/// A block inside of a longer block of another language is text of that block, not a suggestion.
pub fn suggestions(body: &str) -> Vec<Suggestion> {
    let bytes = body.as_bytes();
    let mut found = Vec::new();
    let mut all = lines(bytes, Span::new(0, bytes.len()));
    while let Some(line) = all.next() {
        let Some(fence) = Fence::open(line.text.of(bytes)) else {
            continue;
        };
        let mut inside = Vec::new();
        let mut closed = false;
        for line in all.by_ref() {
            closed = fence.is_closed_by(line.text.of(bytes));
            if closed {
                break;
            }
            inside.push(line.text);
        }
        if fence.language() == b"suggestion" {
            let lines = inside.iter().map(|span| outdent(span.of(bytes), fence.indent)).collect();
            found.push(Suggestion { lines, closed });
        }
    }
    found
}

/// Returns a suggestion as a block that [`suggestions`] reads back; an empty text is a block without lines.
pub fn suggestion_block(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let marks = |line: &str| line.trim_start().bytes().take_while(|byte| *byte == b'`').count();
    let fence = "`".repeat(text.lines().map(marks).max().unwrap_or(0).max(2) + 1);
    let end = if text.is_empty() { "" } else { "\n" };
    let text = text.strip_suffix('\n').unwrap_or(&text);
    format!("{fence}suggestion\n{text}{end}{fence}")
}

fn outdent(line: &[u8], indent: usize) -> String {
    let spaces = line.iter().take(indent).take_while(|byte| **byte == b' ').count();
    String::from_utf8_lossy(line.get(spaces..).unwrap_or_default()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, expected: &[(&[&str], bool)]) {
        let found = suggestions(body);
        let got: Vec<(Vec<&str>, bool)> = found
            .iter()
            .map(|one| (one.lines.iter().map(String::as_str).collect(), one.closed))
            .collect();
        let expected: Vec<_> =
            expected.iter().map(|(lines, closed)| (lines.to_vec(), *closed)).collect();
        assert_eq!(got, expected, "{body}");
    }

    #[test]
    fn finds_blocks_of_any_length() {
        check("try\n```suggestion\nlet a = 1;\n```\nthanks", &[(&["let a = 1;"], true)]);
        check("````suggestion\n```\n````", &[(&["```"], true)]);
        check("~~~ suggestion\na\n\nb\n~~~", &[(&["a", "", "b"], true)]);
        check(
            "```suggestion\r\na\r\n```\r\n```suggestion\nb\n```",
            &[(&["a"], true), (&["b"], true)],
        );
        check("  ```suggestion\n    a\n b\n  ```", &[(&["  a", "b"], true)]);
    }

    #[test]
    fn an_empty_block_differs_from_an_empty_line() {
        check("```suggestion\n```", &[(&[], true)]);
        check("```suggestion\n\n```", &[(&[""], true)]);
    }

    #[test]
    fn written_blocks_read_back() {
        for text in ["", "\n", "a", "a\nb", "```\nx\n```", "  ````", "\ta"] {
            let block = suggestion_block(text);
            let lines: Vec<&str> = text.lines().collect();
            check(&block, &[(&lines, true)]);
        }
    }

    #[test]
    fn ignores_other_blocks() {
        check("````md\n```suggestion\nx\n```\n````", &[]);
        check("    ```suggestion\n    x\n    ```", &[]);
        check("```suggestions\nx\n```", &[]);
        check("use ```suggestion` here", &[]);
        check("```suggestion\nnever closed", &[(&["never closed"], false)]);
    }
}
