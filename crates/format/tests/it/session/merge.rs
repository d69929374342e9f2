//! Merging the map in memory with the map on disk.

use std::fmt::Write as _;

use skein_format::session::{MapEditError, MergeReason, MergeSide, MergedMap, Verdict};

use super::{entry, map, now, sound, text, written};

/// Merges entries, and checks the resulting file and the verdicts.
#[track_caller]
fn check(memory: &str, disk: &str, expected: &str, verdicts: &str) {
    let mut doc = sound(&map(disk));
    let merged = doc.merge(&sound(&map(memory)), now()).unwrap();
    let expected = if expected == disk { map(expected) } else { written(expected) };
    assert_eq!(text(&doc), expected);
    assert_eq!(show(&merged), verdicts);
    assert_eq!(merged.changed, expected != map(disk));
    let again = doc.merge(&sound(&map(memory)), now()).unwrap();
    assert!(!again.changed, "{}", text(&doc));
}

fn show(merged: &MergedMap) -> String {
    let mut out: Vec<String> = merged.verdicts.iter().map(verdict).collect();
    if merged.restored > 0 {
        out.push(format!("{} restored", merged.restored));
    }
    out.join("; ")
}

fn verdict(one: &Verdict) -> String {
    let won = match one.won {
        MergeSide::Memory => "memory",
        MergeSide::Disk => "disk",
    };
    let why = match one.reason {
        MergeReason::OnlyOne => "only",
        MergeReason::Equal => "equal",
        MergeReason::LaterActivity => "later",
        MergeReason::Tie => "tie",
    };
    let mut out = format!("{} {won} {why}", one.session_id);
    if one.ended_kept {
        out.push_str(", ended");
    }
    if let Some(root) = &one.other_root {
        write!(out, ", not {root}").unwrap();
    }
    if !one.filled.is_empty() {
        write!(out, ", filled {}", one.filled.join(" ")).unwrap();
    }
    out
}

/// An entry that is used only in lenient mode, with a time and other members.
fn one(id: &str, at: &str, more: &str) -> String {
    format!(r#"{{"sessionId":"{id}","threadRootPostId":"r","lastActivityAt":"{at}"{more}}}"#)
}

const EARLY: &str = "2026-01-15T14:00:00.000Z";
const LATE: &str = "2026-01-15T15:00:00.000Z";

#[test]
fn the_later_activity_wins() {
    let (old, new) = (one("a", EARLY, r#","x":1"#), one("a", LATE, r#","x":2"#));
    check(&new, &old, &new, "a memory later");
    check(&old, &new, &new, "a disk later");
}

#[test]
fn times_are_compared_as_instants() {
    let offset = one("a", "2026-01-15T16:30:00+02:00", r#","x":1"#);
    let utc = one("a", EARLY, r#","x":2"#);
    check(&utc, &offset, &offset, "a disk later");
    let same = one("a", "2026-01-15T14:00Z", r#","x":1"#);
    check(&utc, &same, &utc, "a memory tie");
}

#[test]
fn memory_wins_a_tie_and_against_a_time_that_cannot_be_read() {
    let (memory, disk) = (one("a", EARLY, r#","x":1"#), one("a", EARLY, r#","x":2"#));
    check(&memory, &disk, &memory, "a memory tie");
    let odd = one("a", "soon", r#","x":3"#);
    check(&memory, &odd, &memory, "a memory later");
    check(&odd, &disk, &disk, "a disk later");
    let odder = one("a", "later", r#","x":4"#);
    check(&odd, &odder, &odd, "a memory tie");
}

#[test]
fn entries_of_only_one_side_are_kept() {
    let memory = [entry("b", "m", "15:00"), entry("c", "m", "13:00")].join(",");
    let disk = [entry("a", "d", "14:00"), entry("b", "d", "14:00")].join(",");
    let expected = [entry("a", "d", "14:00"), entry("b", "m", "15:00"), entry("c", "m", "13:00")];
    check(&memory, &disk, &expected.join(","), "a disk only; b memory later; c memory only");
}

#[test]
fn fields_that_only_the_losing_side_has_are_kept() {
    let memory = one("a", LATE, r#","x":{"y":[1]},"status":"active""#);
    let disk = one("a", EARLY, r#","z":1.0,"sessionTitle":"t","shortId":7"#);
    check(
        &memory,
        &disk,
        &one(
            "a",
            LATE,
            r#","z":1.0,"sessionTitle":"t","shortId":7,"status":"active","x":{"y":[1]}"#,
        ),
        "a memory later, filled sessionTitle shortId z",
    );
    check(
        &disk,
        &memory,
        &one(
            "a",
            LATE,
            r#","x":{"y":[1]},"status":"active","sessionTitle":"t","shortId":7,"z":1.0"#,
        ),
        "a disk later, filled sessionTitle shortId z",
    );
}

#[test]
fn an_empty_field_is_filled_from_the_other_side() {
    let memory = one("a", LATE, r#","shortId":7,"directory":"","status":null"#);
    let disk = one("a", EARLY, r#","shortId":"s","directory":"/d","status":"active""#);
    check(
        &memory,
        &disk,
        &one("a", LATE, r#","shortId":"s","directory":"/d","status":"active""#),
        "a memory later, filled shortId directory status",
    );
    check(
        &disk,
        &memory,
        &one("a", LATE, r#","shortId":"s","directory":"/d","status":"active""#),
        "a disk later, filled shortId directory status",
    );
}

#[test]
fn an_ended_session_stays_ended() {
    let ended = one("a", EARLY, r#","status":"ended","endedAt":"2026-01-15T14:00:00.000Z""#);
    let active = one("a", LATE, r#","status":"active""#);
    let both = r#","status":"ended","endedAt":"2026-01-15T14:00:00.000Z""#;
    check(&ended, &active, &one("a", LATE, both), "a disk later, ended");
    check(&active, &ended, &one("a", LATE, both), "a memory later, ended");
}

#[test]
fn the_earliest_end_is_kept() {
    let first = one("a", EARLY, r#","status":"ended","endedAt":"2026-01-15T13:59:00Z""#);
    let second = one("a", LATE, r#","status":"ended","endedAt":"2026-01-15T14:59:00Z""#);
    let both = one("a", LATE, r#","status":"ended","endedAt":"2026-01-15T13:59:00Z""#);
    check(&first, &second, &both, "a disk later, ended");
    check(&second, &first, &both, "a memory later, ended");
}

#[test]
fn another_thread_is_reported() {
    let old = one("a", EARLY, "");
    let new = one("a", LATE, "").replace("\"r\"", "\"s\"");
    check(&new, &old, &new, "a memory later, not r");
    check(&old, &new, &new, "a disk later, not r");
}

#[test]
fn entries_that_differ_only_in_spelling_are_equal() {
    let disk = r#"{ "threadRootPostId" : "r", "x": [ 1, 2 ], "sessionId": "\u0061" }"#;
    let memory = r#"{"sessionId":"a","threadRootPostId":"r","x":[1,2]}"#;
    check(memory, disk, disk, "a disk equal");
    check(disk, memory, memory, "a disk equal");
}

#[test]
fn duplicates_are_kept_and_the_effective_one_is_changed() {
    let old = one("a", EARLY, r#","status":"ended","endedAt":"2026-01-15T13:00:00Z""#);
    let new = one("a", LATE, r#","x":1"#);
    let disk = format!("{new},{old}");
    let newest = "2026-01-15T16:00:00.000Z";
    check(
        &one("a", newest, r#","x":2,"status":"active""#),
        &disk,
        &format!("{},{old}", one("a", newest, r#","x":2"#)),
        "a memory later, ended",
    );
    check(&disk, &disk, &disk, "a disk equal");
    check(&format!("{old},{new}"), &disk, &disk, "a disk equal");
}

#[test]
fn a_duplicate_session_in_memory_is_added_once() {
    let old = one("a", EARLY, r#","status":"ended","endedAt":"2026-01-15T13:00:00Z""#);
    let new = one("a", LATE, r#","status":"active""#);
    let both = one("a", LATE, r#","status":"ended","endedAt":"2026-01-15T13:00:00Z""#);
    check(&format!("{new},{old}"), "", &both, "a memory only");
    check(&format!("{new},{old}"), &one("a", EARLY, ""), &both, "a memory later");
}

#[test]
fn entries_without_a_key_are_restored() {
    let nameless = r#"{"threadRootPostId":"r", "x": "a b"}"#;
    check(
        &format!("null,{nameless},{{ }},null"),
        r#"{},7"#,
        &format!("{{}},7,null,{nameless}"),
        "2 restored",
    );
    let broken = one("\\ud800", EARLY, "");
    let other = one("\\udfff", EARLY, "");
    check(&broken, &other, &format!("{other},{broken}"), "1 restored");
}

#[test]
fn the_last_of_duplicate_keys_is_merged() {
    check(
        &one("a", LATE, r#","x":0,"x":1"#),
        &one("a", EARLY, r#","x":1,"x":2"#),
        &one("a", LATE, r#","x":1,"x":1"#),
        "a memory later",
    );
}

#[test]
fn top_level_keys_are_restored() {
    let memory = r#"{"version":1,"mappings":[],"x":{"a":1},"y":2,"y":3,"lastModified":"m"}"#;
    let disk = "{\n  \"x\": 7,\n  \"version\": 1.0,\n  \"mappings\": []\n}\n";
    let mut doc = sound(disk);
    let merged = doc.merge(&sound(memory), now()).unwrap();
    assert!(merged.changed);
    let expected = "{\n  \"x\": 7,\n  \"version\": 1.0,\n  \"mappings\": [],\n  \"y\": 3,\n  \"lastModified\": \"2031-05-06T07:08:09.000Z\"\n}\n";
    assert_eq!(text(&doc), expected);
    assert!(!doc.merge(&sound(memory), now()).unwrap().changed);
}

#[test]
fn the_formatting_of_the_file_is_kept() {
    let disk = "{\r\n\t\"version\": 1,\r\n\t\"mappings\": [\r\n\t\t{\r\n\t\t\t\"sessionId\": \"a\",\r\n\t\t\t\"threadRootPostId\" : \"r\",\r\n\t\t\t\"n\": 1e2,\r\n\t\t\t\"m\": {}\r\n\t\t}\r\n\t],\r\n\t\"lastModified\": \"x\"\r\n}\r\n";
    let memory = "{\n  \"version\": 1,\n  \"mappings\": [\n    {\n      \"sessionId\": \"a\",\n      \"threadRootPostId\": \"r\",\n      \"m\": {\n        \"k\": 1\n      },\n      \"l\": [\n        2\n      ]\n    },\n    {\n      \"sessionId\": \"b\",\n      \"threadRootPostId\": \"r\"\n    }\n  ]\n}";
    let mut doc = sound(disk);
    doc.merge(&sound(memory), now()).unwrap();
    let expected = "{\r\n\t\"version\": 1,\r\n\t\"mappings\": [\r\n\t\t{\r\n\t\t\t\"sessionId\": \"a\",\r\n\t\t\t\"threadRootPostId\" : \"r\",\r\n\t\t\t\"n\": 1e2,\r\n\t\t\t\"m\": {\r\n\t\t\t  \"k\": 1\r\n\t\t\t},\r\n\t\t\t\"l\": [\r\n\t\t\t  2\r\n\t\t\t]\r\n\t\t},\r\n\t\t{\r\n\t\t  \"sessionId\": \"b\",\r\n\t\t  \"threadRootPostId\": \"r\"\r\n\t\t}\r\n\t],\r\n\t\"lastModified\": \"2031-05-06T07:08:09.000Z\"\r\n}\r\n";
    assert_eq!(text(&doc), expected);
}

#[test]
fn an_invalid_map_is_not_merged() {
    let good = sound(&map(""));
    for bad in ["", "{}", "{\"version\": 2, \"mappings\": []}"] {
        let bad = skein_format::session::SessionMapDoc::parse(bad.as_bytes().to_vec()).0;
        assert_eq!(bad.clone().merge(&good, now()), Err(MapEditError::Unusable));
        assert_eq!(good.clone().merge(&bad, now()), Err(MapEditError::Unusable));
    }
}

/// Merges entries one after the other; the first one is on disk.
fn folded(entries: &[&String]) -> String {
    let (first, rest) = entries.split_first().unwrap();
    let mut doc = sound(&map(first));
    for memory in rest {
        doc.merge(&sound(&map(memory)), now()).unwrap();
    }
    text(&doc)
}

#[test]
fn the_order_of_several_merges_matters_for_ties_and_filled_fields() {
    let (one, two) = (one("a", EARLY, r#","x":1"#), one("a", EARLY, r#","x":2"#));
    assert!(folded(&[&one, &two]).contains("\"x\":2"));
    assert!(folded(&[&two, &one]).contains("\"x\":1"));
    // The latest entry has no `x`: it takes that of the first entry it is merged with, and keeps it.
    let latest = self::one("a", LATE, "");
    let later = self::one("a", "2026-01-15T14:30:00.000Z", r#","x":3"#);
    assert!(folded(&[&one, &latest, &later]).contains("\"x\":1"));
    assert!(folded(&[&later, &latest, &one]).contains("\"x\":3"));
    assert!(folded(&[&one, &later, &latest]).contains("\"x\":3"));
}

#[test]
fn a_field_that_is_not_a_string_is_kept_unless_the_other_side_has_a_string() {
    let (odd, other) = (r#","shortId":{"a":1}"#, r#","shortId":[2]"#);
    let named = r#","shortId":"abcdef""#;
    let check = |memory: (&str, &str), disk: (&str, &str), expected: &str, verdict: &str| {
        let (memory, disk) = (one("a", memory.0, memory.1), one("a", disk.0, disk.1));
        check(&memory, &disk, expected, verdict);
    };
    check((LATE, odd), (EARLY, ""), &one("a", LATE, odd), "a memory later");
    check((EARLY, odd), (LATE, ""), &one("a", LATE, odd), "a disk later, filled shortId");
    check((LATE, odd), (LATE, ""), &one("a", LATE, odd), "a memory tie");
    check((LATE, ""), (EARLY, odd), &one("a", LATE, odd), "a memory later, filled shortId");
    check((LATE, odd), (EARLY, other), &one("a", LATE, odd), "a memory later");
    check((EARLY, odd), (LATE, other), &one("a", LATE, other), "a disk later");
    check((LATE, odd), (LATE, odd), &one("a", LATE, odd), "a disk equal");
    check((LATE, odd), (EARLY, named), &one("a", LATE, named), "a memory later, filled shortId");
    check((EARLY, named), (LATE, odd), &one("a", LATE, named), "a disk later, filled shortId");
}
