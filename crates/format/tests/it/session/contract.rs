//! The cases of the contract, by their names; those about files are tested in the crate `skein-sessions`.

use skein_format::Code;
use skein_format::session::{MapValidity, Mapping, Mode, SessionMapDoc, merge};
use skein_format::span::Span;

use super::{entry, loaded, map, now, sound, titles};

const EXAMPLE: &str = r#"{
  "version": 1,
  "mappings": [
    {
      "sessionId": "ses_a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6",
      "threadRootPostId": "post_x1y2z3a4b5c6d7e8",
      "shortId": "ses_a1b2",
      "mattermostUserId": "user_abc123def456",
      "dmChannelId": "channel_ghi789jkl012",
      "projectName": "business-automation",
      "directory": "/srv/business-automation",
      "sessionTitle": "Thread per session",
      "status": "active",
      "createdAt": "2026-01-15T14:30:00.000Z",
      "lastActivityAt": "2026-01-15T15:45:00.000Z"
    },
    {
      "sessionId": "ses_q9w8e7r6t5y4u3i2o1p0a9s8d7f6g5h4",
      "threadRootPostId": "post_m1n2o3p4q5r6s7t8",
      "shortId": "ses_q9w8",
      "mattermostUserId": "user_abc123def456",
      "dmChannelId": "channel_ghi789jkl012",
      "projectName": "plugin",
      "directory": "/srv/plugin",
      "status": "ended",
      "createdAt": "2026-01-15T10:00:00.000Z",
      "lastActivityAt": "2026-01-15T12:30:00.000Z",
      "endedAt": "2026-01-15T12:30:00.000Z"
    }
  ],
  "lastModified": "2026-01-15T15:45:00.000Z"
}"#;

#[test]
fn tc_001_load_from_an_empty_file() {
    // A missing file is handled by the crate `skein-sessions`; an empty file is read as a map without entries.
    let (doc, findings) = SessionMapDoc::parse(Vec::new());
    assert_eq!(doc.soundness(), MapValidity::Corrupt);
    assert_eq!(findings[0].message, "the file is empty");
    assert!(doc.load(Mode::Strict).mappings.is_empty());
    let fresh = SessionMapDoc::create(now());
    assert!(fresh.load(Mode::Strict).mappings.is_empty());
}

#[test]
fn tc_002_load_a_valid_file() {
    let (doc, findings) = SessionMapDoc::parse(EXAMPLE.as_bytes().to_vec());
    let loaded = doc.load(Mode::Strict);
    assert!(findings.is_empty() && loaded.diagnostics.is_empty());
    let states: Vec<&str> = loaded.mappings.iter().map(|one| one.status.as_str()).collect();
    assert_eq!(states, ["active", "ended"]);
}

#[test]
fn tc_003_load_a_file_with_an_invalid_mapping() {
    let nameless = entry("b", "two", "14:00").replace("sessionId", "session");
    let entries = [entry("a", "one", "14:00"), nameless, entry("c", "three", "14:00")];
    let doc = sound(&map(&entries.join(",")));
    let found = doc.load(Mode::Strict);
    assert_eq!(titles(&found.mappings), ["a one", "c three"]);
    let warnings: Vec<_> = found.diagnostics.iter().map(|one| (one.code, &*one.message)).collect();
    assert_eq!(warnings, [(Code::SessionEntry, "entry 2: `sessionId` is missing")]);
}

/// Merges the lists and the documents, which must give the same sessions.
fn check(memory: &[String], disk: &[String], expected: &[&str]) {
    let memory = sound(&map(&memory.join(",")));
    let mut disk = sound(&map(&disk.join(",")));
    let list = merge(&memory.load(Mode::Strict).mappings, &disk.load(Mode::Strict).mappings);
    assert_eq!(titles(&list), expected);
    drop(list);
    disk.merge(&memory, now()).unwrap();
    assert_eq!(loaded(&disk), expected);
}

#[test]
fn tc_005_merge_concurrent_updates() {
    let (fresh, stale) = ([entry("a", "fresh", "15:00")], [entry("a", "stale", "14:00")]);
    check(&fresh, &stale, &["a fresh"]);
    check(&stale, &fresh, &["a fresh"]);
}

#[test]
fn tc_006_merge_new_entries_from_disk() {
    let memory = [entry("a", "memory", "14:00")];
    let disk = [entry("a", "disk", "14:00"), entry("b", "new", "13:00")];
    check(&memory, &disk, &["a memory", "b new"]);
    check(&disk, &memory, &["a disk", "b new"]);
}

fn shown(doc: &SessionMapDoc) -> Vec<String> {
    let loaded = doc.load(Mode::Lenient).mappings.into_iter();
    loaded.map(|one| format!("{:?}", Mapping { span: Span::default(), ..one })).collect()
}

#[test]
fn an_entry_is_read_the_same_after_any_other_entry() {
    let plain = entry("a", "one", "14:00");
    let others = [
        plain.replace(r#""sessionTitle":"one","#, ""),
        plain.replace(r#""shortId":"ses_a1b2","#, ""),
        plain.replace("one", "\\u006fne"),
        plain.replace("one", "o\u{e9}ne"),
        plain.replace(r#""status":"active""#, r#""status":"active","status":"ended""#),
        plain.replace(r#""status":"active""#, r#""x":{"status":1},"status":"active""#),
        plain.replace(r#""status":"active""#, r#""status":7"#),
        plain.replace(",", " ,\n  "),
        plain.replace(r#"{"sessionId":"a","#, "{").replace('}', r#","sessionId":"a"}"#),
        plain.replace('}', r#","endedAt":"2026-01-15T14:00:00Z"}"#),
        "{}".to_owned(),
        "[]".to_owned(),
    ];
    for one in &others {
        for other in others.iter().chain([&plain]) {
            // The last of three has its own session, so that none of them is a duplicate.
            let (second, third) = (other.replace("\"a\"", "\"b\""), one.replace("\"a\"", "\"c\""));
            let doc = sound(&map(&format!("{one},{second},{third}")));
            let apart = [one, &second, &third].map(|entry| shown(&sound(&map(entry))));
            assert_eq!(shown(&doc), apart.concat(), "{one} {other}");
        }
    }
}

#[test]
fn an_entry_inside_an_unclosed_entry_is_corrupt() {
    let list =
        r#"{"threadRootPostId":"b"},{"sessionId":"a"},{"sessionId":"a"{"threadRootPostId":"b"}"#;
    let (doc, found) = SessionMapDoc::parse(map(list).into());
    assert_eq!(doc.soundness(), MapValidity::Corrupt);
    assert_eq!(found.len(), 1);
}
