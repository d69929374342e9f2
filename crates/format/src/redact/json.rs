//! Secrets in the values of a JSON document.

use std::borrow::Cow;

use super::{MARK, find};
use crate::json::{Dialect, Reader, Str, quote};
use crate::span::Span;

/// Takes secrets out of every text of a JSON document, however deep; its keys stay.
///
/// A key tells what its value is: behind `"password":` a text is a secret that it would not be elsewhere. What is no
/// JSON is left as it is.
pub fn redact_json(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut out = Vec::new();
    let (mut kept, mut from) = (0, 0);
    let mut key = String::new();
    while let Some(text) = next_string(bytes, from) {
        from = text.span.end;
        if is_key(bytes, from) {
            key = text.to_text(bytes);
            continue;
        }
        let said = text.decode(bytes).text;
        if let Some(clean) = redact_value(&key, &said) {
            out.extend_from_slice(Span::new(kept, text.span.start).of(bytes));
            out.extend(quote(&clean));
            kept = text.span.end;
        }
    }
    if kept == 0 {
        return Cow::Borrowed(bytes);
    }
    out.extend_from_slice(Span::new(kept, bytes.len()).of(bytes));
    Cow::Owned(out)
}

/// Returns the string that begins at or behind `from`, which is not inside of one.
fn next_string(bytes: &[u8], from: usize) -> Option<Str> {
    let at = from + memchr::memchr(b'"', bytes.get(from..)?)?;
    Reader::new(bytes, Span::new(at, bytes.len()), Dialect::Json).string().ok()
}

fn is_key(bytes: &[u8], behind: usize) -> bool {
    let rest = bytes.get(behind..).unwrap_or_default();
    rest.trim_ascii_start().first() == Some(&b':')
}

/// Returns a value without its secrets, where it has some.
fn redact_value(key: &str, value: &str) -> Option<String> {
    // The words are read as they would stand in the file, so that the key counts.
    let lead = format!("\"{key}\": \"");
    let line = format!("{lead}{value}\"");
    let end = lead.len() + value.len();
    let mut out = String::new();
    let mut from = lead.len();
    for secret in find(&line) {
        let span = Span::new(secret.span.start.max(from), secret.span.end.min(end));
        if span.start >= span.end {
            continue;
        }
        out.push_str(line.get(from..span.start)?);
        out.push_str(MARK);
        out.push_str(secret.rule);
        out.push(']');
        from = span.end;
    }
    if from == lead.len() {
        return None;
    }
    out.push_str(line.get(from..end)?);
    Some(out)
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
    fn values_lose_their_secrets_at_any_depth_and_keys_stay() {
        let token = ["ghp_abcdefghijklmnopqrst", "0123456789abcdef"].concat();
        check(
            &format!(r#"{{"a":[{{"b" : "x {token} y"}}], "{token}": 1, "c":"\u00e9"}}"#),
            &format!(
                r#"{{"a":[{{"b" : "x [REDACTED:github-token] y"}}], "{token}": 1, "c":"\u00e9"}}"#
            ),
        );
    }

    #[test]
    fn a_key_tells_that_its_value_is_a_secret() {
        let value = ["hunter", "2hunter2"].concat();
        check(
            &format!(r#"{{"db_password": "{value}", "note": "{value}"}}"#),
            &format!(r#"{{"db_password": "[REDACTED:assignment]", "note": "{value}"}}"#),
        );
    }

    #[test]
    fn what_is_clean_keeps_its_bytes() {
        let clean = r#"{ "a" : "\u0041 \/ b", "sha": "9fceb02d0ae598e95dc970b74767f19372d61af8" }"#;
        check(clean, clean);
    }
}
