use std::collections::BTreeMap;

use skein_catalog::{WorktreeScope, expand, list};
use skein_demo::{DemoError, write};
use skein_doctor::check;
use skein_model::Filter;
use skein_model::view::{RowDetail, ThreadBody};

use skein_fixtures::{Fixture, git};

/// Writes the demo and returns its files, with `DEMO` for the path of the directory.
fn demo(fixture: &Fixture, name: &str) -> BTreeMap<String, String> {
    let root = write(&fixture.env(""), &fixture.path(name)).unwrap();
    let mut files = BTreeMap::new();
    for dir in [
        ".code-review/threads",
        ".code-review",
        "workspace/threads",
        "workspace/checkpoints",
        "sessions",
        "src",
        "web",
    ] {
        for entry in root.join(dir).read_dir().unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                let text = std::fs::read_to_string(&path).unwrap();
                let text = text.replace(&root.display().to_string(), "DEMO");
                files.insert(path.strip_prefix(&root).unwrap().display().to_string(), text);
            }
        }
    }
    files
}

#[test]
fn two_demos_with_the_same_time_are_equal() {
    let fixture = Fixture::new();
    let (one, two) = (demo(&fixture, "one"), demo(&fixture, "two"));
    assert_eq!(one, two);
    assert!(one.len() > 20);
    let commit = |name: &str| git(&fixture.path(name), &["rev-parse", "HEAD"]);
    assert_eq!(commit("one"), commit("two"));
}

#[test]
fn the_demo_has_threads_in_every_state() {
    let fixture = Fixture::new();
    demo(&fixture, "demo");
    let workspace = fixture.open("demo/src");
    let rows = list(&workspace, &Filter::default(), WorktreeScope::ThisWorktree).threads;
    let mut states: BTreeMap<String, usize> = BTreeMap::new();
    let mut count = |state: String| *states.entry(state).or_default() += 1;
    for row in rows {
        let view = expand(&workspace, &row).unwrap();
        let status = view.row.status.clone().unwrap_or_default();
        match (&view.row.detail, &view.body) {
            _ if !view.row.usable => count("broken".to_owned()),
            (RowDetail::Review(detail), ThreadBody::Review(body)) => {
                count(format!("{status} {}", detail.waiting_on.map_or("", |turn| turn.as_str())));
                if detail.target.as_ref().is_some_and(|target| target.range.is_none()) {
                    count("on a file".to_owned());
                }
                if body.patch.is_some() {
                    count("with a patch".to_owned());
                }
                if body.comments.iter().any(|comment| comment.body.contains("```suggestion")) {
                    count("with a suggestion".to_owned());
                }
                count(body.placement.as_ref().unwrap().state.to_string());
            }
            (RowDetail::Checkpoint(detail), _) => count(format!("{} {status}", detail.kind)),
            _ => count(format!("session {status}")),
        }
    }
    let got: Vec<String> =
        states.iter().map(|(state, count)| format!("{} {count}", state.trim())).collect();
    let expected = [
        "auto-checkpoint 1",
        "broken 1",
        "checkpoint 2",
        "checkpoint error 1",
        "edited 1",
        "exact 10",
        "gone 1",
        "handoff open 1",
        "on a file 2",
        "open agent 5",
        "open reviewer 4",
        "resolved 3",
        "session active 1",
        "session disconnected 1",
        "session ended 1",
        "session orphaned 1",
        "with a patch 1",
        "with a suggestion 1",
    ];
    assert_eq!(got, expected);
}

#[test]
fn the_demo_has_uncommitted_changes() {
    let fixture = Fixture::new();
    demo(&fixture, "demo");
    let status = git(&fixture.path("demo"), &["status", "--porcelain", "--untracked-files=all"]);
    assert_eq!(status, " M src/cache.rs\n M src/http.rs\n M web/board.ts\n?? web/board.test.ts\n");
}

#[test]
fn the_doctor_finds_the_broken_thread_and_nothing_else() {
    let fixture = Fixture::new();
    demo(&fixture, "demo");
    let workspace = fixture.open("demo");
    let report = check(&workspace, WorktreeScope::ThisWorktree);
    let codes: Vec<&str> = report.diagnostics.iter().map(|diag| diag.code).collect();
    assert_eq!(codes, ["review-no-metadata"]);
    assert_eq!(report.repairs.len(), 0);
}

#[test]
fn nothing_outside_of_the_directory_is_written() {
    let fixture = Fixture::new();
    fixture.dir("home");
    demo(&fixture, "demo");
    let entries = |dir: &str| fixture.path(dir).read_dir().unwrap().count();
    assert_eq!((entries("home"), entries("")), (0, 2));
}

#[test]
fn a_directory_that_is_not_empty_is_refused() {
    let fixture = Fixture::new();
    fixture.file("full/notes.txt", "mine");
    fixture.file("file", "mine");
    fixture.link("dangling", "nowhere/at/all");
    for name in ["full", "file", "dangling"] {
        let before = fixture.tree();
        let error = write(&fixture.env(""), &fixture.path(name)).unwrap_err();
        assert_eq!(matches!(error, DemoError::NotEmpty { .. }), name != "dangling", "{error}");
        assert_eq!(fixture.tree(), before);
    }
    fixture.dir("empty");
    write(&fixture.env(""), &fixture.path("empty")).unwrap();
}
