//! Merging two versions of a checkpoint.

use skein_format::checkpoint::merge;

const BASE: &str = r#"{
  "thread_id": "T-20260101-000000-x",
  "updated_at": "2026-01-01T10:00:00.000Z",
  "conversation_summary": "one",
  "files_touched": ["a", "b"],
  "next_steps": [
    "first",
    "second"
  ],
  "metadata": {"title": "t", "tags": ["x"]}
}
"#;

#[track_caller]
fn check(base: Option<&str>, ours: &str, theirs: &str, expected: &str) {
    let merged =
        merge(base.map(str::as_bytes), ours.as_bytes(), theirs.as_bytes(), "T-20260101-000000-x");
    let merged = merged.map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!(merged.as_deref(), Some(expected));
}

/// Merges two edits of the base, each a list of texts that are replaced by others.
#[track_caller]
fn check_edits(ours: &[(&str, &str)], theirs: &[(&str, &str)], expected: &[(&str, &str)]) {
    let edit = |edits: &[(&str, &str)]| {
        edits.iter().fold(BASE.to_owned(), |text, (old, new)| {
            assert!(text.contains(old), "{old}");
            text.replacen(old, new, 1)
        })
    };
    check(Some(BASE), &edit(ours), &edit(theirs), &edit(expected));
}

#[test]
fn a_change_of_one_side_is_taken() {
    check_edits(
        &[("\"one\"", "\"two\"")],
        &[("\"t\"", "\"title\"")],
        &[("\"one\"", "\"two\""), ("\"t\"", "\"title\"")],
    );
}

#[test]
fn of_two_conflicting_changes_the_later_one_wins() {
    let later = ("2026-01-01T10", "2026-01-01T12");
    let earlier = ("2026-01-01T10", "2026-01-01T11");
    check_edits(
        &[earlier, ("\"one\"", "\"ours\"")],
        &[later, ("\"one\"", "\"theirs\"")],
        &[later, ("\"one\"", "\"theirs\"")],
    );
    check_edits(
        &[later, ("\"one\"", "\"ours\"")],
        &[earlier, ("\"one\"", "\"theirs\"")],
        &[later, ("\"one\"", "\"ours\"")],
    );
}

#[test]
fn lists_are_merged_in_the_order_of_the_base_then_ours_then_theirs() {
    check_edits(
        &[("[\"a\", \"b\"]", "[\"o\", \"a\", \"b\"]")],
        &[("[\"a\", \"b\"]", "[\"a\", \"b\", \"t\"]")],
        &[("[\"a\", \"b\"]", "[\"a\", \"b\", \"o\", \"t\"]")],
    );
    check_edits(
        &[("    \"second\"\n", "    \"second\",\n    \"third\"\n")],
        &[("    \"second\"\n", "    \"second\",\n    \"fourth\"\n")],
        &[("    \"second\"\n", "    \"second\",\n    \"third\",\n    \"fourth\"\n")],
    );
}

#[test]
fn a_value_removed_by_one_side_is_removed_unless_the_other_changed_it() {
    check_edits(
        &[("[\"a\", \"b\"]", "[\"b\"]")],
        &[("[\"a\", \"b\"]", "[\"a\", \"b\", \"c\"]")],
        &[("[\"a\", \"b\"]", "[\"b\",\"c\"]")],
    );
    let closed = "{ \"id\": \"T-20260101-000000-x#1\", \"step\": \"first\", \"status\": \"done\" }";
    check_edits(
        &[("    \"first\",\n", "")],
        &[("\"first\"", closed)],
        &[
            ("\"first\"", closed),
            (",\n    \"second\"\n", "\n"),
            ("\n  ],", ",\n    \"second\"\n  ],"),
        ],
    );
    check_edits(
        &[("\"title\": \"t\", ", "")],
        &[("\"one\"", "\"two\"")],
        &[("\"title\": \"t\", ", ""), ("\"one\"", "\"two\"")],
    );
}

#[test]
fn a_closed_step_is_not_duplicated() {
    let closed = "{ \"id\": \"T-20260101-000000-x#1\", \"step\": \"first\", \"status\": \"done\" }";
    let dropped =
        "{ \"id\": \"T-20260101-000000-x#2\", \"step\": \"second\", \"status\": \"dropped\" }";
    check_edits(
        &[("\"first\"", closed)],
        &[("\"second\"", dropped)],
        &[("\"first\"", closed), ("\"second\"", dropped)],
    );
}

#[test]
fn the_time_and_author_of_closing_come_from_the_side_whose_status_wins() {
    let step = |updated: &str, step: &str| {
        format!("{{\"updated_at\": \"{updated}\", \"next_steps\": [{step}]}}")
    };
    let base = step("2026-01-01T10:00:00Z", r#"{"id": "1", "step": "s", "status": "open"}"#);
    let done = r#"{"id": "1", "step": "s", "status": "done", "closed_by": "a", "closed_at": "x"}"#;
    let dropped = r#"{"id": "1", "step": "s", "status": "dropped", "closed_by": "b"}"#;
    let (early, late) = ("2026-01-01T11:00:00Z", "2026-01-01T12:00:00Z");
    check(
        Some(&base),
        &step(early, done),
        &step(late, dropped),
        &step(late, r#"{"id": "1", "step": "s", "status": "dropped", "closed_by": "b"}"#),
    );
    check(Some(&base), &step(late, done), &step(early, dropped), &step(late, done));
}

#[test]
fn members_of_theirs_get_the_formatting_of_ours() {
    check(
        Some("{\r\n  \"a\": 1\r\n}"),
        "{\r\n  \"a\": 2\r\n}",
        "{\n\t\"a\": 1,\n\t\"b\": {\n\t\t\"c\": [\n\t\t\t1\n\t\t]\n\t}\n}",
        "{\r\n  \"a\": 2,\r\n  \"b\": {\r\n  \t\"c\": [\r\n  \t\t1\r\n  \t]\r\n  }\r\n}",
    );
    check(None, "{}", "{\"a\": [1]}", "{\"a\":[1]}");
    check(Some("{\n}"), "{\n}\n", "{\n  \"b\": 1\n}", "{\n  \"b\": 1\n}");
}

#[test]
fn without_a_base_nothing_is_removed() {
    check(
        None,
        "{\"a\": [1, 2], \"b\": 1}",
        "{\"a\": [2, 3], \"c\": 1}",
        "{\"a\": [1, 2, 3], \"b\": 1, \"c\": 1}",
    );
}

#[test]
fn an_invalid_checkpoint_is_not_merged() {
    let none = |base: Option<&[u8]>, ours: &[u8], theirs: &[u8]| {
        assert_eq!(merge(base, ours, theirs, "T-1"), None);
    };
    none(Some(b"{}"), b"{\"a\": 1}", b"<<<<<<<");
    none(Some(b"{}"), b"[]", b"{\"a\": 1}");
    none(Some(b"{}"), b"{\"version\": 2}", b"{\"a\": 1}");
    none(Some(b"{}"), b"", b"{\"a\": 1}");
}

#[test]
fn deep_and_large_checkpoints_are_merged() {
    let deep =
        |n: usize, leaf: &str| format!("{{\"a\":{}{leaf}{}}}", "{\"b\":".repeat(n), "}".repeat(n));
    let (base, ours, theirs) = (deep(20_000, "0"), deep(20_000, "1"), deep(20_000, "2"));
    let merged = merge(Some(base.as_bytes()), ours.as_bytes(), theirs.as_bytes(), "T-1");
    assert!(merged.as_deref() == Some(ours.as_bytes()), "the result is not ours");
    let many = |last: &str| {
        let same = vec!["\"same\""; 50_000].join(",");
        format!("{{\"files_touched\": [{same}, \"{last}\"]}}")
    };
    let merged =
        merge(Some(many("b").as_bytes()), many("o").as_bytes(), many("t").as_bytes(), "T-1");
    let text = String::from_utf8(merged.unwrap()).unwrap();
    assert!(
        text.ends_with("\"same\", \"o\", \"t\"]}") || text.ends_with("\"same\",\"o\", \"t\"]}"),
        "{}",
        &text[text.len() - 60..]
    );
}
