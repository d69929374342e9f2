//! JSON as spans of the original bytes: read once, edited in place, never re-serialised.

mod edit;
mod layout;
mod number;
mod reader;
mod remove;
mod shape;
mod text;

pub(crate) use edit::{Container, Item, Style, addition, eol_of, fit, indent_at, object_at};
pub use edit::{Member, append, member, set};
pub(crate) use layout::lay_out;
pub(crate) use number::ceiling;
pub use number::{as_u32, as_u64, is_one};
pub(crate) use reader::plain_until;
pub use reader::{Dialect, Kind, Reader, SyntaxError};
pub use remove::{remove, remove_element};
pub(crate) use shape::{compact, outdented};
pub use text::{Str, Text, quote};

use crate::span::Span;

/// Checks that `bytes` hold exactly one JSON value and returns its span.
pub fn validate(bytes: &[u8], dialect: Dialect) -> Result<Span, SyntaxError> {
    let mut reader = Reader::new(bytes, Span::new(0, bytes.len()), dialect);
    let span = reader.skip()?;
    reader.finish()?;
    Ok(span)
}

/// Returns whether `bytes` hold nothing but white space behind a byte order mark.
pub(crate) fn is_blank(bytes: &[u8]) -> bool {
    bytes.get(bom_len(bytes)..).is_none_or(|rest| rest.trim_ascii().is_empty())
}

/// Returns the length of a byte order mark at the start of `bytes`.
pub fn bom_len(bytes: &[u8]) -> usize {
    if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 }
}
