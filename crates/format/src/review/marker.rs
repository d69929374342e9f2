//! The tags of the format, and lines that could be mistaken for one.

/// Opens the metadata block.
pub(super) const THREAD: &[u8] = b"<local-code-review-thread>";
/// Closes the metadata block.
pub(super) const THREAD_END: &[u8] = b"</local-code-review-thread>";
/// Starts the line before a patch.
pub(super) const PATCH: &[u8] = b"<local-code-review-patch";
/// Starts the line before a comment.
pub(super) const COMMENT: &[u8] = b"<local-code-review-comment";

/// Returns every position of a tag in `text`.
///
/// `<` is rare in a thread, so searching for this byte alone is the fastest way.
pub(super) fn places<'a>(text: &'a [u8], tag: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
    let matches = move |at: &usize| text.get(*at..).is_some_and(|rest| rest.starts_with(tag));
    memchr::memchr_iter(b'<', text).filter(matches)
}

/// Returns whether a reader of the format could mistake the line for one of its tags.
///
/// Other programs trim lines first, by JavaScript's definition of white space.
pub(super) fn is_suspect(line: &str) -> bool {
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    line.starts_with("<local-code-review-") || line.starts_with("</local-code-review-")
}

/// Returns whether any line of the text could be mistaken for a tag.
pub(super) fn has_suspect(text: &str) -> bool {
    text.split(['\n', '\r']).any(is_suspect)
}

/// Escapes a body so that no line of it is mistaken for a tag.
///
/// Markdown renders `\<` as `<`. Leading blank lines and trailing white space are dropped: they could
/// not be distinguished from the space between two comments.
pub(super) fn escape_body(body: &str) -> String {
    let body = body.replace("\r\n", "\n").replace('\r', "\n");
    let lines: Vec<String> = body
        .split('\n')
        .skip_while(|line| line.trim_ascii().is_empty())
        .map(|line| if is_suspect(line) { line.replacen('<', "\\<", 1) } else { line.to_owned() })
        .collect();
    lines.join("\n").trim_ascii_end().to_owned()
}
