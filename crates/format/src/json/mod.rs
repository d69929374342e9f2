//! JSON as spans of the original bytes: read once, edited in place, never re-serialised.

mod edit;
mod layout;
mod number;
mod reader;
mod remove;
mod shape;
mod text;

pub(crate) use edit::{Container, NewItem, Style, addition, eol_of, fit, indent_at, object_at};
pub use edit::{Member, append, member, set};
pub(crate) use layout::lay_out;
pub(crate) use number::ceiling;
pub use number::{as_u32, as_u64, is_one};
pub(crate) use reader::plain_until;
pub use reader::{Dialect, JsonKind, Reader, SyntaxError};
pub use remove::{remove, remove_element};
pub(crate) use shape::{compact, outdented};
pub use text::{DecodedText, Str, quote};

use crate::span::Span;

/// Checks that `bytes` contain exactly one JSON value and returns its span.
pub fn validate(bytes: &[u8], dialect: Dialect) -> Result<Span, SyntaxError> {
    let mut reader = Reader::new(bytes, Span::new(0, bytes.len()), dialect);
    let span = reader.skip()?;
    reader.finish()?;
    Ok(span)
}

/// Returns the span of a file without its byte order mark.
pub(crate) fn content(bytes: &[u8]) -> Span {
    Span::new(bom_len(bytes), bytes.len())
}

/// Reads the elements of an array; the document must have been parsed before.
pub(crate) fn for_each_element<'a>(
    bytes: &'a [u8],
    span: Span,
    each: impl FnMut(&mut Reader<'a>) -> Result<(), SyntaxError>,
) {
    let array = Reader::new(bytes, span, Dialect::Json).array(each);
    array.expect("the array was read before without an error");
}

/// Reads the members of an object; the document must have been parsed before.
pub(crate) fn for_each_member<'a>(
    bytes: &'a [u8],
    span: Span,
    each: impl FnMut(&mut Reader<'a>, Str) -> Result<(), SyntaxError>,
) {
    let object = Reader::new(bytes, span, Dialect::Json).object(each);
    object.expect("the object was read before without an error");
}

/// Returns whether `bytes` contain only white space, except for a byte order mark.
pub(crate) fn is_blank(bytes: &[u8]) -> bool {
    bytes.get(bom_len(bytes)..).is_none_or(|rest| rest.trim_ascii().is_empty())
}

/// Returns the length of a byte order mark at the start of `bytes`.
pub fn bom_len(bytes: &[u8]) -> usize {
    if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 }
}
