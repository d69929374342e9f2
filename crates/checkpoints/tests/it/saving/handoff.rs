//! Writing handoffs.

use serde_json::{Value, json};
use skein_checkpoints::{CheckpointError, Handoff, HandoffResult};
use skein_workspace::FileError;

use super::value;
use skein_fixtures::Fixture;

fn hand_over(fixture: &Fixture, message: &str) -> HandoffResult {
    let workspace = fixture.open("w");
    let handoff = Handoff {
        message: message.to_owned(),
        steps: vec!["One".to_owned(), "Two".to_owned()],
        ..Handoff::default()
    };
    skein_checkpoints::handoff(&workspace, &handoff).unwrap()
}

fn pointer(fixture: &Fixture) -> Value {
    serde_json::from_str(&fixture.read("w/workspace/threads/handoff.json")).unwrap()
}

#[test]
fn the_pointer_names_the_thread_and_the_earlier_handoff_can_still_be_found() {
    let fixture = Fixture::new();
    fixture.repository("w");
    let first = hand_over(&fixture, "Parser done");
    assert_eq!(first.previous, None);
    let written = value(&first.saved);
    assert_eq!(
        (&written["type"], &written["next_steps"]),
        (&json!("handoff"), &json!(["One", "Two"]))
    );
    assert_eq!(written["metadata"], json!({"title": "Handoff: Parser done", "tags": ["handoff"]}));
    assert_eq!(
        pointer(&fixture),
        json!({
            "created_at": "2026-01-23T14:30:00.000Z",
            "message": "Parser done",
            "last_thread": "T-20260123-143000-parser-done",
            "thread_path": "workspace/threads/T-20260123-143000-parser-done.json",
            "context_notes": "One; Two",
        })
    );
    let second = hand_over(&fixture, "Docs done");
    assert_eq!(second.previous.as_deref(), Some("T-20260123-143000-parser-done"));
    assert_eq!(pointer(&fixture)["last_thread"], "T-20260123-143000-docs-done");
    assert_eq!(
        value(&second.saved)["metadata"]["previous_handoff"],
        json!({
            "last_thread": "T-20260123-143000-parser-done",
            "message": "Parser done",
            "context_notes": "One; Two",
        })
    );
    let index = fixture.read("w/workspace/threads/INDEX.md");
    assert!(index.contains("parser-done | handoff") && index.contains("docs-done | handoff"));
}

#[test]
fn only_an_open_handoff_of_this_worktree_is_reported_as_offered_before() {
    let fixture = Fixture::new();
    fixture.repository("w");
    fixture.dir("w/workspace/threads");
    let hand_over = |dir: &str, message: &str| {
        let workspace = fixture.open(dir);
        let handoff = Handoff { message: message.to_owned(), ..Handoff::default() };
        skein_checkpoints::handoff(&workspace, &handoff).unwrap()
    };
    fixture.worktree("w", "api", "login");
    let first = hand_over("w", "Parser");
    assert_eq!(first.before, None);
    assert_eq!(
        hand_over("api", "Login").before,
        None,
        "the handoff of another worktree is still offered there"
    );
    let third = hand_over("w", "Printer");
    assert_eq!(third.before.as_deref(), Some(first.saved.id.as_str()));
    let workspace = fixture.open("w");
    for id in [&first.saved.id, &third.saved.id] {
        skein_checkpoints::change_handoff(
            &workspace,
            Some(id),
            skein_checkpoints::HandoffChange::Done,
        )
        .unwrap();
    }
    assert_eq!(hand_over("w", "Linter").before, None, "an ended handoff was not offered");
}

#[test]
fn members_that_others_wrote_into_the_pointer_are_kept() {
    let fixture = Fixture::new();
    fixture.dir("w");
    let old = "{\r\n  \"created_at\": \"20260822T170711Z\",\r\n  \"git\": { \"branch\":\"x\" },\r\n  \"message\": null\r\n}";
    fixture.file("w/workspace/threads/handoff.json", old);
    hand_over(&fixture, "Go on");
    let text = fixture.read("w/workspace/threads/handoff.json");
    let start = "{\r\n  \"created_at\": \"2026-01-23T14:30:00.000Z\",\r\n  \"git\": { \"branch\":\"x\" },\r\n  \"message\": \"Go on\",\r\n  \"last_thread\"";
    assert!(text.starts_with(start), "{text}");
    assert!(!text.replace("\r\n", "").contains('\n'));
}

#[test]
fn an_invalid_pointer_is_set_aside() {
    let fixture = Fixture::new();
    fixture.dir("w");
    fixture.file("w/workspace/threads/handoff.json", "half {");
    hand_over(&fixture, "Go on");
    assert_eq!(pointer(&fixture)["message"], "Go on");
    assert!(fixture.tree().contains("\"half {\""));
}

#[test]
fn a_pointer_that_is_a_link_is_not_written() {
    let fixture = Fixture::new();
    fixture.dir("w/workspace/threads");
    fixture.file("precious", "{}");
    fixture.link("w/workspace/threads/handoff.json", fixture.path("precious"));
    let workspace = fixture.open("w");
    let handoff = Handoff { message: "x".to_owned(), ..Handoff::default() };
    let error = skein_checkpoints::handoff(&workspace, &handoff).unwrap_err();
    assert!(matches!(error, CheckpointError::File(FileError::Link { .. })), "{error}");
    assert_eq!(fixture.read("precious"), "{}");
    assert_eq!(super::names(&fixture, "w"), ["handoff.json"]);
}

#[test]
fn an_empty_message_is_refused() {
    let fixture = Fixture::new();
    fixture.dir("w");
    let workspace = fixture.open("w");
    let error = skein_checkpoints::handoff(&workspace, &Handoff::default()).unwrap_err();
    assert!(matches!(error, CheckpointError::Empty));
    assert!(!fixture.path("w/workspace").exists());
}

#[test]
fn the_git_state_in_a_pointer_of_another_program_is_updated() {
    let fixture = Fixture::new();
    fixture.repository("w");
    let old = r#"{"last_thread": "T-1", "git": {"branch": "old", "current_commit": "b73f6d3", "remote_url": "https://host.example/x", "pr": 7}}"#;
    fixture.file("w/workspace/threads/handoff.json", old);
    hand_over(&fixture, "Parser done");
    let git = &pointer(&fixture)["git"];
    assert_eq!((&git["branch"], &git["pr"]), (&json!("main"), &json!(7)));
    assert_ne!(git["current_commit"], "b73f6d3");
    assert_eq!(git.get("remote_url"), None);
}

#[test]
fn a_directory_with_the_name_of_the_pointer_is_reported_before_anything_is_written() {
    let fixture = Fixture::new();
    fixture.dir("w/workspace/threads/handoff.json");
    let before = fixture.tree();
    let workspace = fixture.open("w");
    let handoff = Handoff { message: "Done".to_owned(), ..Handoff::default() };
    let failed = skein_checkpoints::handoff(&workspace, &handoff);
    assert!(matches!(failed, Err(CheckpointError::NotAFile { .. })), "{failed:?}");
    assert_eq!(fixture.tree(), before);
}
