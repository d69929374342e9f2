//! The tags of the format, and lines that could be taken for one.

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
/// The byte that starts a tag is rare in a thread, so that looking for it alone takes the least time.
pub(super) fn places<'a>(text: &'a [u8], tag: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
    let stands = move |at: &usize| text.get(*at..).is_some_and(|rest| rest.starts_with(tag));
    memchr::memchr_iter(b'<', text).filter(stands)
}

/// Returns whether some reader of the format could take the line for one of its tags.
///
/// Other readers trim lines first, with what JavaScript calls white space.
pub(super) fn is_suspect(line: &str) -> bool {
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    line.starts_with("<local-code-review-") || line.starts_with("</local-code-review-")
}

/// Returns whether any line of the text could be taken for a tag.
pub(super) fn has_suspect(text: &str) -> bool {
    text.split(['\n', '\r']).any(is_suspect)
}

/// Writes a body so that no line of it is taken for a tag.
///
/// Markdown renders `\<` as `<`. Blank lines before the text and white space behind it are dropped:
/// a reader could not tell them from the space between two comments.
pub(super) fn escape_body(body: &str) -> String {
    let body = body.replace("\r\n", "\n").replace('\r', "\n");
    let lines: Vec<String> = body
        .split('\n')
        .skip_while(|line| line.trim_ascii().is_empty())
        .map(|line| if is_suspect(line) { line.replacen('<', "\\<", 1) } else { line.to_owned() })
        .collect();
    lines.join("\n").trim_ascii_end().to_owned()
}
