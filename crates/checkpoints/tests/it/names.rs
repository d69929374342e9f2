//! Checkpoints with file names that other programs or people have chosen.

use std::fs;
use std::os::unix::ffi::OsStringExt as _;

use skein_catalog::{WorktreeScope, list, show};
use skein_checkpoints::{StepChange, StepRequest, change_steps};
use skein_model::Filter;

use skein_fixtures::Fixture;

const LONG: &str = "T-20260122-100000-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";

const NAMES: [&str; 8] = [
    "T-20260122-100001-two words",
    "T-20260122-100002-Ada's",
    "T-20260122-100003-copy (2)",
    "T-20260122-100004-cafe\u{301}",
    "T-20260122-100005-पुष्टि",
    "T-20260122-100006-🚀 launch",
    "T-20260122-100007-fix #2",
    LONG,
];

fn new_fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.repository("r");
    for name in NAMES {
        let text = format!(
            "{{\"thread_id\": \"{name}\", \"created_at\": \"2026-01-22T10:00:00Z\", \"next_steps\": [\"Go on\"]}}"
        );
        fixture.file(&format!("r/workspace/threads/{name}.json"), text);
    }
    fixture
}

#[test]
fn a_checkpoint_with_any_file_name_is_listed_shown_resumed_and_edited() {
    let fixture = new_fixture();
    let workspace = fixture.open("r");
    let all = list(&workspace, &Filter::default(), WorktreeScope::ThisWorktree);
    assert_eq!(all.threads.len(), NAMES.len());
    assert!(all.threads.iter().all(|row| row.usable && row.diagnostics.is_empty()));
    for name in NAMES {
        assert_eq!(show(&workspace, name).unwrap().row.id, name);
        assert_eq!(skein_checkpoints::view(&workspace, name).unwrap().row.id, name);
        assert_eq!(skein_summary::brief(&workspace, Some(name)).unwrap().id, name);
        let wanted = StepRequest { change: StepChange::Done, by: "Ada".to_owned(), note: None };
        change_steps(&workspace, &[format!("{name}#1")], &wanted).unwrap();
        assert!(fixture.read(&format!("r/workspace/threads/{name}.json")).contains("\"done\""));
    }
    let report = skein_doctor::check(&workspace, WorktreeScope::ThisWorktree);
    assert!(report.diagnostics.is_empty(), "{:?}", report.diagnostics);
}

#[test]
fn names_that_cannot_be_used_are_reported() {
    let fixture = new_fixture();
    let dir = fixture.path("r/workspace/threads");
    fs::write(dir.join("T-a\nb.json"), "{}").unwrap();
    fs::write(dir.join("notes.json"), "{}").unwrap();
    fs::write(dir.join(std::ffi::OsString::from_vec(b"T-\xff.json".to_vec())), "{}").unwrap();
    fixture.file("r/workspace/threads/T-20260122-100001-x.changeset.json", "{}");
    fixture
        .file("r/workspace/threads/handoff.json", r#"{"last_thread": "T-20260122-100002-Ada's"}"#);
    let workspace = fixture.open("r");
    let report = skein_doctor::check(&workspace, WorktreeScope::ThisWorktree);
    let codes: Vec<&str> = report.diagnostics.iter().map(|diag| diag.code).collect();
    let expected = ["file-unreadable", "checkpoint-name", "checkpoint-name"];
    assert_eq!(codes, expected, "{:?}", report.diagnostics);
}

#[test]
fn unusual_times_and_keys_are_reported() {
    let fixture = Fixture::new();
    fixture.repository("r");
    let check = |name: &str, members: &str| {
        let path = fixture.checkpoint("r", name, members);
        let workspace = fixture.open("r");
        let report = skein_doctor::check(&workspace, WorktreeScope::ThisWorktree);
        fs::remove_file(path).unwrap();
        report.diagnostics.iter().map(|diag| diag.code).collect::<Vec<_>>().join(" ")
    };
    let good = "\"created_at\": \"2026-01-22T10:00:00Z\"";
    assert_eq!(check("T-20261399-100000-x", good), "checkpoint-id-time");
    assert_eq!(
        check("T-1", &format!("{good}, \"updated_at\": \"2026-01-21T10:00:00Z\"")),
        "checkpoint-time-order"
    );
    assert_eq!(
        check("T-1", "\"created_at\": \"2027-01-22T10:00:00Z\""),
        "checkpoint-future checkpoint-future"
    );
    assert_eq!(check("T-1", &format!("{good}, \"version\": 1")), "checkpoint-duplicate-key");
}

#[test]
fn a_checkpoint_is_found_by_the_id_in_its_file_if_its_name_differs() {
    let fixture = Fixture::new();
    fixture.repository("r");
    let text = r#"{"thread_id": "T-20260122-100000-parser", "created_at": "2026-01-22T10:00:00Z"}"#;
    fixture.file("r/workspace/threads/T-renamed.json", text);
    fixture.checkpoint(
        "r",
        "T-20260122-100000-parser-2",
        "  \"created_at\": \"2026-01-22T10:00:00Z\"",
    );
    let workspace = fixture.open("r");
    assert_eq!(show(&workspace, "T-20260122-100000-parser").unwrap().row.id, "T-renamed");
    let brief = skein_summary::brief(&workspace, Some("T-20260122-100000-parser")).unwrap();
    assert_eq!(brief.id, "T-renamed");
    fixture.checkpoint("r", "T-again", "  \"x\": 1");
    let path = fixture.path("r/workspace/threads/T-again.json");
    fs::write(&path, text).unwrap();
    let error = skein_summary::brief(&workspace, Some("T-20260122-100000-parser")).unwrap_err();
    assert!(error.to_string().starts_with("ambiguous thread id"), "{error}");
}

#[test]
fn a_hard_link_to_a_checkpoint_gets_the_same_changes() {
    let fixture = new_fixture();
    let name = "T-20260122-100001-two words.json";
    let mirror = fixture.dir("r/companies/acme/workspace/sessions").join(name);
    let path = fixture.path("r/workspace/threads").join(name);
    fs::hard_link(&path, &mirror).unwrap();
    let workspace = fixture.open("r");
    let wanted = StepRequest { change: StepChange::Done, by: "Ada".to_owned(), note: None };
    let handle = "T-20260122-100001-two words#1".to_owned();
    change_steps(&workspace, &[handle], &wanted).unwrap();
    assert_eq!(fs::read(&mirror).unwrap(), fs::read(&path).unwrap());
    // A write of another program through one name is visible through both.
    fs::write(&mirror, "{}").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "{}");
}
