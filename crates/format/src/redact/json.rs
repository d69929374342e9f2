//! Secrets in JSON documents.

use std::borrow::Cow;

use super::{SecretSpan, find, replaced};
use crate::json::{Dialect, Reader, Str, quote};
use crate::span::Span;

/// Replaces secrets in every text of a JSON document, at any depth, and in the keys.
///
/// A key is the context of its value: after `"password":`, a text is a secret that it would not be elsewhere. Keys that
/// become equal are numbered. Bytes outside of strings stay.
pub fn redact_json(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut out = Vec::new();
    let (mut kept, mut from) = (0, 0);
    let mut key = String::new();
    let mut keys: Vec<String> = Vec::new();
    while let Some(text) = next_string(bytes, from) {
        from = text.span.end;
        let clean = if is_key(bytes, from) {
            key = text.to_text(bytes);
            match replaced(&key, find).map(|clean| numbered(&clean, &mut keys)) {
                Some(clean) => {
                    key.clone_from(&clean);
                    clean
                }
                None => continue,
            }
        } else {
            let value = text.decode(bytes).text;
            match replaced(&value, |value| find_with_key(&key, value)) {
                Some(clean) => clean,
                None => continue,
            }
        };
        out.extend_from_slice(Span::new(kept, text.span.start).of(bytes));
        out.extend(quote(&clean));
        kept = text.span.end;
    }
    if kept == 0 {
        return Cow::Borrowed(bytes);
    }
    out.extend_from_slice(Span::new(kept, bytes.len()).of(bytes));
    Cow::Owned(out)
}

/// Returns the key, or the key with a number if another one became equal.
fn numbered(key: &str, keys: &mut Vec<String>) -> String {
    let count = keys.iter().filter(|known| *known == key).count();
    keys.push(key.to_owned());
    if count == 0 { key.to_owned() } else { format!("{key} {}", count + 1) }
}

/// Returns the first string at or after `from`, which must not be inside of a string.
fn next_string(bytes: &[u8], from: usize) -> Option<Str> {
    let at = from + memchr::memchr(b'"', bytes.get(from..)?)?;
    Reader::new(bytes, Span::new(at, bytes.len()), Dialect::Json).string().ok()
}

fn is_key(bytes: &[u8], end: usize) -> bool {
    let rest = bytes.get(end..).unwrap_or_default();
    rest.trim_ascii_start().first() == Some(&b':')
}

/// Finds the secrets of a value in the context of its key.
fn find_with_key(key: &str, value: &str) -> Vec<SecretSpan> {
    let quote = ['"', '\'', '`'].into_iter().find(|quote| !value.contains(*quote));
    let lead = format!("\"{key}\": {}", quote.map(String::from).unwrap_or_default());
    let line = format!("{lead}{value}{}", quote.map(String::from).unwrap_or_default());
    let end = lead.len() + value.len();
    let inside = |found: SecretSpan| {
        let span = Span::new(found.span.start.max(lead.len()), found.span.end.min(end));
        let is_inside = span.start < span.end && value.is_char_boundary(span.start - lead.len());
        is_inside.then(|| SecretSpan {
            span: Span::new(span.start - lead.len(), span.end - lead.len()),
            ..found
        })
    };
    find(&line).into_iter().filter_map(inside).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(json: &str, expected: &str) {
        let once = redact_json(json.as_bytes()).into_owned();
        assert_eq!(String::from_utf8_lossy(&once), expected);
        assert_eq!(redact_json(&once).as_ref(), once);
    }

    #[test]
    fn redacts_texts_at_any_depth() {
        let token = ["ghp_abcdefghijklmnopqrst", "0123456789abcdef"].concat();
        check(
            &format!(r#"{{"a":[{{"b" : "x {token} y"}}], "c":"\u00e9"}}"#),
            r#"{"a":[{"b" : "x [REDACTED:github-token] y"}], "c":"\u00e9"}"#,
        );
    }

    #[test]
    fn redacts_keys_and_keeps_them_distinct() {
        let token = ["ghp_abcdefghijklmnopqrst", "0123456789abcdef"].concat();
        check(
            &format!(r#"{{"{token}": 1, "{token}": [2], "x {token}": "{token}"}}"#),
            r#"{"[REDACTED:github-token]": 1, "[REDACTED:github-token] 2": [2], "x [REDACTED:github-token]": "[REDACTED:github-token]"}"#,
        );
    }

    #[test]
    fn redacts_a_value_because_of_its_key() {
        let value = ["hunter", "2hunter2"].concat();
        check(
            &format!(r#"{{"db_password": "{value}", "note": "{value}"}}"#),
            &format!(r#"{{"db_password": "[REDACTED:assignment]", "note": "{value}"}}"#),
        );
        let quotes = ["p\\\"", "4ss'w0rd"].concat();
        check(
            &format!(r#"{{"password": "{quotes}", "Authorization": "Token {value}"}}"#),
            r#"{"password": "[REDACTED:assignment]", "Authorization": "Token [REDACTED:authorization]"}"#,
        );
    }

    #[test]
    fn text_without_secrets_keeps_its_bytes() {
        let clean = r#"{ "a" : "\u0041 \/ b", "sha": "9fceb02d0ae598e95dc970b74767f19372d61af8" }"#;
        check(clean, clean);
    }
}
