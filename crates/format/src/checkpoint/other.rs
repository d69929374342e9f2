//! Values of a checkpoint that the format does not define.

use super::{CheckpointDoc, Layout};
use crate::json::{self, Dialect, JsonKind, Reader, Str, SyntaxError};
use crate::span::Span;

/// Maximum length of an object or a mixed list; texts and lists of texts are not cut.
const MAX_LEN: usize = 4000;

/// A member that is neither a field of [`Checkpoint`](super::Checkpoint) nor one of its lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Other {
    /// Its name, prefixed with that of its object: `decisions`, `git.pr`.
    pub name: String,
    pub value: OtherValue,
}

/// The value of an unknown member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OtherValue {
    /// A text.
    Text(String),
    /// A list of texts.
    List(Vec<String>),
    /// Any other value, as JSON on one line; a long one is cut.
    Json(String),
}

/// The known members: of the top level, and of the objects in it.
pub(super) const TOP: &[&str] = &[
    "thread_id",
    "version",
    "type",
    "created_at",
    "updated_at",
    "workspace_root",
    "cwd",
    "conversation_summary",
    "session_id",
    "recent_commits",
    "files_touched",
    "next_steps",
    "git",
    "worker",
    "metadata",
];
pub(super) const GIT: &[&str] =
    &["branch", "remote_url", "initial_commit", "current_commit", "commits_made", "dirty"];
pub(super) const WORKER: &[&str] = &["id", "skill", "state", "started_at", "completed_at"];
pub(super) const METADATA: &[&str] = &["title", "trigger", "tags"];

/// Returns whether a name is one of the known members.
pub(super) fn is_known(known: &[&str], name: &[u8]) -> bool {
    known.iter().any(|known| known.as_bytes() == name)
}

impl CheckpointDoc {
    /// Returns the unknown members of the top level and of `git`, `worker` and `metadata`, in their order.
    ///
    /// A member that repeats a known value under an older name is left out.
    pub fn others(&self) -> Vec<Other> {
        let Layout { root: Some(root), has_others: true, .. } = self.layout else {
            return Vec::new();
        };
        let mut found = Vec::new();
        json::for_each_member(&self.bytes, root, |reader, key| {
            let known = match key.name(&self.bytes).as_ref() {
                b"git" => GIT,
                b"worker" => WORKER,
                b"metadata" => METADATA,
                name if is_known(TOP, name) => return Ok(()),
                _ => return self.other(reader, None, key, &mut found),
            };
            if reader.peek()? != JsonKind::Object {
                return self.other(reader, None, key, &mut found);
            }
            reader.object(|reader, inner| match is_known(known, &inner.name(&self.bytes)) {
                true => Ok(()),
                false => self.other(reader, Some(key), inner, &mut found),
            })?;
            Ok(())
        });
        found
    }

    fn other(
        &self,
        reader: &mut Reader<'_>,
        within: Option<Str>,
        key: Str,
        found: &mut Vec<Other>,
    ) -> Result<(), SyntaxError> {
        let Some(value) = value(reader, &self.bytes)? else { return Ok(()) };
        let text = |key: Str| key.decode(&self.bytes).text;
        let name = match within {
            Some(within) => format!("{}.{}", text(within), text(key)),
            None => text(key).into_owned(),
        };
        let is_repeated =
            self.known_text(&name).is_some_and(|text| OtherValue::Text(text.to_owned()) == value);
        if !is_repeated {
            found.push(Other { name, value });
        }
        Ok(())
    }

    /// Returns the known value for the older name of a member.
    fn known_text(&self, name: &str) -> Option<&str> {
        let head = &self.layout.head;
        match name {
            "task_id" => head.id.as_deref(),
            "summary" => head.summary.as_deref(),
            "title" => head.title.as_deref(),
            "metadata.session_id" => head.session_id.as_deref(),
            "git.commit" => head.git.as_ref()?.current_commit.as_deref(),
            _ => None,
        }
    }
}

/// Reads a value; none if it is empty.
fn value(reader: &mut Reader<'_>, bytes: &[u8]) -> Result<Option<OtherValue>, SyntaxError> {
    match reader.peek()? {
        JsonKind::Null => reader.skip().map(|_| None),
        JsonKind::String => {
            let text = reader.string()?.to_text(bytes);
            Ok(Some(text).filter(|text| !text.trim().is_empty()).map(OtherValue::Text))
        }
        JsonKind::Array => {
            let mut texts = Vec::new();
            let mut all = true;
            let span = reader.array(|reader| {
                match reader.string_or_skip()? {
                    Some(text) => texts.push(text.to_text(bytes)),
                    None => all = false,
                }
                Ok(())
            })?;
            let list =
                if all { OtherValue::List(texts) } else { OtherValue::Json(line(bytes, span)) };
            Ok(Some(list).filter(|list| *list != OtherValue::List(Vec::new())))
        }
        _ => {
            let span = reader.skip()?;
            Ok(Some(line(bytes, span)).filter(|text| text != "{}").map(OtherValue::Json))
        }
    }
}

/// Returns a value on one line, with decoded texts, cut after `MAX_LEN`.
pub(super) fn line(bytes: &[u8], span: Span) -> String {
    let mut out = String::new();
    let mut at = span.start;
    while let Some(&byte) = bytes.get(at).filter(|_| at < span.end) {
        if out.len() > MAX_LEN {
            out.push('\u{2026}');
            break;
        }
        let rest = Span::new(at, span.end);
        // Escapes are decoded, so that secrets in the line are found.
        if byte == b'"'
            && let Ok(text) = Reader::new(bytes, rest, Dialect::Json).string()
        {
            out.push('"');
            let room = MAX_LEN.saturating_sub(out.len());
            out.extend(text.to_text(bytes).chars().take(room));
            out.push('"');
            at = text.span.end;
            continue;
        }
        match byte {
            b',' | b':' => out.extend([char::from(byte), ' ']),
            byte if byte.is_ascii_whitespace() => {}
            byte => out.push(char::from(byte)),
        }
        at += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::CheckpointFileKind;
    use super::*;

    #[track_caller]
    fn check(json: &str, expected: &str) {
        let doc =
            CheckpointDoc::parse(json.as_bytes().to_vec(), "T-1", CheckpointFileKind::Thread).0;
        let show = |other: Other| match other.value {
            OtherValue::Text(text) | OtherValue::Json(text) => format!("{}={text}", other.name),
            OtherValue::List(list) => format!("{}=[{}]", other.name, list.join("|")),
        };
        let shown: Vec<String> = doc.others().into_iter().map(show).collect();
        assert_eq!(shown.join("\n"), expected, "{json}");
    }

    #[test]
    fn unknown_members_are_listed_by_name() {
        check(r#"{"thread_id": "T-1", "type": "checkpoint", "metadata": {"tags": ["a"]}}"#, "");
        check(
            r#"{"decisions": ["One.", "Two."], "notes": "n", "count": 3}"#,
            "decisions=[One.|Two.]\nnotes=n\ncount=3",
        );
        check(
            r#"{"git": {"branch": "m", "pr": 12}, "worker": {"error": "boom"}}"#,
            "git.pr=12\nworker.error=boom",
        );
        check(
            r#"{"metadata": {"previous_handoff": {"id": "T-0", "by": [1, null]}}}"#,
            r#"metadata.previous_handoff={"id": "T-0", "by": [1, null]}"#,
        );
        check(
            r#"{"git": "main", "insights": ["a", 1], "x": null, "y": "", "z": []}"#,
            "git=main\ninsights=[\"a\", 1]",
        );
    }

    #[test]
    fn a_value_repeated_under_an_older_name_is_left_out() {
        check(r#"{"task_id": "T-1", "summary": "s", "title": "t", "git": {"commit": "a1"}}"#, "");
        check(
            r#"{"thread_id": "T-1", "task_id": "X-9", "conversation_summary": "s", "summary": "other"}"#,
            "task_id=X-9\nsummary=other",
        );
    }

    #[test]
    fn deep_and_long_values_are_truncated() {
        let deep = format!("{{\"x\": {}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
        let long = format!("{{\"x\": {{\"a\": \"{}\", \"b\": 1}}}}", "\u{e9}".repeat(100_000));
        for json in [deep, long] {
            let (doc, found) =
                CheckpointDoc::parse(json.into_bytes(), "T-1", CheckpointFileKind::Thread);
            for other in doc.others() {
                let OtherValue::Json(text) = other.value else { panic!("not JSON text") };
                assert!(text.chars().count() <= MAX_LEN + 4 && text.ends_with('\u{2026}'));
            }
            assert!(doc.head().usable || !found.is_empty());
        }
    }
}
