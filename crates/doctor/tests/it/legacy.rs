//! Threads of older programs, which the doctor moves into the store.

use crate::doctor::{check, check_repo, repair_all};
use skein_fixtures::{Fixture, Review};

const STORE: &str = "repo/.code-review";
const FIRST: &str = "repo/.vscode/.code-review";

fn json(id: &str, body: &str) -> String {
    format!(
        r#"{{"schemaVersion": 1, "id": "{id}", "target": {{"workspaceRelativePath": "src/a.rs", "range": null}},
"state": "resolved", "createdAt": "2025-02-03T04:05:06Z", "updatedAt": "2025-02-03T04:05:06Z",
"comments": [{{"id": "c1", "author": "You", "bodyMarkdown": "{body}", "createdAt": "2025-02-03T04:05:06Z"}}]}}"#
    )
}

fn found(path: &str) -> String {
    format!("{path}: review-legacy this thread was written by an older program")
}

/// Returns the content of the old files in the trash, which the messages name.
fn trashed(fixture: &Fixture, messages: &[String]) -> Vec<String> {
    let copies = messages.iter().filter_map(|one| one.split_once("; the old file is in "));
    copies.map(|(_, copy)| fixture.read(copy)).collect()
}

#[test]
fn json_threads_become_thread_files() {
    let fixture = Fixture::new();
    let (first, second) = (json("one", "Why?"), json("two", "When?"));
    let files = [format!("{STORE}/threads/one.json"), format!("{STORE}/comments/two.json")];
    fixture.file(&files[0], &first);
    fixture.file(&files[1], &second);
    check(&fixture, &[&found(&files[1]), &found(&files[0])]);
    let messages = repair_all(&fixture);
    assert_eq!(trashed(&fixture, &messages), [first, second]);
    check(&fixture, &[]);
    assert!(!fixture.path(&files[0]).exists() && !fixture.path(&files[1]).exists());
    let text = fixture.read(&format!("{STORE}/threads/one.md"));
    assert!(text.contains("\"status\": \"resolved\"") && text.ends_with("\n\nWhy?\n"), "{text}");
    assert!(fixture.read(&format!("{STORE}/index.json")).contains("\"id\": \"two\""));
}

#[test]
fn a_migrated_store_has_instructions_for_agents() {
    for (file, agents) in [
        (format!("{STORE}/threads/one.json"), None),
        (format!("{FIRST}/threads/one.json"), None),
        (format!("{STORE}/comments/one.json"), Some("My own rules.")),
    ] {
        let fixture = Fixture::new();
        fixture.file(&file, json("one", "Why?"));
        if let Some(agents) = agents {
            fixture.file(&format!("{STORE}/AGENTS.md"), agents);
        }
        repair_all(&fixture);
        let text = fixture.read(&format!("{STORE}/AGENTS.md"));
        assert_eq!(text, agents.unwrap_or(skein_review::AGENTS_TEXT), "{file}");
        assert!(fixture.path(&format!("{STORE}/threads/one.md")).exists());
    }
}

#[test]
fn the_threads_of_the_first_store_are_moved_into_a_new_store() {
    let fixture = Fixture::new();
    fixture.review("other", "kept", &Review::default());
    let text = fixture.read("other/.code-review/threads/kept.md");
    let files = [format!("{FIRST}/threads/kept.md"), format!("{FIRST}/comments/old.json")];
    fixture.file(&files[0], &text);
    fixture.file(&files[1], json("old", "Why?"));
    fixture.file(&format!("{FIRST}/AGENTS.md"), "stays");
    check(&fixture, &[&found(&files[1]), &found(&files[0])]);
    let messages = repair_all(&fixture);
    assert_eq!(trashed(&fixture, &messages), [text.clone(), json("old", "Why?")]);
    assert_eq!(fixture.read(&format!("{STORE}/threads/kept.md")), text);
    assert!(fixture.path(&format!("{STORE}/threads/old.md")).exists());
    assert!(fixture.path(&format!("{FIRST}/AGENTS.md")).exists());
    check(&fixture, &[]);
}

#[test]
fn a_thread_of_the_store_is_never_overwritten() {
    let fixture = Fixture::new();
    fixture.review("repo", "one", &Review::default());
    repair_all(&fixture);
    let before = fixture.read(&format!("{STORE}/threads/one.md"));
    let file = format!("{STORE}/threads/one.json");
    fixture.file(&file, json("one", "Something else."));
    let why = "the store has another thread `one`, which lacks comments of this one";
    check(&fixture, &[&format!("{} and cannot be migrated: {why}", found(&file))]);
    let report = check_repo(&fixture);
    assert!(report.repairs.is_empty() && !report.diagnostics[0].fixable);
    // Once the thread has all comments, the old file is removed.
    let more = "\n<local-code-review-comment id=\"c9\" author=\"You\" createdAt=\"2025-02-03T04:05:06Z\"/>\n\nSomething else.\n";
    fixture.file(&format!("{STORE}/threads/one.md"), before.clone() + more);
    repair_all(&fixture);
    assert_eq!(fixture.read(&format!("{STORE}/threads/one.md")), before + more);
    check(&fixture, &[]);
}

#[test]
fn a_file_that_is_not_a_thread_is_reported_and_kept() {
    let fixture = Fixture::new();
    fixture.dir(&format!("{STORE}/threads"));
    let file = format!("{STORE}/threads/x.json");
    for (text, why) in [
        ("{", "the file is not JSON: expected a key in double quotes"),
        ("{\"schemaVersion\": 1, \"id\": \"x\"}", "the path of the file under review is missing"),
        ("[]", "the file is not a JSON object"),
    ] {
        fixture.file(&file, text);
        check(&fixture, &[&format!("{} and cannot be migrated: {why}", found(&file))]);
        assert_eq!(check_repo(&fixture).repairs.len(), 0);
    }
}

#[test]
fn a_store_of_another_tool_is_not_moved_into() {
    let fixture = Fixture::new();
    fixture.file(&format!("{STORE}/config.yml"), "");
    fixture.file(&format!("{FIRST}/threads/one.json"), json("one", "Why?"));
    let report = check_repo(&fixture);
    assert!(report.repairs.is_empty());
    let codes: Vec<&str> = report.diagnostics.iter().map(|diag| diag.code).collect();
    assert_eq!(codes, ["store-foreign", "review-legacy"]);
}

#[test]
fn a_directory_outside_of_the_workspace_is_not_read() {
    let fixture = Fixture::new();
    fixture.file("elsewhere/threads/one.json", json("one", "Why?"));
    fixture.dir("repo/.vscode");
    fixture.link(FIRST, fixture.path("elsewhere"));
    check(&fixture, &[]);
}

#[test]
fn a_store_with_only_legacy_threads_is_not_foreign() {
    let fixture = Fixture::new();
    let file = format!("{STORE}/comments/one.json");
    fixture.file(&file, json("one", "Why?"));
    check(&fixture, &[&found(&file)]);
    repair_all(&fixture);
    assert!(fixture.path(&format!("{STORE}/threads/one.md")).exists());
    assert!(!fixture.path(&file).exists());
    check(&fixture, &[]);
    // The name of the directory is not enough without a thread in it.
    let fixture = Fixture::new();
    fixture.file(&format!("{STORE}/comments/notes.txt"), "mine");
    assert_eq!(check_repo(&fixture).diagnostics[0].code, "store-foreign");
}
