//! Merges prose by lines; a patch is one item, and the generated heading follows the metadata.

use super::lines::{self, Piece};
use super::parts::{Out, Parts};
use crate::line::lines;
use crate::review::head::{ReviewMetadata, Status};
use crate::review::heading;
use crate::span::Span;

/// The value by which tokens are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key<'a> {
    /// The generated heading, with any content.
    Heading,
    /// The fenced block of the patch.
    Patch(&'a [u8]),
    /// A line, without its end.
    Line(&'a [u8]),
}

/// A line of prose, or a patch.
#[derive(Clone, Copy, Debug)]
struct Token<'a> {
    key: Key<'a>,
    bytes: &'a [u8],
}

/// Merges plain text; true if a conflict is left in it.
pub(super) fn text(
    base: Option<&[u8]>,
    ours: &[u8],
    theirs: &[u8],
    labels: (&str, &str),
    out: &mut Out,
) -> bool {
    let base = base.map(plain);
    write(base.as_deref(), &plain(ours), &plain(theirs), labels, (out, &[]))
}

fn plain(bytes: &[u8]) -> Vec<Token<'_>> {
    tokens(bytes, Span::new(0, bytes.len()), None, None)
}

/// Merges the text between the metadata block and the comments; true if a conflict is left in it.
pub(super) fn between(
    base: Option<&Parts<'_>>,
    (ours, theirs): (&Parts<'_>, &Parts<'_>),
    labels: (&str, &str),
    head: &ReviewMetadata,
    out: &mut Out,
) -> bool {
    let line = heading_line(ours, theirs, head);
    let base = base.map(prose);
    write(base.as_deref(), &prose(ours), &prose(theirs), labels, (out, &line))
}

fn prose<'a>(parts: &Parts<'a>) -> Vec<Token<'a>> {
    let patch = parts.patch.as_ref().map(|patch| patch.block).filter(|block| !block.is_empty());
    tokens(parts.bytes, parts.prose, patch, heading_of(parts))
}

/// Finds the generated heading, which comes before the patch.
fn heading_of(parts: &Parts<'_>) -> Option<Span> {
    let end = parts.patch.as_ref().map_or(parts.prose.end, |patch| patch.marker.start);
    let area = Span::new(parts.prose.start, end);
    let path = parts.head.path_text.as_deref()?;
    let word = heading::status_word(parts.bytes, area, path)?;
    let line = lines(parts.bytes, area).find(|line| line.text.end == word.end)?;
    Some(line.text)
}

/// Returns the heading for `head`, from a side with the same target if possible.
fn heading_line(ours: &Parts<'_>, theirs: &Parts<'_>, head: &ReviewMetadata) -> Vec<u8> {
    let place = |head: &ReviewMetadata| (head.path_text.clone(), head.range);
    let with_heading = |parts: &&Parts<'_>| heading_of(parts).is_some();
    let mut sides = [ours, theirs].into_iter().filter(with_heading);
    let fits = |side: &&Parts<'_>| place(&side.head) == place(head);
    let exact = |side: &&Parts<'_>| fits(side) && side.head.status == head.status;
    let side = sides.clone().find(exact).or_else(|| sides.find(fits));
    let path = head.path_text.as_deref().unwrap_or_default();
    let Some((side, line)) = side.and_then(|side| Some((side, heading_of(side)?))) else {
        return heading::heading(path, head.range, head.status).into_bytes();
    };
    let line = line.of(side.bytes);
    let words = [Status::Open, Status::Resolved].map(|status| status.as_str().as_bytes());
    let place = words.iter().find_map(|word| line.strip_suffix(*word)).unwrap_or(line);
    [place, head.status.as_str().as_bytes()].concat()
}

fn tokens(bytes: &[u8], span: Span, patch: Option<Span>, heading: Option<Span>) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let Some(block) = patch else {
        push_lines(&mut found, bytes, span, heading);
        return found;
    };
    push_lines(&mut found, bytes, Span::new(span.start, block.start), heading);
    // A block that is not closed ends before the end of its line, or in white space after the prose.
    let block = Span::new(block.start, block.end.min(span.end));
    let rest = Span::new(block.end, span.end);
    let ended = block.of(bytes).ends_with(b"\n");
    let first = lines(bytes, rest).next().filter(|line| line.text.is_empty() && !ended);
    let end = first.map_or(block.end, |line| line.next);
    let text = Span::new(block.start, end).of(bytes);
    found.push(Token { key: Key::Patch(text.trim_ascii_end()), bytes: text });
    push_lines(&mut found, bytes, Span::new(end, span.end), None);
    found
}

fn push_lines<'a>(found: &mut Vec<Token<'a>>, bytes: &'a [u8], span: Span, heading: Option<Span>) {
    found.extend(lines(bytes, span).map(|line| {
        let generated = Some(line.text) == heading;
        let key = if generated { Key::Heading } else { Key::Line(line.text.of(bytes)) };
        Token { key, bytes: Span::new(line.text.start, line.next).of(bytes) }
    }));
}

fn write(
    base: Option<&[Token<'_>]>,
    ours: &[Token<'_>],
    theirs: &[Token<'_>],
    labels: (&str, &str),
    (out, heading): (&mut Out, &[u8]),
) -> bool {
    let base = base.map(keys);
    let mut conflicted = false;
    for piece in lines::merge(base.as_deref(), &keys(ours), &keys(theirs)) {
        match piece {
            Piece::Ours(range) => put(out, ours.get(range), heading),
            Piece::Theirs(range) => put(out, theirs.get(range), heading),
            Piece::Conflict { ours: mine, theirs: other } => {
                conflicted = true;
                out.conflict_line(b'<', labels.0);
                put(out, ours.get(mine), heading);
                out.conflict_line(b'=', "");
                put(out, theirs.get(other), heading);
                out.conflict_line(b'>', labels.1);
            }
        }
    }
    conflicted
}

fn keys<'a>(tokens: &[Token<'a>]) -> Vec<Key<'a>> {
    tokens.iter().map(|token| token.key).collect()
}

fn put(out: &mut Out, tokens: Option<&[Token<'_>]>, heading: &[u8]) {
    for token in tokens.unwrap_or_default() {
        if token.key == Key::Heading {
            out.part(heading);
            if token.bytes.ends_with(b"\n") {
                out.end_line();
            }
        } else {
            out.part(token.bytes);
        }
    }
}
