use serde_json::Value;
use skein_catalog::{WorktreeScope, expand, list, show};
use skein_model::Filter;
use skein_model::view::{PlacementView, ThreadBody};

use skein_fixtures::{Fixture, NOW, Review, session};

fn json(fixture: &Fixture, id: &str) -> Value {
    let workspace = fixture.open("repo");
    serde_json::to_value(show(&workspace, id).unwrap()).unwrap()
}

fn placement(fixture: &Fixture, id: &str) -> Option<PlacementView> {
    let workspace = fixture.open("repo");
    match show(&workspace, id).unwrap().body {
        ThreadBody::Review(body) => body.placement,
        _ => panic!("{id} is not a review"),
    }
}

/// Checks the placement of a comment on the second line of a file.
#[track_caller]
fn check_placement(write: impl FnOnce(&Fixture), selection: &str, expected: &str) {
    let fixture = Fixture::new();
    fixture.dir("repo");
    write(&fixture);
    let thread = Review { lines: Some((1, 1)), selection: Some(selection), ..Review::default() };
    fixture.review("repo", "r1", &thread);
    let placement = placement(&fixture, "r1").unwrap();
    let line = placement.start_line.map_or("nowhere".to_owned(), |line| line.to_string());
    assert_eq!(format!("{} {line}", placement.state), expected);
    assert_eq!(placement.end_line, placement.start_line);
    assert_eq!(placement.path, "src/a.rs");
}

#[test]
fn a_comment_whose_text_is_still_at_its_line_is_exact() {
    let write =
        |text: &'static str| move |fixture: &Fixture| drop(fixture.file("repo/src/a.rs", text));
    check_placement(write("one\ntwo\nthree\n"), "two", "exact 1");
    check_placement(write("one\r\ntwo\r\nthree\r\n"), "two", "exact 1");
    check_placement(write("one\ntwo"), "two", "exact 1");
    check_placement(write("one\ntwo and more\n"), "two", "exact 1");
}

#[test]
fn a_comment_whose_text_is_not_at_its_line_is_gone() {
    let write =
        |text: &'static str| move |fixture: &Fixture| drop(fixture.file("repo/src/a.rs", text));
    check_placement(write("one\nzwei\nthree\n"), "two", "gone nowhere");
    check_placement(write("zero\none\ntwo\n"), "two", "gone nowhere");
    check_placement(write("one"), "two", "gone nowhere");
    check_placement(write(""), "two", "gone nowhere");
    check_placement(|_| (), "two", "gone nowhere");
}

#[test]
fn a_target_behind_a_symlink_out_of_the_workspace_is_not_opened() {
    check_placement(
        |fixture| {
            fixture.file("secret", "one\ntwo\n");
            fixture.link("repo/src/a.rs", "../../secret");
        },
        "two",
        "unverified 1",
    );
    check_placement(
        |fixture| {
            fixture.file("outside/a.rs", "one\ntwo\n");
            fixture.link("repo/src", fixture.path("outside"));
        },
        "two",
        "unverified 1",
    );
    check_placement(
        |fixture| {
            fixture.file("repo/real.rs", "one\ntwo\n");
            fixture.link("repo/src/a.rs", "../real.rs");
        },
        "two",
        "exact 1",
    );
}

#[test]
fn a_target_that_is_not_source_code_is_handled() {
    check_placement(|fixture| drop(fixture.dir("repo/src/a.rs")), "two", "unverified 1");
    check_placement(
        |fixture| drop(fixture.file("repo/src/a.rs", b"\xff\xfe\x00\n\x00\x01\n")),
        "two",
        "unverified 1",
    );
    check_placement(
        |fixture| drop(fixture.file("repo/src/a.rs", b"\xff\xfe\ntwo\n\xff")),
        "two",
        "exact 1",
    );
}

#[test]
fn a_huge_target_is_not_read() {
    check_placement(
        |fixture| {
            let path = fixture.file("repo/src/a.rs", "one\ntwo\n");
            let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
            file.set_len(17 * 1024 * 1024).unwrap();
        },
        "two",
        "unverified 1",
    );
}

#[test]
fn a_thread_on_a_whole_file_is_exact_while_the_file_exists() {
    let fixture = Fixture::new();
    fixture.review("repo", "r1", &Review { lines: None, ..Review::default() });
    assert_eq!(placement(&fixture, "r1").unwrap().state.as_str(), "gone");
    fixture.file("repo/src/a.rs", "");
    let found = placement(&fixture, "r1").unwrap();
    assert_eq!((found.state.as_str(), found.start_line, found.end_line), ("exact", None, None));
}

#[test]
fn a_range_of_extreme_numbers_does_not_panic() {
    let fixture = Fixture::new();
    fixture.file("repo/src/a.rs", "one\ntwo\n");
    let all = Review { lines: Some((0, u32::MAX)), selection: Some("one"), ..Review::default() };
    fixture.review("repo", "r1", &all);
    fixture.review(
        "repo",
        "r2",
        &Review { lines: Some((u32::MAX, u32::MAX)), selection: Some("one"), ..Review::default() },
    );
    fixture.review(
        "repo",
        "r3",
        &Review { lines: Some((7, 2)), selection: Some("one"), ..Review::default() },
    );
    for id in ["r1", "r2", "r3"] {
        json(&fixture, id);
    }
}

#[test]
fn a_review_has_its_comments() {
    let fixture = Fixture::new();
    let says = [("Mira", "Why?\n\nReally."), ("Claude Code", "Because."), ("bot [agent]", "ok")];
    fixture.review("repo", "r1", &Review { says: &says, ..Review::default() });
    let view = json(&fixture, "r1");
    let comment = |id: &str, author: &str, agent: bool, body: &str| {
        serde_json::json!({
            "id": id,
            "author": author,
            "agent": agent,
            "created_at": "2026-01-20T10:00:00.000Z",
            "body": body,
        })
    };
    assert_eq!(
        view["comments"],
        serde_json::json!([
            comment("c0", "Mira", false, "Why?\n\nReally."),
            comment("c1", "Claude Code", true, "Because."),
            comment("c2", "bot [agent]", true, "ok"),
        ])
    );
    assert_eq!(view["patch"], Value::Null);
    assert_eq!(view["waiting_on"], "reviewer");
    let keys: Vec<&String> = view["placement"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["state", "path", "start_line", "end_line", "confidence"]);
}

#[test]
fn a_checkpoint_has_its_files_and_steps() {
    let fixture = Fixture::new();
    let id = "T-20260119-100000-one";
    fixture.checkpoint(
        "repo",
        id,
        "  \"files_touched\": [\"a.rs\", {\"path\": \"b.rs\", \"reason\": \"why\"}], \"next_steps\": [\"Go on\", {\"id\": \"s2\", \"step\": \"Stop\", \"status\": \"done\"}]",
    );
    let view = json(&fixture, id);
    assert_eq!(view["files"][0]["path"], "a.rs");
    assert_eq!(view["files"][1]["reason"], "why");
    let steps = view["next_steps"].as_array().unwrap();
    let got: Vec<_> = steps.iter().map(|step| (&step["step"], &step["status"])).collect();
    assert_eq!(
        got,
        [(&"Go on".into(), &"open".into()), (&Value::from("Stop"), &Value::from("done"))]
    );
    assert_eq!((&view["file_count"], &view["open_steps"]), (&2.into(), &1.into()));
}

#[test]
fn a_session_is_shown_as_its_row() {
    let fixture = Fixture::new();
    fixture.sessions(&[session("ses_one", "active", NOW)]);
    fixture.dir("repo");
    let view = json(&fixture, "ses_one");
    assert_eq!((&view["kind"], &view["status"]), (&"session".into(), &"active".into()));
}

#[test]
fn unusable_files_are_shown_with_the_reason() {
    let fixture = Fixture::new();
    fixture.file("repo/.code-review/threads/no-block.md", "# Notes\n");
    fixture.dir("repo/.code-review/threads/folder.md");
    fixture.link("repo/.code-review/threads/dangling.md", "nowhere.md");
    fixture.dir("repo/workspace/threads/T-20260101-100000-dir.json");
    let check = |id: &str, code: &str| {
        let view = json(&fixture, id);
        assert_eq!(view["usable"], false);
        assert_eq!(view["diagnostics"][0]["code"], code);
    };
    check("no-block", "review-no-metadata");
    check("folder", "file-unreadable");
    check("dangling", "file-unreadable");
    check("T-20260101-100000-dir", "file-unreadable");
}

#[test]
fn every_row_of_a_list_can_be_expanded() {
    let fixture = Fixture::new();
    fixture.repository("repo");
    fixture.worktree("repo", "beside", "topic");
    fixture.review("repo", "r1", &Review::default());
    fixture.file("beside/src/a.rs", "one\n");
    let thread = Review { selection: Some("one"), ..Review::default() };
    fixture.review("beside", "r2", &thread);
    fixture.dir("repo/.code-review/threads/folder.md");
    fixture.sessions(&[session("ses_one", "active", NOW)]);
    fixture.checkpoint("repo", "T-20260119-100000-one", "  \"type\": \"checkpoint\"");
    let workspace = fixture.open("repo");
    let rows = list(&workspace, &Filter::default(), WorktreeScope::AllWorktrees).threads;
    assert_eq!(rows.len(), 5);
    for row in rows {
        let id = row.id.clone();
        let view = expand(&workspace, &row).unwrap();
        assert_eq!(view.row.id, id);
        if let (ThreadBody::Review(body), "r2") = (&view.body, id.as_str()) {
            assert_eq!(view.row.branch.as_deref(), Some("topic"));
            assert_eq!(body.placement.as_ref().unwrap().state.as_str(), "exact");
        }
    }
}
