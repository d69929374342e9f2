//! Formats a part of a text as one line.

use std::ops::Range;

use super::Snippet;

/// Returns whether a character is visible.
pub(super) fn is_shown(character: char) -> bool {
    !character.is_whitespace() && !is_hidden(character)
}

/// Returns whether a character is removed: control, direction and zero-width characters.
fn is_hidden(character: char) -> bool {
    let is_invisible = matches!(character,
        '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}');
    is_invisible || character.is_control() && !character.is_whitespace()
}

/// Returns the number of bytes and characters up to `room` shown characters.
///
/// The characters may be in either direction, from a text of `length` bytes.
pub(super) fn visible(
    characters: impl Iterator<Item = (usize, char)>,
    room: usize,
    length: usize,
) -> (usize, usize) {
    let (mut bytes, mut count, mut in_blank) = (0, 0, false);
    for (_, character) in characters {
        let is_blank = character.is_whitespace();
        let shows = !(is_hidden(character) || is_blank && in_blank);
        if shows && count == room {
            return (bytes, count);
        }
        if shows {
            count += 1;
            in_blank = is_blank;
        }
        bytes += character.len_utf8();
    }
    (length, count)
}

/// Appends the window of a text to a snippet, and marks the matches.
pub(super) fn line(
    text: &str,
    window: &Range<usize>,
    spans: &[Range<usize>],
    snippet: &mut Snippet,
) {
    let mut spans = spans.iter().peekable();
    let mut marked = None;
    let (mut blank, mut any) = (false, false);
    for (index, character) in text.get(window.clone()).unwrap_or_default().char_indices() {
        if !is_shown(character) {
            blank |= character.is_whitespace();
            continue;
        }
        if blank && any {
            snippet.text.push(' ');
        }
        (blank, any) = (false, true);
        let start = snippet.text.len();
        snippet.text.push(character);
        let at = window.start + index;
        while spans.next_if(|span| span.end <= at).is_some() {}
        let span = spans.peek().filter(|span| span.start <= at).map(|span| span.start);
        match snippet.marks.last_mut().filter(|_| span.is_some() && span == marked) {
            Some(mark) => mark.end = snippet.text.len(),
            None if span.is_some() => snippet.marks.push(start..snippet.text.len()),
            None => {}
        }
        marked = span;
    }
}
