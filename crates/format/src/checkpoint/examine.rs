//! Further checks of a checkpoint, which only `doctor` reports.

use std::collections::HashSet;

use super::{CheckpointFileKind, CheckpointRef};
use crate::diagnostic::{Code, Diagnostic, DiagnosticList, brief};
use crate::id::CheckpointId;
use crate::json::{self, Dialect, JsonKind, Reader, SyntaxError};
use crate::time::Time;

/// How far the clock of another machine may be ahead, in milliseconds.
const CLOCK_SKEW: i64 = 24 * 3_600_000;

/// Finds times that cannot be right, and keys that an object has twice.
///
/// Readers do not need these: they clamp times to the present, and use the last of two keys. A file that is not a
/// checkpoint has no diagnostics here.
pub fn examine(bytes: &[u8], stem: &str, now: Time) -> Vec<Diagnostic> {
    let mut findings = DiagnosticList::default();
    let head = CheckpointRef::parse(bytes, stem, CheckpointFileKind::Thread).0.into_head();
    if !head.usable {
        return Vec::new();
    }
    if CheckpointId::parse(stem).is_some_and(|id| id.has_bad_time()) {
        let message = "the date or time in the file's name does not exist";
        findings.push(Code::CheckpointIdTime, None, message);
    }
    let (created, updated) = (head.created_at, head.updated_at);
    for (name, at) in [("created_at", created), ("updated_at", updated)] {
        let ahead = at.map_or(0, |at| at.as_millis().saturating_sub(now.as_millis()));
        if ahead > CLOCK_SKEW {
            findings.push(Code::CheckpointFuture, None, format!("`{name}` is in the future"));
        }
    }
    if created.zip(updated).is_some_and(|(created, updated)| updated < created) {
        let message = "`updated_at` is before `created_at`";
        findings.push(Code::CheckpointTimeOrder, None, message);
    }
    // This cannot fail: the file was parsed above.
    let done = duplicate_keys(bytes, &mut findings);
    debug_assert!(done.is_ok());
    findings.into_list()
}

/// Checks the top-level object, and those in it and in its lists, three levels deep.
fn duplicate_keys(bytes: &[u8], findings: &mut DiagnosticList) -> Result<(), SyntaxError> {
    let mut objects = vec![json::content(bytes)];
    for depth in 0..3 {
        let mut inner = Vec::new();
        for span in objects {
            let mut known = HashSet::new();
            Reader::new(bytes, span, Dialect::Json).object(|reader, key| {
                if !known.insert(key.name(bytes)) {
                    let message = format!("the key `{}` appears twice", brief(&key.to_text(bytes)));
                    let at = (bytes, key.span.start);
                    findings.push_at(Code::CheckpointDuplicateKey, at, message);
                }
                match reader.peek()? {
                    JsonKind::Object => inner.push(reader.skip()?),
                    JsonKind::Array => drop(reader.array(|reader| {
                        let is_object = reader.peek()? == JsonKind::Object;
                        let span = reader.skip()?;
                        inner.extend(is_object.then_some(span));
                        Ok(())
                    })?),
                    _ => drop(reader.skip()?),
                }
                Ok(())
            })?;
        }
        objects = if depth < 2 { inner } else { Vec::new() };
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time;

    #[track_caller]
    fn check(stem: &str, text: &str, expected: &[&str]) {
        let now = time::parse("2026-01-23T14:30:00Z").unwrap().time;
        let found = examine(text.as_bytes(), stem, now);
        let found: Vec<String> = found.iter().map(|one| one.message.clone()).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn finds_impossible_times() {
        check("T-20261399-100000-x", "{}", &["the date or time in the file's name does not exist"]);
        check(
            "T-1",
            r#"{"created_at":"2026-01-23T10:00:00Z","updated_at":"2026-01-22T10:00:00Z"}"#,
            &["`updated_at` is before `created_at`"],
        );
        let ahead = r#"{"created_at":"2026-01-24T10:00:00Z","updated_at":"2027-01-22T10:00:00Z"}"#;
        check("T-1", ahead, &["`updated_at` is in the future"]);
        check("T-20260123-100000-x", r#"{"created_at":"2026-01-23T10:00:00Z"}"#, &[]);
    }

    #[test]
    fn finds_duplicate_keys_at_every_level_of_the_format() {
        let text = r#"{"type":"checkpoint","git":{"branch":"a","branch":"b"},"type":"handoff",
            "next_steps":[{"step":"x","step":"y"}]}"#;
        let reported =
            ["type", "branch", "step"].map(|key| format!("the key `{key}` appears twice"));
        check("T-1", text, &reported.each_ref().map(String::as_str));
        check("T-1", r#"{"a":{"x":1},"b":{"x":1},"c":[{"x":1},{"x":1}]}"#, &[]);
        check("T-1", r#"{"a":1,"a":"#, &[]);
    }
}
