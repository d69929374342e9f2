//! Inputs that could overflow the stack, or take excessive memory or time.
//!
//! Every input is read, shown and edited in a thread with a small stack, and must take about as long
//! as a plain file of its size. The number of parsed items is checked.

use std::thread;

use skein_format::checkpoint::{CheckpointDoc, CheckpointFileKind, HandoffDoc, StepStatus};
use skein_format::diagnostic::DiagnosticList;
use skein_format::json::{self, Dialect};
use skein_format::review::{ReviewDoc, merge, suggestions};
use skein_format::session::{MappingField, Mode, SessionMapDoc, salvage};
use skein_format::time::{self, Time};
use skein_format::{Code, Diagnostic, redact};

const MEGABYTE: usize = 1 << 20;

fn now() -> Time {
    time::parse("2031-05-06T07:08:09Z").unwrap().time
}

/// Runs in a thread whose stack is too small for a recursion on the input.
fn on_a_small_stack(run: impl FnOnce() + Send + 'static) {
    thread::Builder::new().stack_size(256 << 10).spawn(run).unwrap().join().unwrap();
}

/// Repeats a text up to a size.
fn fill(size: usize, part: &str) -> String {
    part.repeat(size / part.len())
}

/// Asserts that the findings are bounded, in number and in length.
#[track_caller]
fn check_findings(findings: &[Diagnostic]) {
    assert!(findings.len() <= DiagnosticList::LIMIT + 1);
    assert!(findings.iter().all(|one| one.message.len() < 1000));
}

fn thread_file(more: &str, rest: &str) -> String {
    format!(
        "<local-code-review-thread>\n{{\"schemaVersion\":1,\"id\":\"t\",\"target\":{{\
         \"workspaceRelativePath\":\"a.rs\",\"range\":null}},\"status\":\"open\"{more}}}\n\
         </local-code-review-thread>\n{rest}"
    )
}

/// Reads, shows and edits a thread; checks the number of its comments.
fn check_review(text: String, comments: usize) {
    on_a_small_stack(move || {
        let bytes = text.into_bytes();
        let (mut doc, findings) = ReviewDoc::parse(bytes.clone(), "t", ".code-review");
        check_findings(&findings);
        assert_eq!(doc.to_bytes(), bytes);
        assert_eq!(doc.comments().len(), comments);
        let shown: usize = doc.comments().iter().map(|one| one.body.len()).sum();
        let patch = doc.patch().map_or(0, |patch| patch.len());
        assert!(shown + patch <= bytes.len());
        let usable = doc.head().usable;
        if comments > 0 {
            assert_eq!(doc.edit_body(0, "b", now()).is_ok(), usable);
        } else {
            assert_eq!(doc.set_patch(Some("-a\n+b"), now()).is_ok(), usable);
        }
        assert!(doc.to_bytes().len() <= bytes.len() + 1000);
    });
}

#[test]
fn deeply_nested_metadata_is_parsed() {
    check_review(thread_file(&format!(",\"x\":{}", fill(2 * MEGABYTE, "[")), ""), 0);
    let deep = format!(",\"x\":{}{}", fill(MEGABYTE, "["), fill(MEGABYTE, "]"));
    check_review(thread_file(&deep, ""), 0);
    check_review(thread_file(&fill(MEGABYTE, ",\"x\":{\"y\":"), ""), 0);
}

#[test]
fn very_many_tags_are_parsed() {
    check_review(fill(MEGABYTE, "<local-code-review-thread>"), 0);
    check_review(fill(MEGABYTE, "<local-code-review-thread>\n"), 0);
    check_review(fill(MEGABYTE, "<local-code-review-thread>\n</local-code-review-thread> x\n"), 0);
}

#[test]
fn very_many_markers_are_parsed() {
    let marker = "<local-code-review-comment\n";
    check_review(thread_file("", &fill(MEGABYTE, marker)), MEGABYTE / marker.len());
    let marker = "<local-code-review-comment id=\"x\"/>\n";
    check_review(thread_file("", &fill(MEGABYTE, marker)), MEGABYTE / marker.len());
    check_review(thread_file("", &fill(MEGABYTE, "<local-code-review-comment ")), 1);
    for attribute in ["a=\"", "a='b=\"", "a = ", "a    ", "id=\"", "\u{e9}"] {
        let line = fill(MEGABYTE / 4, attribute);
        check_review(thread_file("", &format!("<local-code-review-comment {line}")), 1);
    }
}

#[test]
fn very_many_patch_fences_are_parsed() {
    let marker = "<local-code-review-patch/>\n";
    check_review(thread_file("", &fill(MEGABYTE, marker)), 0);
    for fence in ["`", "```x\n", "```diff\n", "~~~\n", " ```\n"] {
        let text = format!("{marker}{}", fill(MEGABYTE, fence));
        check_review(thread_file("", &text), 0);
    }
}

#[test]
fn very_many_duplicate_keys_are_parsed() {
    let key = ",\"id\":\"t\"";
    check_review(thread_file(&key.repeat(200_000), ""), 0);
    check_review(thread_file(&fill(MEGABYTE, ",\"target\":{\"range\":null}"), ""), 0);
}

#[test]
fn very_much_white_space_is_parsed() {
    check_review(thread_file("", &fill(MEGABYTE, "\n")), 0);
    let body = format!("<local-code-review-comment/>\n{}", fill(MEGABYTE, " "));
    check_review(thread_file("", &body), 1);
}

#[test]
fn very_many_suggestions_are_found() {
    on_a_small_stack(|| {
        assert_eq!(suggestions(&fill(MEGABYTE, "```suggestion\n")).len(), 1);
        let pair = "```suggestion\n```\n";
        assert_eq!(suggestions(&fill(MEGABYTE, pair)).len(), MEGABYTE / pair.len());
        assert_eq!(suggestions(&fill(MEGABYTE, "`")).len(), 0);
    });
}

/// Reads a map in both modes and edits it; checks the number of its sessions.
fn check_session_map(text: String, sessions: usize) {
    on_a_small_stack(move || {
        let bytes = text.into_bytes();
        let (mut doc, findings) = SessionMapDoc::parse(bytes.clone());
        check_findings(&findings);
        assert_eq!(doc.to_bytes(), bytes);
        for mode in [Mode::Strict, Mode::Lenient] {
            let loaded = doc.load(mode);
            check_findings(&loaded.diagnostics);
            assert_eq!(loaded.mappings.len(), sessions);
        }
        let updated = doc.update("s", &[(MappingField::Status, "ended")], now());
        assert_eq!(updated.is_ok(), sessions > 0);
    });
}

/// Salvages a map; checks the number of entries.
fn check_salvage(text: String, entries: usize) {
    on_a_small_stack(move || {
        let saved = salvage(text.as_bytes(), now());
        assert_eq!(saved.entries, entries);
        assert!(saved.cut.len() <= 1000);
        assert!(saved.doc.to_bytes().len() <= text.len() + 1000);
    });
}

#[test]
fn large_damaged_maps_are_salvaged() {
    for part in [
        "[",
        "{",
        "{\"",
        "{\"a\":",
        "[{\"a\":",
        "{\"mappings\":[",
        "{\"mappings\":{",
        "{\"a\":\"{\"",
        "{\n",
        "{\"a\"",
        "{ \"",
        "\"",
        "{\"\\",
        "{\"version\":1,",
        "{\"mappings\":[{\"mappings\":[]},",
    ] {
        let text = fill(MEGABYTE, part);
        let saved = salvage(text.as_bytes(), now());
        assert!(saved.doc.to_bytes().len() <= 2 * text.len(), "{part}");
    }
    let one = entry("r", "t", "2026-01-01T00:00:00Z");
    let size = 10 * MEGABYTE;
    check_salvage(format!("{}\n?{one}", fill(size, "[{\"a\":")), 1);
    let deep = format!("{{\"x\":{}{}}}", fill(MEGABYTE, "["), fill(MEGABYTE, "]"));
    check_salvage(format!("{{\"version\":1,\"mappings\":[{deep},{one}"), 2);
    check_salvage(format!("{{\"version\":1,\"mappings\":[{}", one.repeat(20_000)), 1);
}

#[test]
fn large_maps_are_merged() {
    on_a_small_stack(|| {
        let sessions = |rest: &str| -> String {
            let one = |n| {
                entry("r", "t", "2026-01-01T00:00:00Z").replace("\"s\"", &format!("\"s{n}\"{rest}"))
            };
            (0..20_000).map(one).collect()
        };
        let keys: String = (0..20_000).map(|n| format!(",\"k{n}\":1")).collect();
        let wide =
            entry("r", "t", "2026-01-01T00:00:00Z").replace("\"s\"", &format!("\"s\"{keys}"));
        let title = fill(MEGABYTE, "x");
        let twins =
            entry("r", &title, "2026-01-02T00:00:00Z") + &entry("r", "t", "x").repeat(5_000);
        let maps = [
            sessions(""),
            sessions(",\"x\":[\n1]"),
            fill(MEGABYTE / 4, "{},"),
            (0..50_000).map(|n| format!("{n},")).collect(),
            wide,
            twins,
        ];
        let maps = maps.map(|entries| SessionMapDoc::parse(map(&entries).into_bytes()).0);
        for (disk, memory) in maps.iter().flat_map(|disk| maps.iter().map(move |one| (disk, one))) {
            let mut merged = disk.clone();
            merged.merge(memory, now()).unwrap();
            let size = disk.to_bytes().len() + memory.to_bytes().len();
            assert!(merged.to_bytes().len() <= size + 100_000);
        }
    });
}

fn map(entries: &str) -> String {
    format!("{{\"version\":1,\"mappings\":[{entries}null],\"lastModified\":\"x\"}}")
}

fn entry(root: &str, title: &str, at: &str) -> String {
    format!(
        "{{\"sessionId\":\"s\",\"threadRootPostId\":\"{root}\",\"shortId\":\"short1\",\
         \"mattermostUserId\":\"u\",\"dmChannelId\":\"c\",\"projectName\":\"p\",\
         \"directory\":\"/\",\"sessionTitle\":\"{title}\",\"status\":\"active\",\
         \"createdAt\":\"2026-01-01T00:00:00Z\",\"lastActivityAt\":\"{at}\"}},"
    )
}

#[test]
fn very_many_entries_are_loaded() {
    check_session_map(fill(2 * MEGABYTE, "["), 0);
    check_session_map(map(&fill(MEGABYTE, "{},")), 0);
    check_session_map(map(&"{\"sessionId\":\"\"},".repeat(50_000)), 0);
    check_session_map(map(&"{\"sessionId\":\"s\"},".repeat(50_000)), 0);
    let deep = format!("{{\"x\":{}{}}},", fill(MEGABYTE, "["), fill(MEGABYTE, "]"));
    check_session_map(map(&deep), 0);
}

#[test]
fn very_many_entries_of_one_session_are_loaded() {
    let one = entry("r", "t", "2026-01-01T00:00:00Z");
    check_session_map(map(&one.repeat(10_000)), 1);
    // The first entry wins against each of the others, and must not be copied every time.
    let title = fill(MEGABYTE, "\\u0041");
    let at = format!("2026-01-02T00:00:00.{}Z", fill(MEGABYTE, "0"));
    let big = entry(&fill(MEGABYTE, "r"), &title, &at);
    check_session_map(map(&(big + &one.repeat(5_000))), 1);
}

/// Reads and edits a checkpoint; checks the number of its steps.
fn check_checkpoint(text: String, steps: usize) {
    on_a_small_stack(move || {
        let bytes = text.into_bytes();
        let (mut doc, findings) =
            CheckpointDoc::parse(bytes.clone(), "T-1", CheckpointFileKind::Thread);
        check_findings(&findings);
        assert_eq!(doc.to_bytes(), bytes);
        assert_eq!(doc.steps().len(), steps);
        assert_eq!(doc.head().open_steps, steps);
        assert_eq!(doc.files().len(), doc.head().file_count);
        assert_eq!(doc.set_step(0, &StepStatus::Done, now()).is_ok(), steps > 0);
        let (pointer, findings) = HandoffDoc::parse(bytes);
        check_findings(&findings);
        assert!(!pointer.usable);
    });
}

#[test]
fn very_large_checkpoints_are_parsed() {
    check_checkpoint(fill(2 * MEGABYTE, "["), 0);
    check_checkpoint(fill(MEGABYTE, "{\"git\":"), 0);
    check_checkpoint(format!("{{\"next_steps\":[{}null]}}", fill(MEGABYTE, "\"\",")), 0);
    let step = "\"a\",";
    let list = format!("{{\"next_steps\":[{}null]}}", fill(MEGABYTE, step));
    check_checkpoint(list, MEGABYTE / step.len());
    let deep = format!("{}{}", fill(MEGABYTE / 4, "["), fill(MEGABYTE / 4, "]"));
    check_checkpoint(format!("{{\"next_steps\":[{deep}],\"git\":{deep}}}"), 0);
    check_checkpoint(format!("{{{}\"cwd\":1}}", fill(MEGABYTE / 2, "\"cwd\":1,")), 0);
    check_checkpoint(
        format!("{{{}\"x\":1}}", fill(MEGABYTE / 2, "\"metadata\":{\"tags\":[]},")),
        0,
    );
}

#[test]
fn very_large_json_is_validated() {
    on_a_small_stack(|| {
        for part in ["[", "{\"a\":", "/*", "// \n", "\"\\u00", "-", "1", "\\"] {
            let text = fill(2 * MEGABYTE, part);
            for dialect in [Dialect::Json, Dialect::Jsonc] {
                let valid = json::validate(text.as_bytes(), dialect).is_ok();
                assert_eq!(valid, part == "1", "{part}");
            }
        }
        let mut object = format!("{{\"a\":{}{}}}", "[".repeat(MEGABYTE), "]".repeat(MEGABYTE));
        object.push_str(&" ".repeat(MEGABYTE));
        let mut bytes = object.into_bytes();
        let root = skein_format::span::Span::new(0, bytes.len());
        json::set(&mut bytes, root, Dialect::Json, &["a"], b"1").unwrap();
        assert!(bytes.starts_with(b"{\"a\":1}"));
    });
}

#[test]
fn very_many_secrets_are_redacted() {
    on_a_small_stack(|| {
        for part in [
            "password",
            "password=",
            "password=a1",
            "password='",
            "password=\"a' ",
            "password is the ",
            "eyJaaaaaaaa.",
            "-----BEGIN ",
            "://a:",
            "://a:b@c/",
            "sl.",
            "key-",
            "api_key: ",
            "_live_a",
            "Authorization: a ",
            "Cookie: a=b;",
            "curl -u ",
            "[REDACTED:",
            "[REDACTED:a]",
        ] {
            let text = fill(MEGABYTE / 4, part);
            let clean = redact::redact(&text);
            assert!(clean.len() <= 2 * text.len());
        }
    });
}

#[test]
fn a_long_list_of_diagnostics_ends_with_the_number_of_omitted_ones() {
    let (doc, _) = SessionMapDoc::parse(map(&"{},".repeat(99)).into_bytes());
    let findings = doc.load(Mode::Strict).diagnostics;
    assert_eq!(findings.len(), DiagnosticList::LIMIT + 1);
    let last = findings.last().unwrap();
    assert_eq!(last.code, Code::TooMany);
    assert_eq!(last.message, "50 more findings are not listed");
}

#[test]
fn many_comments_with_the_same_id_are_merged_and_repaired() {
    let block = "<local-code-review-thread>\n{\"schemaVersion\": 1, \"id\": \"t\", \"target\": {\"workspaceRelativePath\": \"a\"}}\n</local-code-review-thread>\n";
    let thread = |body: &str| {
        let one = format!("<local-code-review-comment id=\"c\" author=\"a\"/>\n{body}\n");
        format!("{block}{}", one.repeat(20_000))
    };
    let (ours, theirs) = (thread("x"), thread("y"));
    let merged = merge(None, ours.as_bytes(), theirs.as_bytes(), "t", ".code-review", ("a", "b"));
    let (mut doc, _) = ReviewDoc::parse(merged.bytes, "t", ".code-review");
    assert_eq!(doc.comment_count(), 40_000);
    assert_eq!(doc.repair(Time::from_millis(0)).len(), 59_999);
}

#[test]
fn many_keys_and_lines_are_merged() {
    let thread = |from: usize, line: &str| {
        let keys: String = (0..5_000).map(|n| format!("\"k{n}\": {from},\n")).collect();
        format!(
            "<local-code-review-thread>\n{{{keys}\"schemaVersion\": 1, \"id\": \"t\", \"target\": {{\"workspaceRelativePath\": \"a\"}}}}\n</local-code-review-thread>\n{}",
            line.repeat(50_000)
        )
    };
    let (base, ours, theirs) = (thread(0, "a\n"), thread(1, "a\nb\n"), thread(0, "c\na\n"));
    let bytes = [base.as_bytes(), ours.as_bytes(), theirs.as_bytes()];
    let merged = merge(Some(bytes[0]), bytes[1], bytes[2], "t", ".code-review", ("a", "b"));
    assert!(merged.conflicted);
}
