//! Unknown fields of a checkpoint, without secrets.

use skein_format::checkpoint::{self, CheckpointDoc};
use skein_format::redact::redacted;
use skein_model::view::{UnknownField, UnknownValue};

/// Maximum length of names, and of values that are neither texts nor lists of texts.
const NAME: usize = 100;
const JSON: usize = 2000;

/// Returns the fields that the format does not define.
pub fn others(doc: &CheckpointDoc) -> Vec<UnknownField> {
    let made = |other: checkpoint::Other| UnknownField {
        name: cut(redacted(other.name), NAME),
        value: match other.value {
            checkpoint::OtherValue::Text(text) => UnknownValue::Text(redacted(text)),
            checkpoint::OtherValue::List(list) => {
                UnknownValue::List(list.into_iter().map(redacted).collect())
            }
            checkpoint::OtherValue::Json(text) => UnknownValue::Text(cut_json(text)),
        },
    };
    doc.others().into_iter().map(made).collect()
}

/// Removes secrets from a value that is neither a text nor a list of texts, and truncates a long one.
pub fn cut_json(text: String) -> String {
    cut(redacted(text), JSON)
}

/// Returns the names and values of JSON as text, without its syntax.
///
/// Invalid or truncated JSON is accepted.
pub fn without_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut in_string = false;
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        match (in_string, character) {
            (_, '"') => in_string = !in_string,
            (true, '\\') => out.push(unescaped(&mut rest)),
            (false, '{' | '}' | '[' | ']') => {}
            (false, ':' | ',') => out.extend([character, ' ']),
            (false, space) if space.is_whitespace() && out.ends_with(' ') => {}
            _ => out.push(character),
        }
    }
    out
}

/// Decodes the escape sequence after a backslash.
fn unescaped(rest: &mut std::str::Chars<'_>) -> char {
    match rest.next() {
        Some('u') => {
            let digits: String = rest.by_ref().take(4).collect();
            let number = u32::from_str_radix(&digits, 16).ok();
            number.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER)
        }
        Some('n' | 'r' | 't' | 'b' | 'f') | None => ' ',
        Some(other) => other,
    }
}

fn cut(text: String, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}\u{2026}", text.get(..at).unwrap_or_default()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_shown_as_text() {
        let check = |json: &str, expected: &str| assert_eq!(without_json(json), expected);
        check(r#"{"last_thread": "T-1", "notes": ["x", 3]}"#, "last_thread: T-1, notes: x, 3");
        check(
            r#"{"a":"one\ntwo \"three\" C:\\d","b":null}"#,
            "a: one two \"three\" C:\\d, b: null",
        );
        check(r#"["caf\u00e9, [b]: {c}"]"#, "caf\u{e9}, [b]: {c}");
        check(r#"{"a": "cut of"#, "a: cut of");
        check(r#"{"a": "b\"#, "a: b ");
        check("no  JSON at all", "no JSON at all");
    }
}
