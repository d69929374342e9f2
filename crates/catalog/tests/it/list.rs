use serde_json::Value;
use skein_catalog::{WorktreeScope, list};
use skein_model::{Filter, FilterError};

use skein_fixtures::{Fixture, NOW, Review, at, session};

fn filter(words: &str) -> Filter {
    let mut filter = Filter::default();
    for word in words.split_whitespace() {
        filter.word(word, at(NOW)).unwrap();
    }
    filter
}

/// Compares the ids that pass the filter, in order.
#[track_caller]
fn check(fixture: &Fixture, words: &str, expected: &str) {
    let workspace = fixture.open("repo");
    let listing = list(&workspace, &filter(words), WorktreeScope::ThisWorktree);
    let ids: Vec<&str> = listing.threads.iter().map(|row| row.id.as_str()).collect();
    assert_eq!(ids.join(" "), expected, "{words}");
}

/// Returns the unfiltered listing as JSON.
fn json(fixture: &Fixture, scope: WorktreeScope) -> Value {
    let workspace = fixture.open("repo");
    serde_json::to_value(list(&workspace, &Filter::default(), scope)).unwrap()
}

fn row<'a>(listing: &'a Value, id: &str) -> &'a Value {
    let rows = listing["threads"].as_array().unwrap();
    rows.iter().find(|row| row["id"] == id).unwrap_or_else(|| panic!("{id} is not listed"))
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn filters_narrow_the_list() {
    let fixture = skein_fixtures::filterable();
    let check = |words: &str, expected: &str| check(&fixture, words, expected);
    let (full, auto, over) =
        ("T-20260119-100000-full", "T-20260118-100000-auto-commit", "T-20260117-100000-over");
    check("", &format!("r-cache r-http r-done {full} {auto} {over} ses_one ses_two"));
    check("review", "r-cache r-http r-done");
    check("kind:reviews", "r-cache r-http r-done");
    check("checkpoints", &format!("{full} {auto} {over}"));
    check("session", "ses_one ses_two");
    check("status:open", "r-cache r-http");
    check("status:resolved", "r-done");
    check("status:ended", "ses_two");
    check("review status:all", "r-cache r-http r-done");
    check("status:error", over);
    check("file:src/cache.rs", &format!("r-cache {full}"));
    check("file:src", &format!("r-cache r-http {full}"));
    check("file:./src/net/", "r-http");
    check("file:http.rs", "r-http r-done");
    check("file:src/c", "");
    check("file:/srv/lantern", "ses_one ses_two");
    check("author:mira", "r-cache r-http");
    check("author:claude", "r-http r-done");
    check("since:2026-01-21", "r-cache r-http");
    check("since:yesterday", "r-cache");
    check("since:1w review", "r-cache r-http r-done");
    check("tag:http", &format!("{full} {over}"));
    check("type:auto", auto);
    check("type:auto-checkpoint", auto);
    check("type:handoff", over);
    check("waiting:agent", "r-cache");
    check("waiting:reviewer", "r-http");
    check("waiting:agent tag:http", "");
    check("review file:http.rs status:open", "r-http");
}

#[test]
fn an_invalid_filter_is_an_error() {
    let check = |word: &str, expected: &str| {
        let error = Filter::default().word(word, at(NOW)).unwrap_err();
        assert_eq!(error.to_string(), expected);
        error
    };
    check("nonsense", "neither a kind nor a filter: nonsense");
    check("colour:red", "there is no filter `colour`");
    check("since:soon", "not a date: soon");
    check(
        "waiting:me",
        "`waiting` takes reviewer, agent, or a name that a thread waits on, not `me`",
    );
    let kind = check("kind:thing", "`kind` takes review, session or checkpoint, not `thing`");
    assert!(matches!(kind, FilterError::Value { key: "kind", .. }));
}

#[test]
fn a_date_in_the_future_is_not_sorted_first() {
    let fixture = Fixture::new();
    let review = |id: &str, updated_at: &str| {
        drop(fixture.review("repo", id, &Review { updated_at, ..Review::default() }));
    };
    review("b-old", "2026-01-01T10:00:00.000Z");
    review("c-next-century", "2126-01-01T10:00:00.000Z");
    review("a-just-now", NOW);
    check(&fixture, "", "a-just-now c-next-century b-old");
}

#[test]
fn threads_of_the_same_time_are_in_the_order_of_their_code() {
    let fixture = Fixture::new();
    let review = |id: &str, path: &str, lines: Option<(u32, u32)>| {
        drop(fixture.review("repo", id, &Review { path, lines, ..Review::default() }));
    };
    review("a", "src/b.rs", Some((3, 3)));
    review("b", "src/a.rs", Some((10, 12)));
    review("c", "src/a.rs", Some((2, 2)));
    review("d", "src/a.rs", None);
    review("e", "src/a.rs", Some((2, 2)));
    check(&fixture, "", "d c e b a");
}

#[test]
fn unusable_files_are_listed_with_the_reason() {
    let fixture = Fixture::new();
    fixture.review("repo", "fine", &Review::default());
    fixture.file("repo/.code-review/threads/no-block.md", "# Notes\n");
    fixture.review("repo", "escapes", &Review { path: "../secret", ..Review::default() });
    fixture.dir("repo/.code-review/threads/folder.md");
    fixture.link("repo/.code-review/threads/dangling.md", "nowhere.md");
    fixture.file("repo/workspace/threads/T-20260101-100000-cut.json", "{\"thread_id\": ");
    fixture.dir("repo/workspace/threads/T-20260101-100000-dir.json");
    let listing = json(&fixture, WorktreeScope::ThisWorktree);
    let mut got: Vec<String> = listing["threads"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            let code = &row["diagnostics"][0]["code"];
            format!("{} {} {} {}", row["kind"], row["id"], row["usable"], code).replace('"', "")
        })
        .collect();
    got.sort();
    let expected = [
        "checkpoint T-20260101-100000-cut false checkpoint-bad-json",
        "checkpoint T-20260101-100000-dir false file-unreadable",
        "review dangling false file-unreadable",
        "review escapes false review-unsafe-path",
        "review fine true null",
        "review folder false file-unreadable",
        "review no-block false review-no-metadata",
    ];
    assert_eq!(got, expected);
    let escapes = row(&listing, "escapes");
    assert_eq!((&escapes["at"], &escapes["waiting_on"]), (&Value::Null, &Value::Null));
}

#[test]
fn unusable_files_pass_a_kind_filter_but_no_content_filter() {
    let fixture = Fixture::new();
    fixture.file("repo/.code-review/threads/no-block.md", "# Notes\n");
    fixture.dir("repo/.code-review/threads/folder.md");
    fixture.dir("repo/workspace/threads/T-20260101-100000-dir.json");
    check(&fixture, "review", "folder no-block");
    for words in ["status:open", "file:src", "since:2w", "author:mira", "waiting:agent", "tag:a"] {
        check(&fixture, words, "");
    }
}

#[test]
fn an_unreadable_store_is_reported_as_a_diagnostic() {
    let fixture = Fixture::new();
    fixture.file("repo/.code-review/threads", "not a directory");
    fixture.file("repo/.code-review/index.json", "{\"schemaVersion\": 1, \"threads\": []}");
    fixture.checkpoint("repo", "T-20260101-100000-fine", "  \"type\": \"checkpoint\"");
    fixture.dir("home/.config/opencode/mattermost-threads.json");
    let listing = json(&fixture, WorktreeScope::ThisWorktree);
    let codes: Vec<&Value> =
        listing["diagnostics"].as_array().unwrap().iter().map(|diag| &diag["code"]).collect();
    assert_eq!(codes, ["store-unreadable", "file-unreadable"]);
    assert_eq!(listing["threads"].as_array().unwrap().len(), 1);
}

#[test]
fn a_thread_hides_a_legacy_checkpoint_of_the_same_id() {
    let fixture = Fixture::new();
    let id = "T-20260119-100000-both";
    fixture.checkpoint("repo", id, "  \"metadata\": {\"title\": \"Thread\"}");
    fixture.file(&format!("repo/workspace/checkpoints/{id}.json"), "{\"summary\": \"Legacy\"}");
    fixture.file(
        "repo/workspace/checkpoints/only-legacy.json",
        "{\"task_id\": \"only-legacy\", \"completed_at\": \"2026-01-02T10:00:00Z\"}",
    );
    check(&fixture, "", &format!("{id} only-legacy"));
    let listing = json(&fixture, WorktreeScope::ThisWorktree);
    assert_eq!(row(&listing, id)["title"], "Thread");
}

#[test]
fn a_thread_excluded_by_a_filter_still_hides_its_legacy_checkpoint() {
    let fixture = Fixture::new();
    let id = "T-20260119-100000-both";
    fixture.checkpoint("repo", id, "  \"metadata\": {\"tags\": [\"moved\"]}");
    let legacy = "{\"metadata\": {\"tags\": [\"old\"]}, \"tags\": [\"old\"]}";
    fixture.file(&format!("repo/workspace/checkpoints/{id}.json"), legacy);
    check(&fixture, "tag:moved", id);
    check(&fixture, "tag:old", "");
}

#[test]
fn other_files_in_the_thread_directory_are_not_threads() {
    let fixture = Fixture::new();
    fixture.checkpoint("repo", "T-20260119-100000-one", "  \"type\": \"checkpoint\"");
    for name in ["handoff.json", "T-20260119-100000-one.changeset.json", "INDEX.md", "recent.md"] {
        fixture.file(&format!("repo/workspace/threads/{name}"), "{}");
    }
    fixture.file("repo/workspace/checkpoints/handoff.json", "{}");
    fixture.review("repo", "r1", &Review::default());
    for name in ["threads/.hidden.md", "threads/notes.txt", "index.json", "AGENTS.md"] {
        fixture.file(&format!("repo/.code-review/{name}"), "{}");
    }
    check(&fixture, "", "r1 T-20260119-100000-one");
}

/// Compares the id and branch of the reviews of all worktrees.
#[track_caller]
fn check_worktrees(fixture: &Fixture, expected: &[&str]) {
    let listing = json(fixture, WorktreeScope::AllWorktrees);
    let rows = listing["threads"].as_array().unwrap();
    let mut got: Vec<String> = rows
        .iter()
        .map(|row| format!("{} {}", row["id"], row["branch"]).replace('"', ""))
        .collect();
    got.sort();
    assert_eq!(got, expected);
}

#[test]
fn threads_of_all_worktrees_are_listed_with_their_branch() {
    let fixture = Fixture::new();
    fixture.repository("repo");
    fixture.worktree("repo", "beside", "topic");
    fixture.worktree("repo", "repo/inside", "nested");
    fixture.review("repo", "r-main", &Review::default());
    fixture.review("beside", "r-topic", &Review::default());
    fixture.review("repo/inside", "r-nested", &Review::default());
    check_worktrees(&fixture, &["r-main main", "r-nested nested", "r-topic topic"]);
    let listing = json(&fixture, WorktreeScope::ThisWorktree);
    assert_eq!(row(&listing, "r-main").get("branch"), None);
}

#[test]
fn a_thread_that_several_worktrees_have_is_listed_once_with_the_states_that_differ() {
    let fixture = Fixture::new();
    fixture.repository("repo");
    fixture.worktree("repo", "beside", "topic");
    fixture.worktree("repo", "third", "third");
    let older = Review { updated_at: "2026-01-19T10:00:00.000Z", ..Review::default() };
    let resolved = Review { status: "resolved", ..Review::default() };
    fixture.file("repo/.code-review/.gitattributes", "threads/*.md merge=skein-review\n");
    for dir in ["repo", "beside", "third"] {
        fixture.review(dir, "r-same", &Review::default());
        fixture.review(dir, "r-differs", &older);
    }
    fixture.review("beside", "r-differs", &resolved);
    fixture.review("third", "r-elsewhere", &older);
    fixture.review("beside", "r-elsewhere", &Review::default());
    check_worktrees(&fixture, &["r-differs main", "r-elsewhere topic", "r-same main"]);
    let listing = json(&fixture, WorktreeScope::AllWorktrees);
    assert_eq!(row(&listing, "r-same").get("worktrees"), None);
    let states = row(&listing, "r-differs")["worktrees"].as_array().unwrap();
    let states: Vec<String> =
        states.iter().map(|one| format!("{} {}", one["branch"], one["status"])).collect();
    let expected = [("main", "open"), ("topic", "resolved"), ("third", "open")];
    let expected = expected.map(|(branch, status)| format!("\"{branch}\" \"{status}\""));
    assert_eq!(states, expected);
}

#[test]
fn a_worktree_without_a_store_does_not_list_the_store_of_another() {
    let fixture = Fixture::new();
    fixture.repository("repo");
    fixture.worktree("repo", "repo/inside", "nested");
    fixture.review("repo", "r-main", &Review::default());
    check_worktrees(&fixture, &["r-main main"]);
}

#[test]
fn threads_with_unusual_characters_in_their_names_are_listed() {
    let names = [
        "two words",
        "a\u{308}rger",
        "it's (new)",
        "\u{939}\u{93f}\u{928}\u{94d}\u{926}\u{940}",
        "ok \u{1f600}",
    ];
    let fixture = Fixture::new();
    for name in names {
        fixture.review("repo", name, &Review::default());
    }
    let long = "x".repeat(230);
    fixture.review("repo", &long, &Review::default());
    let workspace = fixture.open("repo");
    let listed = list(&workspace, &Filter::default(), WorktreeScope::ThisWorktree);
    assert_eq!(listed.threads.len(), names.len() + 1);
    for row in &listed.threads {
        assert!(row.usable && row.diagnostics.is_empty(), "{:?}", row.diagnostics);
        assert_eq!(skein_catalog::show(&workspace, &row.id).unwrap().row.id, row.id);
    }
    let me = skein_workspace::Actor { name: "Mira".to_owned(), agent: false };
    let options = skein_review::ReplyOptions::default();
    let thread = skein_review::find(&workspace, "two words").unwrap();
    skein_review::reply(&workspace, &me, &thread, "Hm.", options).unwrap();
}

#[test]
fn a_store_above_all_worktrees_is_not_listed() {
    let fixture = Fixture::new();
    fixture.repository("repo");
    fixture.worktree("repo", "beside", "topic");
    fixture.review("", "r-above", &Review::default());
    check_worktrees(&fixture, &[]);
}

const ROW: [&str; 9] =
    ["kind", "id", "title", "file", "status", "created_at", "updated_at", "usable", "diagnostics"];

#[test]
fn a_row_has_the_fields_that_scripts_rely_on() {
    let fixture = skein_fixtures::filterable();
    fixture.checkpoint(
        "repo",
        "T-20260114-100000-git",
        "  \"git\": {\"branch\": \"main\"}, \"worker\": {\"id\": \"w\"}, \"next_steps\": [\"Go on\"]",
    );
    fixture.file("repo/.code-review/threads/broken.md", "");
    let listing = json(&fixture, WorktreeScope::ThisWorktree);
    assert_eq!(keys(&listing), ["threads", "diagnostics"]);
    let check = |id: &str, more: &[&str]| {
        let expected: Vec<&str> = ROW.iter().chain(more).copied().collect();
        assert_eq!(keys(row(&listing, id)), expected);
    };
    let review = [
        "target",
        "at",
        "waiting_on",
        "comment_count",
        "last_author",
        "last_line",
        "resolved_by_agent",
        "proposed_resolved",
    ];
    check("r-cache", &review);
    check("broken", &review);
    let checkpoint =
        ["type", "summary", "cwd", "git", "worker", "tags", "file_count", "open_steps", "taken"];
    check("T-20260119-100000-full", &checkpoint);
    check(
        "ses_one",
        &[
            "session_id",
            "thread_root_post_id",
            "short_id",
            "mattermost_user_id",
            "dm_channel_id",
            "project_name",
            "directory",
            "session_title",
            "last_activity_at",
            "ended_at",
        ],
    );
    let git = ["branch", "remote_url", "initial_commit", "current_commit", "dirty"];
    assert_eq!(keys(&row(&listing, "T-20260114-100000-git")["git"]), git);
}

#[test]
fn a_review_row_has_a_range_counted_from_0_and_a_location_counted_from_1() {
    let fixture = Fixture::new();
    let three =
        Review { lines: Some((11, 13)), says: &[("Mira", "One.\nTwo.")], ..Review::default() };
    fixture.review("repo", "r1", &three);
    fixture.review("repo", "r2", &Review { lines: None, ..Review::default() });
    let listing = json(&fixture, WorktreeScope::ThisWorktree);
    let expected = serde_json::json!({
        "kind": "review",
        "id": "r1",
        "title": "One.",
        "file": fixture.path("repo/.code-review/threads/r1.md"),
        "status": "open",
        "created_at": "2026-01-10T10:00:00.000Z",
        "updated_at": "2026-01-20T10:00:00.000Z",
        "usable": true,
        "diagnostics": [],
        "target": {
            "path": "src/a.rs",
            "range": { "start_line": 11, "start_character": 0, "end_line": 13, "end_character": 0 },
        },
        "at": "src/a.rs:12-14",
        "waiting_on": "agent",
        "comment_count": 1,
        "last_author": "Mira",
        "last_line": "One.",
        "resolved_by_agent": false,
        "proposed_resolved": false,
    });
    assert_eq!(row(&listing, "r1"), &expected);
    let whole = row(&listing, "r2");
    assert_eq!((&whole["at"], &whole["target"]["range"]), (&"src/a.rs".into(), &Value::Null));
}

#[test]
fn secrets_are_redacted_in_checkpoints_and_sessions_but_not_in_reviews() {
    let fixture = Fixture::new();
    let secret = format!("password={}", "x7Kq29LmPz41");
    let summary = format!("Log in with {secret} first");
    fixture.review("repo", "r1", &Review { says: &[("Mira", &summary)], ..Review::default() });
    fixture.checkpoint(
        "repo",
        "T-20260119-100000-one",
        &format!(
            "  \"conversation_summary\": \"{summary}\", \"git\": {{\"remote_url\": \"https://mira:{}@example.org/a.git\"}}, \"metadata\": {{\"title\": \"{secret}\", \"tags\": [\"{secret}\"]}}",
            "hunter2hunter2"
        ),
    );
    let entry = session("ses_one", "active", NOW).replace("Title of ses_one", &summary);
    fixture.sessions(&[entry]);
    let listing = json(&fixture, WorktreeScope::ThisWorktree);
    let review = row(&listing, "r1").to_string();
    assert!(review.contains(&secret), "{review}");
    for id in ["T-20260119-100000-one", "ses_one"] {
        let text = row(&listing, id).to_string();
        assert!(!text.contains("x7Kq29LmPz41") && !text.contains("hunter2"), "{text}");
        assert!(text.contains("[REDACTED:"), "{text}");
    }
}

#[test]
fn a_file_too_large_to_be_a_thread_is_listed_and_not_read() {
    let fixture = Fixture::new();
    fixture.review("w", "t1", &Review::default());
    let names =
        ["w/.code-review/threads/large.md", "w/workspace/threads/T-20260101-100000-large.json"];
    for name in names {
        let path = fixture.file(name, "x");
        let file = std::fs::File::options().write(true).open(path).unwrap();
        file.set_len(1024 * 1024 * 1024).unwrap();
    }
    let workspace = fixture.open("w");
    let rows = list(&workspace, &Filter::default(), WorktreeScope::ThisWorktree).threads;
    assert_eq!(rows.iter().filter(|row| row.usable).count(), 1);
    let unusable: Vec<_> = rows.iter().filter(|row| !row.usable).collect();
    assert_eq!(unusable.len(), 2);
    for row in unusable {
        let message = &row.diagnostics[0].message;
        assert!(message.contains("has 1073741824 bytes"), "{message}");
    }
}
