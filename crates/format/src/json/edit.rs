//! Edits of JSON: only the given value changes, every other byte stays.

use super::reader::{Dialect, JsonKind, Reader, SyntaxError};
use super::text::{Str, quote};
use crate::span::{Span, splice};

/// A key with its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// The key, quotes included.
    pub key: Span,
    /// The value.
    pub value: Span,
    /// The kind of the value.
    pub kind: JsonKind,
}

/// The layout of an object or array, as needed to add items.
pub(crate) struct Container {
    span: Span,
    /// The start of the last item: added items get the same white space before them.
    lead_at: Option<usize>,
    last: Option<Span>,
    /// From the end of the last key to the start of its value.
    colon: Option<Span>,
}

impl Container {
    /// Returns the layout of an array with this last element.
    pub(crate) fn array(span: Span, last: Option<Span>) -> Self {
        Self { span, lead_at: last.map(|last| last.start), last, colon: None }
    }
}

/// The line style of a document.
#[derive(Clone, Copy)]
pub(crate) struct Style {
    /// The line ending.
    pub(crate) eol: &'static [u8],
    many_lines: bool,
}

impl Style {
    /// Detects the style of a document.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Self {
        Self { eol: eol_of(bytes), many_lines: memchr::memchr(b'\n', bytes).is_some() }
    }
}

/// A value to add; it has a key if it is added to an object.
pub(crate) struct NewItem {
    /// The key, quotes included.
    pub(crate) key: Option<Vec<u8>>,
    /// JSON indented by two spaces from column zero.
    pub(crate) value: Vec<u8>,
}

/// Returns the last member with this name of the object at `span`.
pub fn member(
    bytes: &[u8],
    span: Span,
    dialect: Dialect,
    name: &str,
) -> Result<Option<Member>, SyntaxError> {
    let mut found = None;
    let mut reader = Reader::new(bytes, span, dialect);
    if reader.peek()? != JsonKind::Object {
        return Ok(None);
    }
    reader.object(|reader, key| {
        let kind = reader.peek()?;
        let value = reader.skip()?;
        if key.is(bytes, name) {
            found = Some(Member { key: key.span, value, kind });
        }
        Ok(())
    })?;
    Ok(found)
}

/// Sets the value at `path` in the object at `root`; missing objects on the path are added.
///
/// Any other value in the middle of the path is replaced by an object. `value` is JSON indented by
/// two spaces from column zero; its lines are indented to fit.
pub fn set(
    bytes: &mut Vec<u8>,
    root: Span,
    dialect: Dialect,
    path: &[&str],
    value: &[u8],
) -> Result<(), SyntaxError> {
    let Some((name, rest)) = path.split_first() else {
        return Ok(());
    };
    let found = member(bytes, root, dialect, name)?;
    match found {
        Some(found) if !rest.is_empty() && found.kind == JsonKind::Object => {
            set(bytes, found.value, dialect, rest, value)
        }
        Some(found) => {
            let wrapped = wrap(rest, value);
            let indent = indent_at(bytes, found.value.start);
            let text = fit(&wrapped, &indent, eol_of(bytes));
            splice(bytes, found.value, &text);
            Ok(())
        }
        None => {
            let container = object_at(bytes, root, dialect)?;
            add(bytes, &container, NewItem { key: Some(quote(name)), value: wrap(rest, value) });
            Ok(())
        }
    }
}

/// Adds `value` at the end of the array at `span`.
pub fn append(
    bytes: &mut Vec<u8>,
    span: Span,
    dialect: Dialect,
    value: &[u8],
) -> Result<(), SyntaxError> {
    let mut last = None;
    let mut reader = Reader::new(bytes, span, dialect);
    let span = reader.array(|reader| {
        last = Some(reader.skip()?);
        Ok(())
    })?;
    add(bytes, &Container::array(span, last), NewItem { key: None, value: value.to_vec() });
    Ok(())
}

/// Returns the layout of the object at `span`, to add members to it.
pub(crate) fn object_at(
    bytes: &[u8],
    span: Span,
    dialect: Dialect,
) -> Result<Container, SyntaxError> {
    let (mut lead_at, mut last, mut colon) = (None, None, None);
    let mut reader = Reader::new(bytes, span, dialect);
    let span = reader.object(|reader, key: Str| {
        let value = reader.skip()?;
        lead_at = Some(key.span.start);
        last = Some(value);
        colon = Some(Span::new(key.span.end, value.start));
        Ok(())
    })?;
    Ok(Container { span, lead_at, last, colon })
}

fn add(bytes: &mut Vec<u8>, container: &Container, item: NewItem) {
    let (at, text) = addition(bytes, container, Style::from_bytes(bytes), [item]);
    splice(bytes, at, &text);
}

/// Returns the span to replace and its new text, to add items to a container.
pub(crate) fn addition(
    bytes: &[u8],
    container: &Container,
    style: Style,
    items: impl IntoIterator<Item = NewItem>,
) -> (Span, Vec<u8>) {
    let Style { eol, many_lines } = style;
    let outer = indent_at(bytes, container.span.start);
    let lead = match (container.lead_at, many_lines) {
        (Some(at), _) => blank_before(bytes, container.span.start + 1, at),
        (None, true) => [eol, &outer, b"  "].concat(),
        (None, false) => Vec::new(),
    };
    let indent = match memchr::memrchr(b'\n', &lead) {
        Some(at) => lead.get(at + 1..).unwrap_or_default().to_vec(),
        None => outer.clone(),
    };
    let colon = colon_of(bytes, container, many_lines);
    let mut text = Vec::new();
    let mut follows = container.last.is_some();
    for NewItem { key, value } in items {
        if follows {
            text.push(b',');
        }
        follows = true;
        text.extend_from_slice(&lead);
        if let Some(key) = key {
            text.extend_from_slice(&key);
            text.extend_from_slice(&colon);
        }
        text.extend(fit(&value, &indent, eol));
    }
    match container.last {
        Some(last) => (Span::new(last.end, last.end), text),
        None => {
            if many_lines {
                text.extend([eol, &outer].concat());
            }
            (room_in(bytes, container), text)
        }
    }
}

/// Returns the text to write between a key and its value.
fn colon_of(bytes: &[u8], container: &Container, many_lines: bool) -> Vec<u8> {
    let colon = container.colon.map(|colon| colon.of(bytes).to_vec());
    let plain = colon.filter(|colon| colon.iter().all(|byte| b": \t".contains(byte)));
    plain.unwrap_or_else(|| if many_lines { b": ".to_vec() } else { b":".to_vec() })
}

/// Returns the white space inside of a container without items, or its end if it contains a comment.
fn room_in(bytes: &[u8], container: &Container) -> Span {
    let inside = Span::new(container.span.start + 1, container.span.end.saturating_sub(1));
    // An object without members may contain a comment: it is kept, before the new member.
    if inside.of(bytes).iter().all(u8::is_ascii_whitespace) {
        inside
    } else {
        Span::new(inside.end, inside.end)
    }
}

/// Wraps a value in objects for the part of the path that does not exist yet.
fn wrap(path: &[&str], value: &[u8]) -> Vec<u8> {
    path.iter().rev().fold(value.to_vec(), |inner, name| {
        [b"{\n  ".as_slice(), &quote(name), b": ", &fit(&inner, b"  ", b"\n"), b"\n}"].concat()
    })
}

/// Indents every line of `value` but the first, and ends lines with `eol`.
pub(crate) fn fit(value: &[u8], indent: &[u8], eol: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(value.len());
    for (number, line) in value.split(|byte| *byte == b'\n').enumerate() {
        if number > 0 {
            out.extend_from_slice(eol);
            out.extend_from_slice(indent);
        }
        out.extend_from_slice(line);
    }
    out
}

/// Returns the white space directly before `first`, from `from` at the earliest.
fn blank_before(bytes: &[u8], from: usize, first: usize) -> Vec<u8> {
    let between = Span::new(from, first).of(bytes);
    let blank = between
        .iter()
        .rev()
        .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
        .count();
    between.get(between.len() - blank..).unwrap_or_default().to_vec()
}

/// Returns the indent of the line that contains `at`.
pub(crate) fn indent_at(bytes: &[u8], at: usize) -> Vec<u8> {
    let before = line_before(bytes, at);
    before.iter().copied().take_while(|byte| matches!(byte, b' ' | b'\t')).collect()
}

/// Returns the part of the line before `at`; empty if the line starts too far before it.
///
/// Without the limit, each of many edits in one long line would search for its start.
pub(super) fn line_before(bytes: &[u8], at: usize) -> &[u8] {
    const MAX_DISTANCE: usize = 4096;
    let before = bytes.get(..at).unwrap_or_default();
    let near = before.get(before.len().saturating_sub(MAX_DISTANCE)..).unwrap_or_default();
    match memchr::memrchr(b'\n', near) {
        Some(newline) => near.get(newline + 1..).unwrap_or_default(),
        None if near.len() == before.len() => near,
        None => b"",
    }
}

/// Returns the line ending of the first line.
pub(crate) fn eol_of(bytes: &[u8]) -> &'static [u8] {
    match memchr::memchr(b'\n', bytes) {
        Some(at) if at > 0 && bytes.get(at - 1) == Some(&b'\r') => b"\r\n",
        _ => b"\n",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, path: &[&str], value: &str, expected: &str) {
        let mut bytes = text.as_bytes().to_vec();
        let root = Span::new(0, bytes.len());
        set(&mut bytes, root, Dialect::Jsonc, path, value.as_bytes()).unwrap();
        assert_eq!(String::from_utf8(bytes).unwrap(), expected);
    }

    #[test]
    fn replaces_the_last_value_of_a_key() {
        check(r#"{"a":1,"a" : 2 }"#, &["a"], "3", r#"{"a":1,"a" : 3 }"#);
        check(
            r#"{"x":{"a":0},"s":"\"a\":1","a":1}"#,
            &["a"],
            "2",
            r#"{"x":{"a":0},"s":"\"a\":1","a":2}"#,
        );
        check(r#"{"\u0061": 1}"#, &["a"], "2", r#"{"\u0061": 2}"#);
        check("{\n  \"a\": null\n}", &["a", "b"], "2", "{\n  \"a\": {\n    \"b\": 2\n  }\n}");
    }

    #[test]
    fn adds_in_the_style_of_the_neighbours() {
        check("{\n\t\"a\": 1\n}", &["b"], "2", "{\n\t\"a\": 1,\n\t\"b\": 2\n}");
        check(
            "{\r\n  \"a\":1\r\n}",
            &["b"],
            "[\n  2\n]",
            "{\r\n  \"a\":1,\r\n  \"b\":[\r\n    2\r\n  ]\r\n}",
        );
        check(r#"{"a":1}"#, &["b"], "2", r#"{"a":1,"b":2}"#);
        check("{}", &["b"], "2", r#"{"b":2}"#);
        check("{\n}", &["b"], "2", "{\n  \"b\": 2\n}");
        check("{\n  \"a\": 1, // why\n}", &["b"], "2", "{\n  \"a\": 1,\n  \"b\": 2, // why\n}");
        check("{\n  // none\n}", &["b"], "2", "{\n  // none\n\n  \"b\": 2\n}");
    }

    #[test]
    fn appends_to_arrays() {
        let mut bytes = b"{\n  \"m\": []\n}".to_vec();
        let array = Span::new(9, 11);
        append(&mut bytes, array, Dialect::Json, b"{\n  \"a\": 1\n}").unwrap();
        assert_eq!(bytes, b"{\n  \"m\": [\n    {\n      \"a\": 1\n    }\n  ]\n}");
        let array = Span::new(9, bytes.len() - 2);
        append(&mut bytes, array, Dialect::Json, b"2").unwrap();
        assert_eq!(bytes, b"{\n  \"m\": [\n    {\n      \"a\": 1\n    },\n    2\n  ]\n}");
    }

    #[test]
    fn a_form_feed_in_a_comment_is_not_white_space() {
        let mut bytes = b"[\n  1, // one \x0c\n  2\n]".to_vec();
        let span = Span::new(0, bytes.len());
        append(&mut bytes, span, Dialect::Jsonc, b"3").unwrap();
        assert_eq!(bytes, b"[\n  1, // one \x0c\n  2,\n  3\n]");
        crate::json::validate(&bytes, Dialect::Jsonc).unwrap();
    }
}
