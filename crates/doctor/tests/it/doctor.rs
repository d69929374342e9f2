use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use skein_catalog::WorktreeScope;
use skein_doctor::{CheckReport, repair};

use skein_fixtures::{Fixture, Review, session};

pub(crate) fn check_repo(fixture: &Fixture) -> CheckReport {
    let workspace = fixture.open("repo");
    skein_doctor::check(&workspace, WorktreeScope::ThisWorktree)
}

/// Compares the findings, one line each, and checks that nothing is written.
#[track_caller]
pub(crate) fn check(fixture: &Fixture, expected: &[&str]) {
    let before = fixture.tree();
    let report = check_repo(fixture);
    assert_eq!(fixture.tree(), before);
    let found: Vec<String> = report
        .diagnostics
        .iter()
        .map(|diag| {
            let line = diag.line.map_or(String::new(), |line| format!(":{line}"));
            fixture.shorten(&format!("{}{line}: {} {}", diag.path, diag.code, diag.message))
        })
        .collect();
    assert_eq!(found, expected);
}

/// Repairs everything, returns the messages, and checks that nothing is left to repair.
pub(crate) fn repair_all(fixture: &Fixture) -> Vec<String> {
    let workspace = fixture.open("repo");
    let report = skein_doctor::check(&workspace, WorktreeScope::ThisWorktree);
    let messages = report.repairs.iter().map(|one| repair(&workspace, one).unwrap());
    let messages = messages.map(|text| fixture.shorten(&text)).collect();
    assert_eq!(check_repo(fixture).repairs.len(), 0);
    messages
}

fn make_old(path: &Path) {
    let hour_ago = SystemTime::now() - Duration::from_secs(3600);
    File::options().write(true).open(path).unwrap().set_modified(hour_ago).unwrap();
}

const INDEX: &str = "repo/.code-review/index.json";
const MAP: &str = "home/.config/opencode/mattermost-threads.json";

#[test]
fn a_missing_index_is_written() {
    let fixture = Fixture::new();
    fixture.review("repo", "r1", &Review::default());
    fixture.review("repo", "r2", &Review { lines: None, status: "resolved", ..Review::default() });
    check(&fixture, &[&format!("{INDEX}: index-stale there is no index")]);
    assert_eq!(repair_all(&fixture), [format!("wrote {INDEX}")]);
    check(&fixture, &[]);
    let expected = r#"{
  "schemaVersion": 1,
  "threads": [
    {
      "id": "r1",
      "file": "src/a.rs",
      "range": {
        "startLine": 0,
        "startCharacter": 0,
        "endLine": 0,
        "endCharacter": 0
      },
      "status": "open",
      "updatedAt": "2026-01-20T10:00:00.000Z"
    },
    {
      "id": "r2",
      "file": "src/a.rs",
      "range": null,
      "status": "resolved",
      "updatedAt": "2026-01-20T10:00:00.000Z"
    }
  ]
}
"#;
    assert_eq!(fixture.read(INDEX), expected);
}

#[test]
fn a_stale_index_is_rebuilt() {
    let fixture = Fixture::new();
    fixture.review("repo", "r1", &Review::default());
    fixture.review("repo", "r2", &Review::default());
    repair_all(&fixture);
    fs::remove_file(fixture.path("repo/.code-review/threads/r2.md")).unwrap();
    fixture.review("repo", "r1", &Review { status: "resolved", ..Review::default() });
    fixture.review("repo", "r3", &Review::default());
    check(
        &fixture,
        &[&format!(
            "{INDEX}: index-stale missing in the index: 1, gone from the store: 1, changed: 1"
        )],
    );
    repair_all(&fixture);
    check(&fixture, &[]);
}

#[test]
fn a_corrupt_index_is_rebuilt() {
    for content in ["", "{", "[]", "null", "{\"schemaVersion\": 1, \"threads\": 7}"] {
        let fixture = Fixture::new();
        fixture.review("repo", "r1", &Review::default());
        fixture.file(INDEX, content);
        assert_eq!(check_repo(&fixture).diagnostics.len(), 1, "{content}");
        repair_all(&fixture);
        check(&fixture, &[]);
    }
}

#[test]
fn a_corrupt_index_without_any_thread_is_rebuilt() {
    let fixture = Fixture::new();
    fixture.dir("repo/.code-review/threads");
    fixture.file(INDEX, "{");
    check(&fixture, &[&format!("{INDEX}: index-stale the index is not JSON")]);
    repair_all(&fixture);
    check(&fixture, &[]);
}

#[test]
fn old_temporary_files_go_to_the_trash() {
    let fixture = Fixture::new();
    fixture.dir("repo/.code-review/threads");
    fixture.dir("repo/workspace/threads");
    fixture.dir("home/.config/opencode");
    let name = ".skein-0123456789abcdef.tmp";
    let dirs = [
        "repo/.code-review",
        "repo/.code-review/threads",
        "repo/workspace/threads",
        "home/.config/opencode",
    ];
    for dir in dirs {
        make_old(&fixture.file(&format!("{dir}/{name}"), format!("half of {dir}")));
        fixture.file(&format!("{dir}/.skein-fedcba9876543210.tmp"), "its writer may be alive");
    }
    let finding = |dir: &str| format!("{dir}/{name}: file-temp a write was interrupted here");
    let mut expected: Vec<String> = dirs.iter().map(|dir| finding(dir)).collect();
    expected.sort();
    check(&fixture, &expected.iter().map(String::as_str).collect::<Vec<_>>());
    let messages = repair_all(&fixture);
    assert_eq!(messages.len(), 4);
    check(&fixture, &[]);
    for (message, dir) in messages.iter().zip(["repo/.code-review/threads", "repo/.code-review"]) {
        let (from, to) = message.strip_prefix("moved ").unwrap().split_once(" to ").unwrap();
        assert_eq!(from, format!("{dir}/{name}"));
        assert_eq!(fixture.read(to), format!("half of {dir}"));
    }
}

#[test]
fn a_corrupt_session_map_is_renamed_byte_for_byte() {
    let corrupt: [&[u8]; 4] =
        [b"{\"version\": 1, \"mapp", b"[]", b"{\"version\": 1, \"mappings\": {}}", b"\xff\xfe\x00"];
    for bytes in corrupt {
        let fixture = Fixture::new();
        fixture.dir("repo");
        fixture.file(MAP, bytes);
        assert!(!check_repo(&fixture).diagnostics.is_empty());
        let renamed = format!("{MAP}.corrupt-20260123-143000");
        assert_eq!(repair_all(&fixture), [format!("renamed {MAP} to {renamed}")]);
        assert_eq!(fs::read(fixture.path(&renamed)).unwrap(), bytes);
        assert!(!fixture.path(MAP).exists());
        check(&fixture, &[]);
    }
}

#[test]
fn a_session_map_of_another_version_is_not_changed() {
    let fixture = Fixture::new();
    fixture.dir("repo");
    fixture.file(MAP, "{\"version\": 2, \"mappings\": []}");
    let before = fixture.tree();
    let report = check_repo(&fixture);
    let codes: Vec<&str> = report.diagnostics.iter().map(|diag| diag.code).collect();
    assert!(codes.contains(&"session-version"), "{codes:?}");
    assert_eq!(repair_all(&fixture), [""; 0]);
    assert_eq!(fixture.tree(), before);
}

#[test]
fn a_session_map_with_invalid_entries_is_not_changed() {
    let fixture = Fixture::new();
    fixture.dir("repo");
    fixture.sessions(&[
        "{\"sessionId\": 7}".to_owned(),
        session("ses_one", "active", "2026-01-16T10:00:00.000Z"),
    ]);
    let before = fixture.tree();
    assert_eq!(check_repo(&fixture).diagnostics[0].code, "session-entry");
    assert_eq!(repair_all(&fixture), [""; 0]);
    assert_eq!(fixture.tree(), before);
}

#[test]
fn secrets_are_reported_by_rule_and_line_and_are_not_removed() {
    let fixture = Fixture::new();
    let secret = format!("password={}", "x7Kq29LmPz41");
    let says = [("Mira", secret.as_str())];
    fixture.review("repo", "r1", &Review { says: &says, ..Review::default() });
    fixture.checkpoint(
        "repo",
        "T-20260119-100000-one",
        &format!("  \"type\": \"checkpoint\",\n  \"created_at\": \"2026-01-19T10:00:00Z\",\n  \"updated_at\": \"2026-01-19T10:00:00Z\",\n  \"conversation_summary\": \"{secret}\""),
    );
    let entry = session("ses_one", "active", "2026-01-16T10:00:00.000Z");
    fixture.sessions(&[entry.replace("Title of ses_one", &secret)]);
    repair_all(&fixture);
    let message = "secret the line seems to contain a secret (rule `assignment`)";
    check(
        &fixture,
        &[
            &format!("{MAP}:4: {message}"),
            &format!("repo/.code-review/threads/r1.md:18: {message}"),
            &format!("repo/workspace/threads/T-20260119-100000-one.json:7: {message}"),
        ],
    );
    assert!(fixture.read(MAP).contains(&secret));
}

#[test]
fn errors_come_before_warnings() {
    let fixture = Fixture::new();
    fixture.review("repo", "a-warning", &Review { status: "odd", ..Review::default() });
    fixture.file("repo/.code-review/threads/z-error.md", "");
    let severities: Vec<&str> =
        check_repo(&fixture).diagnostics.iter().map(|diag| diag.severity.as_str()).collect();
    assert_eq!(severities, ["error", "warning", "warning"]);
}

#[test]
fn all_worktrees_are_checked_on_request() {
    let fixture = Fixture::new();
    fixture.repository("repo");
    fixture.worktree("repo", "beside", "topic");
    let secret = format!("password={}", "x7Kq29LmPz41");
    fixture.review("beside", "r1", &Review { says: &[("Mira", &secret)], ..Review::default() });
    let temp = "beside/.code-review/threads/.skein-0123456789abcdef.tmp";
    make_old(&fixture.file(temp, ""));
    let workspace = fixture.open("repo");
    assert_eq!(skein_doctor::check(&workspace, WorktreeScope::ThisWorktree).diagnostics.len(), 0);
    let report = skein_doctor::check(&workspace, WorktreeScope::AllWorktrees);
    let codes: Vec<&str> = report.diagnostics.iter().map(|diag| diag.code).collect();
    assert_eq!(codes, ["index-stale", "file-temp", "secret"]);
    assert_eq!(report.repairs.len(), 2);
}

#[test]
fn an_index_that_cannot_be_written_is_an_error_without_data_loss() {
    let fixture = Fixture::new();
    fixture.review("repo", "r1", &Review::default());
    fixture.file(&format!("{INDEX}/keep"), "");
    let workspace = fixture.open("repo");
    let report = skein_doctor::check(&workspace, WorktreeScope::ThisWorktree);
    repair(&workspace, &report.repairs[0]).unwrap_err();
    assert!(fixture.path(INDEX).join("keep").exists());
}

#[test]
fn a_dangling_handoff_is_reported() {
    let fixture = Fixture::new();
    fixture.checkpoint("repo", "T-20260119-100000-here", "  \"type\": \"checkpoint\"");
    let codes = |pointer: &str| {
        fixture.file("repo/workspace/threads/handoff.json", pointer);
        let workspace = fixture.open("repo");
        let overview = skein_summary::overview(&workspace);
        let report = skein_doctor::check(&workspace, WorktreeScope::ThisWorktree);
        let of = |found: Vec<skein_model::view::FileDiagnostic>| {
            let wanted = |code: &&str| code.starts_with("handoff") || code.ends_with("bad-json");
            found.iter().map(|diag| diag.code).filter(wanted).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(of(overview.diagnostics), of(report.diagnostics.clone()));
        of(report.diagnostics)
    };
    assert_eq!(codes("{\"last_thread\": \"T-20260119-100000-here\"}"), "");
    assert_eq!(codes("{\"last_thread\": \"T-20260101-000000-gone\"}"), "handoff-dangling");
    assert_eq!(codes("{\"last_thread\": \"../../etc\"}"), "handoff-dangling");
    assert_eq!(codes("{bad"), "checkpoint-bad-json");
}

#[test]
fn outdated_tables_after_a_merge_are_rebuilt() {
    let fixture = Fixture::new();
    let body = "  \"type\": \"checkpoint\", \"created_at\": \"2026-01-01T00:00:00Z\"";
    for id in ["T-20260101-100000-a", "T-20260101-100001-b"] {
        fixture.checkpoint("repo", id, body);
    }
    // Missing tables are not a problem.
    check(&fixture, &[]);
    let head = "| Thread | Type | Updated | Title |\n|--------|------|---------|-------|\n";
    let index = "repo/workspace/threads/INDEX.md";
    let recent = "repo/workspace/threads/recent.md";
    fixture.file(index, format!("{head}| T-20260101-100000-a | checkpoint | - | - |\n"));
    fixture.file(recent, format!("{head}| T-20260101-100000-gone | checkpoint | - | - |\n"));
    check(
        &fixture,
        &[
            &format!("{index}: tables-stale missing in the table: 1, gone from the store: 0"),
            &format!("{recent}: tables-stale gone from the store: 1"),
        ],
    );
    assert_eq!(repair_all(&fixture), ["wrote INDEX.md and recent.md in repo/workspace/threads"]);
    check(&fixture, &[]);
    assert!(fixture.read(index).contains("Active threads: 2 "));
    // A hook writes checkpoints without tables, which is not a problem.
    fixture.checkpoint("repo", "T-20260101-100002-auto-c", body);
    check(&fixture, &[]);
    fs::remove_file(fixture.path(index)).unwrap();
    fixture.dir(index);
    let message = "this is not a file, so the table cannot be written";
    check(&fixture, &[&format!("{index}: tables-blocked {message}")]);
}

#[test]
fn a_clone_without_the_merge_driver_is_reported() {
    let fixture = Fixture::new();
    let top = fixture.repository("repo");
    let workspace = fixture.open("repo");
    skein_install::setup::share(&workspace).unwrap();
    check(&fixture, &[]);
    skein_fixtures::git(&top, &["config", "--remove-section", "merge.skein-review"]);
    check(
        &fixture,
        &[
            "repo: store-no-merge-driver git does not know how to merge the threads that this repository shares",
        ],
    );
    let workspace = fixture.open("repo");
    skein_install::setup::init(&workspace).unwrap();
    check(&fixture, &[]);
}

/// Writes a temporary file as a process leaves it that was killed two minutes ago.
fn leave_temp_file(fixture: &Fixture, dir: &str) -> std::path::PathBuf {
    let path = fixture.file(&format!("{dir}/.skein-0123456789abcdef.tmp"), "half a doc");
    let file = File::options().write(true).open(&path).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(120)).unwrap();
    path
}

#[test]
fn temporary_files_in_the_state_are_reported_and_cleared_by_the_next_write() {
    let fixture = Fixture::new();
    fixture.file("w/a.rs", "one\n");
    fixture.dir("w/.code-review/threads");
    let workspace = fixture.open("w");
    let state = workspace.dirs().state.join("drafts");
    let dir = state.strip_prefix(fixture.path("")).unwrap().to_str().unwrap().to_owned();
    let left = leave_temp_file(&fixture, &dir);
    let report = skein_doctor::check(&workspace, WorktreeScope::ThisWorktree);
    assert!(report.diagnostics.iter().any(|one| one.code == "file-temp"));
    draft(&workspace, "Why?");
    assert!(!left.exists());
    let kept: Vec<_> =
        fs::read_dir(workspace.env.dirs.state.join("trash/displaced")).unwrap().collect();
    assert_eq!(kept.len(), 1, "the content of the temporary file is kept");
    let report = skein_doctor::check(&workspace, WorktreeScope::ThisWorktree);
    assert!(!report.diagnostics.iter().any(|one| one.code == "file-displaced"));
}

#[test]
fn temporary_files_are_reported_and_repaired_wherever_skein_writes() {
    let fixture = Fixture::new();
    fixture.repository("repo");
    let dirs = ["repo/.git", "repo/.git/info", "repo/.git/hooks", "repo/.claude"];
    let left = dirs.map(|dir| leave_temp_file(&fixture, dir));
    let workspace = fixture.open("repo");
    let report = skein_doctor::check(&workspace, WorktreeScope::ThisWorktree);
    let paths: Vec<&str> = report
        .diagnostics
        .iter()
        .filter(|one| one.code == "file-temp")
        .map(|one| one.path.as_str())
        .collect();
    for path in &left {
        assert!(paths.contains(&path.to_str().unwrap()), "{} in {paths:?}", path.display());
    }
    for one in &report.repairs {
        repair(&workspace, one).unwrap();
    }
    assert!(left.iter().all(|path| !path.exists()));
    let kept = fs::read_dir(workspace.dirs().state.join("trash")).unwrap().count();
    assert_eq!(kept, left.len(), "the content of the temporary files is kept");
    check(&fixture, &[]);
}

fn draft(workspace: &skein_workspace::Workspace, body: &str) -> String {
    let actor = skein_workspace::Actor { name: "Mira".to_owned(), agent: false };
    let thread = skein_review::NewThread {
        place: skein_review::CodeLocation::parse(workspace, "a.rs:1").unwrap(),
        body: body.to_owned(),
        suggestion: None,
        expect: None,
    };
    let options = skein_review::AddOptions { draft: true, changed_only: false };
    skein_review::add(workspace, &actor, &[thread], options).unwrap().threads[0].id.clone()
}
