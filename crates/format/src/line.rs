//! Lines of a document: ended by LF or CRLF; a lone CR is part of its line.

use crate::span::Span;

/// A line with and without its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// The text, without LF or CRLF.
    pub(crate) text: Span,
    /// Where the next line starts.
    pub(crate) next: usize,
}

/// Returns the lines of `span`; an empty span has none.
pub(crate) fn lines(bytes: &[u8], span: Span) -> impl Iterator<Item = Line> + '_ {
    let end = span.end.min(bytes.len());
    let mut at = span.start;
    std::iter::from_fn(move || {
        let rest = bytes.get(at..end).filter(|rest| !rest.is_empty())?;
        let start = at;
        let newline = memchr::memchr(b'\n', rest);
        let stop = newline.map_or(end, |newline| start + newline);
        at = newline.map_or(end, |newline| start + newline + 1);
        let cr = newline.is_some() && stop > start && bytes.get(stop - 1) == Some(&b'\r');
        Some(Line { text: Span::new(start, stop - usize::from(cr)), next: at })
    })
}

/// The line ending of a document, taken from its first line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Eol {
    Lf,
    CrLf,
}

impl Eol {
    pub(crate) fn from_bytes(bytes: &[u8]) -> Self {
        match memchr::memchr(b'\n', bytes) {
            Some(at) if at > 0 && bytes.get(at - 1) == Some(&b'\r') => Self::CrLf,
            _ => Self::Lf,
        }
    }

    pub(crate) fn as_bytes(self) -> &'static [u8] {
        match self {
            Self::Lf => b"\n",
            Self::CrLf => b"\r\n",
        }
    }

    /// Converts all line endings of `text`.
    pub(crate) fn apply(self, text: &str) -> Vec<u8> {
        let unified = text.replace("\r\n", "\n").replace('\r', "\n");
        match self {
            Self::Lf => unified.into_bytes(),
            Self::CrLf => unified.replace('\n', "\r\n").into_bytes(),
        }
    }
}
