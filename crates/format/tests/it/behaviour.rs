//! Regression tests, each with a minimal input.

use skein_format::checkpoint::{
    CheckpointDoc, CheckpointEditError, CheckpointFileKind, HandoffDoc,
};
use skein_format::path::WorkspacePath;
use skein_format::review::{
    Anchor, Range, ReviewDoc, ReviewEditError as ReviewError, Status, has_whole_head,
};
use skein_format::session::{MappingField, Mode, SessionMapDoc};
use skein_format::time::{self, Time};
use skein_format::{Code, Diagnostic, redact};

fn now() -> Time {
    time::parse("2031-05-06T07:08:09Z").unwrap().time
}

fn codes(findings: &[Diagnostic]) -> Vec<Code> {
    findings.iter().map(|one| one.code).collect()
}

const HEAD: &str = "<local-code-review-thread>\n{\"schemaVersion\":1,\"id\":\"t\",\
    \"target\":{\"workspaceRelativePath\":\"a.rs\",\"range\":null,\
    \"anchor\":{\"kind\":\"lineRange\"}},\"status\":\"open\",\
    \"createdAt\":\"2026-01-01T00:00:00Z\",\"updatedAt\":\"2026-01-01T00:00:00Z\"}\n\
    </local-code-review-thread>\n";

fn review(text: &str) -> (ReviewDoc, Vec<Diagnostic>) {
    ReviewDoc::parse(text.as_bytes().to_vec(), "t", ".code-review")
}

/// Checks the text after the metadata block, before and after an edit.
#[track_caller]
fn check_review(before: &str, edit: impl FnOnce(&mut ReviewDoc), after: &str) -> ReviewDoc {
    let (mut doc, _) = review(&format!("{HEAD}{before}"));
    edit(&mut doc);
    let text = String::from_utf8(doc.to_bytes().to_vec()).unwrap();
    let (_, rest) = text.split_once("</local-code-review-thread>\n").unwrap();
    assert_eq!(rest, after);
    doc
}

#[test]
fn a_missing_anchor_or_kind_is_a_warning_and_the_thread_stays_readable() {
    let check = |anchor: &str, expected: &[&str]| {
        let (doc, findings) = review(&HEAD.replace(",\"anchor\":{\"kind\":\"lineRange\"}", anchor));
        assert!(doc.head().usable);
        assert!(findings.iter().all(|one| one.code == Code::ReviewBadAnchor), "{findings:?}");
        let messages: Vec<&str> = findings.iter().map(|one| one.message.as_str()).collect();
        assert_eq!(messages, expected, "{anchor}");
    };
    check("", &["`target.anchor` is missing"]);
    check(",\"anchor\":{}", &["`target.anchor.kind` is missing"]);
    check(",\"anchor\":{\"git\":{\"baseRef\":\"main\"}}", &["`target.anchor.kind` is missing"]);
    check(",\"anchor\":{\"kind\":7}", &["`target.anchor` has an unknown shape"]);
    check(",\"anchor\":null", &["`target.anchor` has an unknown shape"]);
    check(",\"anchor\":{\"kind\":\"lineRange\"}", &[]);
}

#[test]
fn list_entries_of_a_wrong_type_are_reported_and_kept() {
    let check = |members: &str, expected: &[&str]| {
        let text = format!("{{\"created_at\": \"2026-01-23T14:30:00Z\", {members}}}");
        let (doc, findings) = CheckpointDoc::parse(
            text.clone().into_bytes(),
            "T-20260123-143000-x",
            CheckpointFileKind::Thread,
        );
        assert!(doc.head().usable);
        assert_eq!(doc.to_bytes(), text.as_bytes());
        assert!(findings.iter().all(|one| one.code == Code::CheckpointField), "{findings:?}");
        let messages: Vec<&str> = findings.iter().map(|one| one.message.as_str()).collect();
        assert_eq!(messages, expected, "{members}");
    };
    let file = "is not a path, or an object with the text `path`";
    let step = "is not a text, or an object with the text `step`";
    check(r#""files_touched": "a.rs""#, &["`files_touched` is not a list"]);
    check(r#""next_steps": {}"#, &["`next_steps` is not a list"]);
    check(r#""git": {"commits_made": 3}"#, &["`git.commits_made` is not a list"]);
    check(
        r#""files_touched": ["a.rs", 7, {"path": "b.rs"}, {"name": "c.rs"}, {"path": 1}]"#,
        &[2, 4, 5]
            .map(|entry| format!("entry {entry} of `files_touched` {file}"))
            .each_ref()
            .map(String::as_str),
    );
    check(
        r#""next_steps": [["x"], {"text": "y"}, {"step": false}, "z"]"#,
        &[1, 3]
            .map(|entry| format!("entry {entry} of `next_steps` {step}"))
            .each_ref()
            .map(String::as_str),
    );
    check(
        r#""git": {"commits_made": ["1234567: x", {"id": 1}]}"#,
        &["entry 2 of `git.commits_made` is not a text"],
    );
    check(r#""metadata": {"tags": [1]}"#, &["entry 1 of `metadata.tags` is not a text"]);
    check(r#""files_touched": ["", null], "next_steps": [null, ""]"#, &[]);
}

#[test]
fn of_two_targets_the_first_is_ignored() {
    let both = HEAD.replace("\"status\"", "\"target\":{\"range\":null},\"status\"");
    let (doc, findings) = review(&both);
    assert_eq!(doc.head().path_text, None);
    assert!(codes(&findings).contains(&Code::ReviewNoPath));
}

#[test]
fn an_empty_author_is_reported_like_a_missing_one() {
    let marker = "<local-code-review-comment id=\"c\" author=\"\" createdAt=\"2026-01-01\"/>\n";
    let (doc, findings) = review(&format!("{HEAD}{marker}"));
    assert_eq!(doc.comments()[0].author, "unknown");
    assert_eq!(codes(&findings), [Code::ReviewCommentNoAuthor]);
}

#[test]
fn the_time_of_the_last_change_never_goes_back() {
    let (mut doc, _) = review(HEAD);
    let comment = |id: &str, at: Time| skein_format::review::NewComment {
        id: id.to_owned(),
        author: "Mira".to_owned(),
        created_at: at,
        body: "Why?".to_owned(),
    };
    let earlier = time::parse("2026-06-01T00:00:00Z").unwrap().time;
    doc.touch(now()).unwrap();
    doc.append_comment(&comment("c1", earlier)).unwrap();
    doc.set_status(Status::Resolved, earlier).unwrap();
    assert_eq!(doc.head().updated_at, Some(now()));
    assert_eq!(doc.comments()[0].created_at, Some(earlier));
    let broken = HEAD.replace("\"updatedAt\":\"2026-01-01T00:00:00Z\"", "\"updatedAt\":\"soon\"");
    let (mut doc, _) = review(&broken);
    doc.append_comment(&comment("c1", earlier)).unwrap();
    assert_eq!(doc.head().updated_at, Some(earlier));
}

#[test]
fn a_path_that_does_not_name_a_file_is_unsafe() {
    for path in ["src/", " /etc/passwd", " ", "\\t"] {
        let (doc, findings) = review(&HEAD.replace("a.rs", path));
        assert!(!doc.head().usable, "{path:?}");
        assert!(codes(&findings).contains(&Code::ReviewUnsafePath), "{path:?}");
    }
}

#[test]
fn an_unusable_thread_is_not_changed() {
    let newer = HEAD.replace("\"schemaVersion\":1", "\"schemaVersion\":2");
    let (mut doc, _) = review(&newer);
    assert_eq!(doc.touch(now()), Err(ReviewError::Unusable));
    assert_eq!(doc.to_bytes(), newer.as_bytes());
}

#[test]
fn the_highest_line_number_is_written_to_the_heading() {
    let line = u32::MAX - 1;
    let range = Range { start_line: line, start_character: 0, end_line: line, end_character: 0 };
    let place =
        |doc: &mut ReviewDoc| doc.set_place(Some(range), &Anchor::default(), now()).unwrap();
    let doc = check_review("# a.rs \u{b7} open\n", place, "# a.rs:L4294967295 \u{b7} open\n");
    assert_eq!(doc.head().range, Some(range));
}

#[test]
fn a_thread_of_a_renamed_file_keeps_all_but_its_path() {
    let path = WorkspacePath::parse("b/c.rs", "").unwrap();
    let rename = |doc: &mut ReviewDoc| doc.set_path(&path, now()).unwrap();
    let doc = check_review("# a.rs \u{b7} open\nprose\n", rename, "# b/c.rs \u{b7} open\nprose\n");
    assert_eq!(doc.head().path.as_ref(), Some(&path));
}

#[test]
fn a_body_keeps_its_first_line_below_a_marker_without_a_blank_line() {
    let marker = "<local-code-review-comment id=\"c\" author=\"a\" createdAt=\"2026-01-01\"/>";
    let edit = |doc: &mut ReviewDoc| doc.edit_body(0, "\n\n  one\n", now()).unwrap();
    let doc = check_review(&format!("{marker}\nold\n"), edit, &format!("{marker}\n  one\n"));
    assert_eq!(doc.comments()[0].body, "  one");
    let doc = check_review(&format!("{marker}\n"), edit, &format!("{marker}\n\n  one\n"));
    assert_eq!(doc.comments()[0].body, "  one");
}

#[test]
fn emptying_an_empty_body_changes_nothing() {
    let marker = "<local-code-review-comment id=\"c\" author=\"a\" createdAt=\"2026-01-01\"/>\n";
    check_review(marker, |doc| doc.edit_body(0, " \n", now()).unwrap(), marker);
}

#[test]
fn a_patch_fills_an_existing_empty_block() {
    let set = |doc: &mut ReviewDoc| doc.set_patch(Some("-a"), now()).unwrap();
    let doc = check_review(
        "<local-code-review-patch/>\n```diff\n```\nx\n",
        set,
        "<local-code-review-patch/>\n```diff\n-a\n```\nx\n",
    );
    assert_eq!(doc.patch().as_deref(), Some("-a"));
}

#[test]
fn a_patch_is_inserted_below_a_marker_without_a_block() {
    let set = |doc: &mut ReviewDoc| doc.set_patch(Some("-a"), now()).unwrap();
    let doc = check_review(
        "<local-code-review-patch/>\n```rust\nnever closed\n",
        set,
        "<local-code-review-patch/>\n\n```diff\n-a\n```\n\n```rust\nnever closed\n",
    );
    assert_eq!(doc.patch().as_deref(), Some("-a"));
}

#[test]
fn removing_a_patch_keeps_the_text_around_it() {
    let set = |doc: &mut ReviewDoc| doc.set_patch(None, now()).unwrap();
    check_review(
        "one\n<local-code-review-patch/>\ntwo\n```rust\nfn x() {}\n```\n```diff\n-a\n```\nthree\n",
        set,
        "one\ntwo\n```rust\nfn x() {}\n```\nthree\n",
    );
    check_review(
        "\n## Patch\n<local-code-review-patch/>\n\n```diff\n-a\n```\n\n## Comments\n",
        set,
        "\n\n## Comments\n",
    );
}

#[test]
fn a_reply_does_not_change_an_unclosed_patch() {
    let (mut doc, _) = review(&format!("{HEAD}<local-code-review-patch/>\n```diff\n-a\n"));
    let before = doc.patch();
    let comment = skein_format::review::NewComment {
        id: "c".to_owned(),
        author: "a".to_owned(),
        created_at: now(),
        body: "b".to_owned(),
    };
    doc.append_comment(&comment).unwrap();
    assert_eq!(doc.patch(), before);
}

#[test]
fn a_prefix_that_ends_inside_the_closing_line_is_not_a_whole_head() {
    let end = HEAD.len();
    assert!(has_whole_head(HEAD.as_bytes()));
    assert!(!has_whole_head(&HEAD.as_bytes()[..end - 1]));
    assert!(!has_whole_head(&HEAD.as_bytes()[..end - 2]));
}

#[test]
fn resolving_changes_the_generated_heading_and_no_other() {
    let resolve = |doc: &mut ReviewDoc| doc.set_status(Status::Resolved, now()).unwrap();
    check_review("# a.rs \u{b7} open\n", resolve, "# a.rs \u{b7} resolved\n");
    check_review("# b.rs \u{b7} open\n", resolve, "# b.rs \u{b7} open\n");
    check_review("# a.rs.bak \u{b7} open\n", resolve, "# a.rs.bak \u{b7} open\n");
    check_review("# a.rs: why? \u{b7} open\n", resolve, "# a.rs: why? \u{b7} open\n");
}

fn entry(id: &str, title: &str, at: &str, rest: &str) -> String {
    format!(
        "{{\"sessionId\":\"{id}\",\"threadRootPostId\":\"r\",\"shortId\":\"short1\",\
         \"mattermostUserId\":\"u\",\"dmChannelId\":\"c\",\"projectName\":\"p\",\
         \"directory\":\"/\",\"sessionTitle\":\"{title}\",\"status\":\"active\",\
         \"createdAt\":\"2026-01-01T00:00:00Z\",\"lastActivityAt\":\"{at}\"{rest}}}"
    )
}

fn map(entries: &[String]) -> SessionMapDoc {
    let entries = entries.join(",");
    let text = format!(
        "{{\"version\":1,\"mappings\":[{entries}],\"lastModified\":\"2026-01-01T00:00:00Z\"}}"
    );
    SessionMapDoc::parse(text.into_bytes()).0
}

#[test]
fn all_fields_of_an_update_go_into_one_entry() {
    let mut doc = map(&[
        entry("s", "one", "2026-01-02T00:00:00Z", ""),
        entry("s", "two", "2026-01-03T00:00:00Z", ""),
    ]);
    let fields = [
        (MappingField::LastActivityAt, "2026-01-01T00:00:00Z"),
        (MappingField::SessionTitle, "changed"),
    ];
    doc.update("s", &fields, now()).unwrap();
    let text = String::from_utf8(doc.to_bytes().to_vec()).unwrap();
    assert!(text.contains("\"one\"") && !text.contains("\"two\""), "{text}");
}

#[test]
fn an_update_without_fields_still_needs_its_session() {
    let mut doc = map(&[]);
    let before = doc.to_bytes().to_vec();
    assert!(doc.update("s", &[], now()).is_err());
    assert_eq!(doc.to_bytes(), before);
}

#[test]
fn an_invalid_end_time_is_not_the_earliest() {
    let ended = |at: &str| format!(",\"endedAt\":\"{at}\"");
    let mut first = entry("s", "a", "2026-01-02T00:00:00Z", &ended("soon"));
    first = first.replace("\"active\"", "\"ended\"");
    let second = entry("s", "b", "2026-01-03T00:00:00Z", &ended("2026-01-03T00:00:00Z"));
    let doc = map(&[first, second]);
    let loaded = doc.load(Mode::Lenient);
    assert_eq!(loaded.mappings[0].ended_at.as_deref(), Some("2026-01-03T00:00:00Z"));
}

#[test]
fn a_long_text_is_truncated_in_a_diagnostic() {
    let id = "x".repeat(100_000);
    let entries =
        [entry(&id, "a", "2026-01-02T00:00:00Z", ""), entry(&id, "b", "2026-01-02T00:00:00Z", "")];
    let doc = map(&entries);
    let findings = doc.load(Mode::Strict).diagnostics;
    assert_eq!(codes(&findings), [Code::SessionDuplicate]);
    assert!(findings[0].message.len() < 400);
}

fn checkpoint(text: &str) -> (CheckpointDoc, Vec<Diagnostic>) {
    CheckpointDoc::parse(text.as_bytes().to_vec(), "T-1", CheckpointFileKind::Thread)
}

#[test]
fn a_null_does_not_hide_the_value_of_an_alternative_key() {
    let (doc, _) = checkpoint("{\"summary\":\"s\",\"conversation_summary\":null}");
    assert_eq!(doc.head().summary.as_deref(), Some("s"));
    let (doc, _) = HandoffDoc::parse(b"{\"last_checkpoint\":\"x\",\"last_thread\":null}".to_vec());
    assert_eq!(doc.last_thread.as_deref(), Some("x"));
}

#[test]
fn a_checkpoint_with_any_spelling_of_a_newer_version_is_not_written() {
    for version in ["2", "2.0", "1.5", "1e30", "99999999999999999999"] {
        let (mut doc, findings) =
            checkpoint(&format!("{{\"version\":{version},\"created_at\":0}}"));
        assert_eq!(codes(&findings), [Code::CheckpointVersion], "{version}");
        let result = doc.set_text(&["cwd"], "x", now());
        assert!(matches!(result, Err(CheckpointEditError::Newer { .. })), "{version}");
    }
}

#[test]
fn the_counts_of_a_checkpoint_match_its_lists() {
    let (doc, _) = checkpoint("{\"next_steps\":[1,null,{},\"\",\"a\"],\"files_touched\":[{},7]}");
    assert_eq!((doc.head().open_steps, doc.steps().len()), (1, 1));
    assert_eq!((doc.head().file_count, doc.files().len()), (0, 0));
}

#[test]
fn a_pointer_without_a_target_is_reported() {
    let (doc, findings) = HandoffDoc::parse(b"{}".to_vec());
    assert!(!doc.usable);
    assert_eq!(codes(&findings), [Code::CheckpointField]);
}

#[test]
fn a_number_that_is_not_a_time_is_reported() {
    let (_, findings) = checkpoint("{\"created_at\":0,\"updated_at\":-1}");
    assert_eq!(codes(&findings), [Code::CheckpointBadTime]);
}

#[test]
fn a_long_value_is_redacted_completely() {
    let text = format!("password={}; rest", "a1".repeat(5_000));
    assert_eq!(redact::redact(&text), "password=[REDACTED:assignment]; rest");
}

#[test]
fn a_no_break_space_at_the_end_of_a_comment_is_kept() {
    let marker =
        "<local-code-review-comment id=\"c\" author=\"Ada\" createdAt=\"2026-01-01T00:00:00Z\"/>\n";
    let (mut doc, _) = review(&format!("{HEAD}{marker}\nWait\u{a0} \n\n"));
    assert_eq!(doc.comments()[0].body, "Wait\u{a0}");
    let comment = skein_format::review::NewComment {
        id: "d".to_owned(),
        author: "Ada".to_owned(),
        created_at: now(),
        body: "So\u{2003} \n".to_owned(),
    };
    doc.append_comment(&comment).unwrap();
    assert_eq!(doc.comments()[1].body, "So\u{2003}");
}

#[test]
fn a_session_whose_only_fault_is_a_long_short_id_is_displayed() {
    let entry = |short: &str, user: &str| {
        format!(
            "{{\"sessionId\": \"s\", \"threadRootPostId\": \"p\", \"shortId\": \"{short}\", \
             \"mattermostUserId\": \"{user}\", \"dmChannelId\": \"c\", \"projectName\": \"k\", \
             \"directory\": \"/k\", \"status\": \"active\", \
             \"createdAt\": \"2026-01-01T00:00:00Z\", \"lastActivityAt\": \"2026-01-01T00:00:00Z\"}}"
        )
    };
    let count = |entry: &str, mode: Mode| {
        let map = format!(
            "{{\"version\": 1, \"mappings\": [{entry}], \"lastModified\": \"2026-01-01T00:00:00Z\"}}"
        );
        let (doc, _) = SessionMapDoc::parse(map.into_bytes());
        let loaded = doc.load(mode);
        let breach = loaded.mappings.first().and_then(|one| one.breach.clone());
        (loaded.mappings.len(), codes(&loaded.diagnostics), breach)
    };
    let rule = Some("`shortId` must have 6 to 10 characters".to_owned());
    let long = entry("merry-otter-lake", "u");
    assert_eq!(count(&long, Mode::Strict), (0, vec![Code::SessionEntry], None));
    assert_eq!(count(&long, Mode::Display), (1, vec![Code::SessionLenient], rule.clone()));
    assert_eq!(count(&long, Mode::Lenient), (1, vec![Code::SessionLenient], rule));
    for other in [entry("otter", "u"), entry("merry-otter-lake", "")] {
        assert_eq!(count(&other, Mode::Display), (0, vec![Code::SessionEntry], None));
        assert_eq!(count(&other, Mode::Lenient).0, 1);
    }
    assert_eq!(count(&entry("ses_abcd", "u"), Mode::Display), (1, vec![], None));
}
