//! Resolves file names in SARIF.

use percent_encoding::percent_decode_str;
use serde_json::Value;

use super::value::{at, list, text};

/// Maximum number of nested base URIs; more are a cycle.
const MAX_DEPTH: usize = 8;

/// Returns the path of an artifact location; a relative path is relative to the root.
pub(super) fn path(run: &Value, location: &Value) -> Result<String, String> {
    resolve(run, location, MAX_DEPTH)
}

fn resolve(run: &Value, location: &Value, depth: usize) -> Result<String, String> {
    let Some(uri) = text(location, "/uri") else {
        let artifact = at(list(run, "/artifacts"), location, "/index");
        let other = artifact.and_then(|artifact| artifact.get("location")).filter(|_| depth > 0);
        return match other {
            Some(other) => resolve(run, other, depth - 1),
            None => Err("it does not name a file".to_owned()),
        };
    };
    let (path, whole) = plain(&uri)?;
    let base = text(location, "/uriBaseId").filter(|_| !whole);
    let base = base.and_then(|id| run.get("originalUriBaseIds")?.get(&id));
    let Some(base) =
        base.filter(|base| base.get("uri").is_some() || base.get("uriBaseId").is_some())
    else {
        return Ok(path);
    };
    if depth == 0 {
        return Err("the bases of the file's name form a cycle".to_owned());
    }
    let base = match base.get("uri") {
        Some(_) => resolve(run, base, depth - 1)?,
        None => String::new(),
    };
    let slash = if base.is_empty() || base.ends_with('/') { "" } else { "/" };
    Ok(format!("{base}{slash}{path}"))
}

/// Returns the path of a URI, and whether it is absolute.
fn plain(uri: &str) -> Result<(String, bool), String> {
    let scheme = uri.split_once(':').map(|(scheme, _)| scheme).filter(|scheme| is_scheme(scheme));
    match scheme {
        None => {
            Ok((percent_decode_str(uri).decode_utf8_lossy().into_owned(), uri.starts_with('/')))
        }
        Some(scheme) if scheme.eq_ignore_ascii_case("file") => {
            let rest = uri.get(scheme.len() + 1..).unwrap_or_default();
            let path = match rest.strip_prefix("//") {
                // The part before the path is a host.
                Some(rest) => match rest.split_once('/') {
                    Some(("" | "localhost", path)) => format!("/{path}"),
                    _ => return Err(format!("the file is on another machine: {uri}")),
                },
                None => rest.to_owned(),
            };
            Ok((percent_decode_str(&path).decode_utf8_lossy().into_owned(), true))
        }
        Some(_) => Err(format!("not the name of a file: {uri}")),
    }
}

/// Returns whether a text is a URI scheme. A single letter is a drive of Windows.
fn is_scheme(text: &str) -> bool {
    let rest = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    text.len() > 1
        && text.bytes().all(rest)
        && text.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(location: &str, expected: Result<&str, &str>) {
        let run = r#"{
            "artifacts": [{"location": {"uri": "lib/b.c"}}, {"location": {"index": 1}}],
            "originalUriBaseIds": {
                "ROOT": {"uri": "file:///w%20s/"}, "SRC": {"uri": "src", "uriBaseId": "ROOT"},
                "ANY": {"description": {"text": "somewhere"}}, "ME": {"uri": "x", "uriBaseId": "ME"}
            }
        }"#;
        let run = serde_json::from_str(run).unwrap();
        let got = path(&run, &serde_json::from_str(location).unwrap());
        let expected = expected.map(str::to_owned).map_err(str::to_owned);
        assert_eq!(got, expected, "{location}");
    }

    #[test]
    fn every_form_of_a_file_location_is_resolved() {
        check(r#"{"uri": "src/a%20b.rs"}"#, Ok("src/a b.rs"));
        check(r#"{"uri": "50%.rs"}"#, Ok("50%.rs"));
        check(r#"{"uri": "file:///w/a.rs"}"#, Ok("/w/a.rs"));
        check(r#"{"uri": "file://localhost/w/a.rs"}"#, Ok("/w/a.rs"));
        check(r#"{"uri": "file:/w/a.rs", "uriBaseId": "ROOT"}"#, Ok("/w/a.rs"));
        check(r#"{"uri": "a.rs", "uriBaseId": "ROOT"}"#, Ok("/w s/a.rs"));
        check(r#"{"uri": "a.rs", "uriBaseId": "SRC"}"#, Ok("/w s/src/a.rs"));
        check(r#"{"uri": "a.rs", "uriBaseId": "ANY"}"#, Ok("a.rs"));
        check(r#"{"uri": "a.rs", "uriBaseId": "nobody"}"#, Ok("a.rs"));
        check(r#"{"index": 0}"#, Ok("lib/b.c"));
        check(r#"{"index": 1}"#, Err("it does not name a file"));
        check(r#"{"index": 7}"#, Err("it does not name a file"));
        check(r#"{}"#, Err("it does not name a file"));
        check(
            r#"{"uri": "a.rs", "uriBaseId": "ME"}"#,
            Err("the bases of the file's name form a cycle"),
        );
        check(
            r#"{"uri": "https://example.org/a"}"#,
            Err("not the name of a file: https://example.org/a"),
        );
        check(
            r#"{"uri": "file://server/a"}"#,
            Err("the file is on another machine: file://server/a"),
        );
    }
}
