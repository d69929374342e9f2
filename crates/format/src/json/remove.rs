//! Edits that remove a value with its comma and white space.

use super::reader::{Dialect, JsonKind, Reader, SyntaxError};
use crate::span::{Span, splice};

/// The text around the value that is removed.
struct Place {
    container: Span,
    /// The end of the value before it.
    before: Option<usize>,
    /// The value itself, with its key if it has one.
    item: Span,
    /// The start of the value after it.
    after: Option<usize>,
}

/// Removes the member at `path` in the object at `root`; true if there was one.
///
/// Of several members with the same name, the last one is removed. Comments stay. Removing a member
/// that [`set`](super::set) added restores the previous text, but an object that becomes empty is
/// left as `{}`.
pub fn remove(
    bytes: &mut Vec<u8>,
    root: Span,
    dialect: Dialect,
    path: &[&str],
) -> Result<bool, SyntaxError> {
    let Some((name, parents)) = path.split_last() else { return Ok(false) };
    let mut span = root;
    for parent in parents {
        match super::member(bytes, span, dialect, parent)? {
            Some(found) => span = found.value,
            None => return Ok(false),
        }
    }
    let mut place = Finder::new();
    let mut reader = Reader::new(bytes, span, dialect);
    if reader.peek()? != JsonKind::Object {
        return Ok(false);
    }
    let container = reader.object(|reader, key| {
        let value = reader.skip()?;
        place.visit(Span::new(key.span.start, value.end), key.is(bytes, name));
        Ok(())
    })?;
    place.cut(bytes, container, dialect)
}

/// Removes the element at `index` of the array at `span`; true if there was one.
///
/// Comments stay. An array that becomes empty is left as `[]`.
pub fn remove_element(
    bytes: &mut Vec<u8>,
    span: Span,
    dialect: Dialect,
    index: usize,
) -> Result<bool, SyntaxError> {
    let mut place = Finder::new();
    let mut reader = Reader::new(bytes, span, dialect);
    if reader.peek()? != JsonKind::Array {
        return Ok(false);
    }
    let mut count = 0;
    let container = reader.array(|reader| {
        place.visit(reader.skip()?, count == index);
        count += 1;
        Ok(())
    })?;
    place.cut(bytes, container, dialect)
}

/// Finds the last wanted value and its neighbours.
struct Finder {
    last: Option<usize>,
    found: Option<(Option<usize>, Span)>,
    after: Option<usize>,
}

impl Finder {
    fn new() -> Self {
        Self { last: None, found: None, after: None }
    }

    fn visit(&mut self, item: Span, wanted: bool) {
        if wanted {
            self.found = Some((self.last, item));
            self.after = None;
        } else if self.after.is_none() {
            self.after = Some(item.start);
        }
        self.last = Some(item.end);
    }

    fn cut(
        self,
        bytes: &mut Vec<u8>,
        container: Span,
        dialect: Dialect,
    ) -> Result<bool, SyntaxError> {
        let Some((before, item)) = self.found else { return Ok(false) };
        cut(bytes, &Place { container, before, item, after: self.after }, dialect)?;
        Ok(true)
    }
}

fn cut(bytes: &mut Vec<u8>, place: &Place, dialect: Dialect) -> Result<(), SyntaxError> {
    let Place { container, before, item, after } = *place;
    let only_comma = |span: Span| {
        let solid = |byte: &&u8| !byte.is_ascii_whitespace();
        span.of(bytes).iter().filter(solid).eq(b",")
    };
    match (before, after) {
        (Some(before), _) if only_comma(Span::new(before, item.start)) => {
            splice(bytes, Span::new(before, item.end), b"");
        }
        (None, Some(after)) if only_comma(Span::new(item.end, after)) => {
            splice(bytes, Span::new(item.start, after), b"");
        }
        _ => {
            let close = container.end.saturating_sub(1);
            let own = comma(bytes, Span::new(item.end, close), dialect)?;
            let earlier = match (own, before) {
                (None, Some(before)) => comma(bytes, Span::new(before, item.start), dialect)?,
                _ => None,
            };
            // Edits are made from the end to the start, so that the remaining offsets stay valid.
            let mut close = close;
            if let Some(at) = own {
                splice(bytes, Span::new(at, at + 1), b"");
                close -= 1;
            }
            let is_only = before.is_none() && after.is_none();
            let removed =
                if is_only { only_item(bytes, container.start + 1, item, close) } else { None };
            splice(bytes, removed.unwrap_or_else(|| with_line(bytes, item)), b"");
            if let Some(at) = earlier {
                splice(bytes, Span::new(at, at + 1), b"");
            }
        }
    }
    Ok(())
}

/// Returns the span to remove with the only value of a container, if that is more than its own line.
fn only_item(bytes: &[u8], open: usize, item: Span, close: usize) -> Option<Span> {
    let blank = |span: Span| span.of(bytes).iter().all(u8::is_ascii_whitespace);
    if !blank(Span::new(item.end, close)) {
        return None;
    }
    if blank(Span::new(open, item.start)) {
        return Some(Span::new(open, close));
    }
    // A comment is before it. The end of the comment's line stays.
    let lead = lead(bytes, item.start);
    let last = memchr::memrchr(b'\n', lead.of(bytes))?;
    memchr::memchr(b'\n', lead.of(bytes).get(..last)?)?;
    let start = lead.start + last;
    let start = if bytes.get(start.saturating_sub(1)) == Some(&b'\r') { start - 1 } else { start };
    Some(Span::new(start, close))
}

/// Returns a value with the white space before it, unless the rest of its line would join the previous line.
fn with_line(bytes: &[u8], item: Span) -> Span {
    let lead = lead(bytes, item.start);
    let breaks = lead.of(bytes).contains(&b'\n');
    match bytes.get(item.end) {
        Some(b'\n' | b'\r') => Span::new(lead.start, item.end),
        _ if breaks => item,
        _ => Span::new(lead.start, item.end),
    }
}

/// Returns the white space that ends at `at`.
fn lead(bytes: &[u8], at: usize) -> Span {
    let before = bytes.get(..at).unwrap_or_default();
    let blank = before.iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
    Span::new(at - blank, at)
}

/// Returns the position of a comma, if only white space and comments are before it.
fn comma(bytes: &[u8], span: Span, dialect: Dialect) -> Result<Option<usize>, SyntaxError> {
    let mut reader = Reader::new(bytes, span, dialect);
    Ok((reader.next_non_blank()? == Some(b',')).then(|| reader.position()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, path: &[&str], expected: &str) {
        let mut bytes = text.as_bytes().to_vec();
        let root = Span::new(0, bytes.len());
        let found = remove(&mut bytes, root, Dialect::Jsonc, path).unwrap();
        assert_eq!(String::from_utf8(bytes).unwrap(), expected);
        assert_eq!(found, text != expected);
    }

    #[track_caller]
    fn check_element(text: &str, index: usize, expected: &str) {
        let mut bytes = text.as_bytes().to_vec();
        let span = Span::new(0, bytes.len());
        let found = remove_element(&mut bytes, span, Dialect::Jsonc, index).unwrap();
        assert_eq!(String::from_utf8(bytes).unwrap(), expected);
        assert_eq!(found, text != expected);
    }

    #[test]
    fn removes_the_comma_too() {
        check(r#"{"a":1,"b":2,"c":3}"#, &["a"], r#"{"b":2,"c":3}"#);
        check(r#"{"a":1,"b":2,"c":3}"#, &["b"], r#"{"a":1,"c":3}"#);
        check(r#"{"a":1, "b":2}"#, &["b"], r#"{"a":1}"#);
        check("{\n  \"a\": 1,\n  \"b\": 2\n}", &["b"], "{\n  \"a\": 1\n}");
        check("{\n  \"a\": 1,\n  \"b\": 2\n}", &["a"], "{\n  \"b\": 2\n}");
        check("{\r\n\t\"a\": 1,\r\n\t\"b\": 2,\r\n}", &["b"], "{\r\n\t\"a\": 1,\r\n}");
        check("{\n  \"a\": 1,\n}", &["a"], "{}");
        check("{ \"a\": 1 }", &["a"], "{}");
        check(r#"{"a":{"b":1,"c":2},"b":3}"#, &["a", "b"], r#"{"a":{"c":2},"b":3}"#);
        check(r#"{"a":1,"a":2}"#, &["a"], r#"{"a":1}"#);
    }

    #[test]
    fn missing_values_change_nothing() {
        for path in [&["x"][..], &["a", "x"], &["b", "x"], &[]] {
            let text = r#"{"a":{"b":1},"b":[{"x":1}]}"#;
            check(text, path, text);
        }
        check("[1]", &["a"], "[1]");
        check_element("[1]", 1, "[1]");
        check_element("{}", 0, "{}");
    }

    #[test]
    fn keeps_comments() {
        check("{\n  \"a\": 1, // why\n  \"b\": 2\n}", &["b"], "{\n  \"a\": 1 // why\n}");
        check("{\n  \"a\": 1, // why\n  \"b\": 2,\n}", &["b"], "{\n  \"a\": 1, // why\n}");
        check("{\n  \"a\": 1, // why\n  \"b\": 2\n}", &["a"], "{\n   // why\n  \"b\": 2\n}");
        check(
            "{\n  \"a\": 1, // why\n  \"b\": 2, \"c\": 3\n}",
            &["b"],
            "{\n  \"a\": 1, // why\n   \"c\": 3\n}",
        );
        check("{ // why\n  \"b\": 2\n}", &["b"], "{ // why\n}");
        check("{ // why\n  \"b\": 2 }", &["b"], "{ // why\n   }");
        check("{\n  // why\n\n  \"b\": 2\n}", &["b"], "{\n  // why\n}");
        check("{ /* why */ \"b\": 2 /* so */ , }", &["b"], "{ /* why */ /* so */  }");
    }

    #[test]
    fn removes_elements() {
        check_element("[1, 2, 3]", 0, "[2, 3]");
        check_element("[1, 2, 3]", 1, "[1, 3]");
        check_element("[\n  1,\n  2\n]", 1, "[\n  1\n]");
        check_element("[\n  1\n]", 0, "[]");
        check_element("[1 // one\n, 2]", 0, "[ // one\n 2]");
    }
}
