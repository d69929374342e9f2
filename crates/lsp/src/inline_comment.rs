//! Comments that were typed into the source: lines such as `// skein: text`.

use crate::buffer::Buffer;

/// The word before the text.
const MARK: &str = "skein:";

/// A comment in the source.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct InlineComment {
    /// The lines of the comment itself, counted from 0.
    pub(crate) lines: (u32, u32),
    pub(crate) body: String,
}

impl InlineComment {
    /// Returns the comment at a line; consecutive lines are one comment.
    pub(crate) fn at(buffer: &Buffer, line: u32) -> Option<Self> {
        let text = |line| text(buffer.line(line)?);
        text(line)?;
        let is_there = |line: &u32| text(*line).is_some();
        let first = (0..line).rev().take_while(is_there).last().unwrap_or(line);
        let last = (line..buffer.line_count()).take_while(is_there).last().unwrap_or(line);
        let body: Vec<&str> = (first..=last).filter_map(text).collect();
        Some(Self { lines: (first, last), body: body.join("\n") })
    }
}

/// The signs that start a comment, each with the sign that ends it in the same line; some need none.
const SIGNS: [(&str, &str); 19] = [
    ("//", ""),
    ("///", ""),
    ("//!", ""),
    ("#", ""),
    ("##", ""),
    ("--", ""),
    (";", ""),
    (";;", ""),
    ("%", ""),
    ("\"", ""),
    ("*", ""),
    ("/*", "*/"),
    ("/**", "*/"),
    ("<!--", "-->"),
    ("<%--", "--%>"),
    ("{{!--", "--}}"),
    ("{#", "#}"),
    ("{-", "-}"),
    ("(*", "*)"),
];

/// Returns the text after the mark, if the line is nothing but a comment.
fn text(line: &str) -> Option<&str> {
    let (sign, text) = line.split_once(MARK)?;
    let (_, end) = SIGNS.iter().find(|(start, _)| *start == sign.trim())?;
    let text = text.trim().strip_suffix(end)?.trim();
    let has_end = SIGNS.iter().any(|(_, end)| !end.is_empty() && text.ends_with(end));
    (!text.is_empty() && !has_end).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_after_a_comment_sign_are_found() {
        for line in [
            "// skein: Why?",
            "\t# skein:Why?",
            "/* skein: Why? */",
            "<!-- skein: Why? -->",
            "-- skein: Why?",
        ] {
            assert_eq!(text(line), Some("Why?"), "{line}");
        }
        for line in [
            "skein: Why?",
            "let skein: u8 = 1;",
            "// skein:",
            "// see skein: Why?",
            "x",
            "} // skein: Why?",
            "/* skein: Why",
            "* skein: Why? */",
        ] {
            assert_eq!(text(line), None, "{line}");
        }
    }

    #[test]
    fn consecutive_lines_are_one_comment() {
        let buffer = Buffer::new("a\n// skein: one\n// skein: two\nb\n".to_owned());
        let found = InlineComment { lines: (1, 2), body: "one\ntwo".to_owned() };
        assert_eq!(InlineComment::at(&buffer, 1), Some(found));
        assert_eq!(InlineComment::at(&buffer, 2).map(|one| one.lines), Some((1, 2)));
        assert_eq!((InlineComment::at(&buffer, 0), InlineComment::at(&buffer, 9)), (None, None));
    }
}
