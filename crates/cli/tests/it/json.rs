use serde_json::Value;

use crate::place::Place;

fn parse(place: &Place, words: &str) -> Value {
    let output = place.run(words);
    assert!(output.code < 2, "{words}: {}", output.err);
    assert_eq!(output.out.lines().count(), 1, "one document on one line");
    serde_json::from_str(&output.out).unwrap()
}

#[track_caller]
fn check(value: &Value, keys: &str) {
    for key in keys.split_whitespace() {
        assert!(value.get(key).is_some(), "{key} is missing in {value}");
    }
}

const ROW: &str = "kind id title file status created_at updated_at usable diagnostics";
const REVIEW: &str = "target at waiting_on comment_count last_author last_line";
const CHECKPOINT: &str = "type summary cwd git worker tags file_count open_steps";
const SESSION: &str = "session_id thread_root_post_id short_id mattermost_user_id dm_channel_id project_name directory last_activity_at";

#[test]
fn list_json_has_threads_and_diagnostics() {
    let place = Place::demo();
    let listing = parse(&place, "list --json");
    check(&listing, "threads diagnostics");
    let rows = listing["threads"].as_array().unwrap();
    assert_eq!(rows.len(), 22);
    for row in rows {
        check(row, ROW);
        check(
            row,
            match row["kind"].as_str().unwrap() {
                "review" => REVIEW,
                "checkpoint" => CHECKPOINT,
                _ => SESSION,
            },
        );
    }
    let limited = parse(&place, "list --json --limit 3");
    assert_eq!(limited["threads"].as_array().unwrap().len(), 3);
}

#[test]
fn list_json_with_full_has_the_same_views_as_show() {
    let place = Place::demo();
    let listing = parse(&place, "list --json --full");
    let rows = listing["threads"].as_array().unwrap();
    assert_eq!(rows.len(), 22);
    for row in rows {
        match row["kind"].as_str().unwrap() {
            "review" => check(row, "comments patch placement"),
            "checkpoint" => check(row, "files next_steps"),
            _ => {}
        }
        let id = row["id"].as_str().unwrap();
        assert_eq!(&parse(&place, &format!("show {id} --json")), row);
    }
}

#[test]
fn show_json_has_the_content_of_the_thread() {
    let place = Place::demo();
    let review = parse(&place, "show 7f3a --json");
    check(&review, ROW);
    check(&review, REVIEW);
    check(&review["comments"][0], "id author agent created_at body");
    check(&review["placement"], "state path start_line end_line confidence");
    assert_eq!(review["at"], "src/cache.rs:19-21");
    assert_eq!(review["placement"]["start_line"], 18);
    let checkpoint = parse(&place, "show load-test --json");
    check(&checkpoint, CHECKPOINT);
    check(&checkpoint["next_steps"][0], "id step status");
    check(&checkpoint["git"], "branch remote_url initial_commit current_commit dirty");
}

#[test]
fn the_overview_and_the_settings_have_json_output() {
    let place = Place::demo();
    let overview = parse(&place, "--json");
    check(
        &overview,
        "root branch author fresh waiting_on_reviewer waiting_on_agent resolved handoff handoff_message to_resume checkpoints active_sessions sessions unusable warnings diagnostics",
    );
    assert_eq!((&overview["fresh"], &overview["resolved"]), (&false.into(), &3.into()));
    let fresh = parse(&Place::empty(), "--json");
    assert_eq!(fresh["fresh"], true);
    let settings = parse(&place, "config list --json");
    check(&settings[0], "key value origin help");
    let setting = parse(&place, "config get review.agents --json");
    assert_eq!(setting["value"], Value::Null);
}

#[test]
fn the_threads_of_the_overview_are_at_the_current_location_of_their_code() {
    let mut place = Place::empty();
    place.machine.variables.insert("SKEIN_AUTHOR".to_owned(), "Mira".to_owned());
    place.file("a.rs", "fn one() {}\nfn two() {}\n");
    let added = place.run("review add a.rs:2 -m Why? --new-store");
    assert_eq!(added.code, 0, "{}", added.err);
    let added = place.run("review add a.rs:1 -m Later. --draft");
    assert_eq!(added.code, 0, "{}", added.err);
    place.file("a.rs", "// a line above\nfn one() {}\nfn two() {}\n");
    let overview = parse(&place, "--json");
    assert_eq!(overview["author"], "Mira");
    for (group, at) in [("waiting_on_agent", "a.rs:3"), ("drafts", "a.rs:2")] {
        let row = &overview[group][0];
        assert_eq!((&row["at"], &row["state"]), (&at.into(), &"shifted".into()), "{group}");
    }
}

#[test]
fn a_row_has_the_first_line_of_the_last_comment() {
    let mut place = Place::empty();
    place.machine.variables.insert("SKEIN_AUTHOR".to_owned(), "Mira".to_owned());
    place.file("a.rs", "fn one() {}\n");
    let added = parse(&place, "review add a.rs:1 -m Why? --new-store --json");
    let id = added["threads"][0]["id"].as_str().unwrap();
    let replied = place.run_args(&["review", "reply", id, "-m", "Because.\n\nAnd more."]);
    assert_eq!(replied.code, 0, "{}", replied.err);
    let row = &parse(&place, "list --json")["threads"][0];
    assert_eq!((&row["title"], &row["last_line"]), (&"Why?".into(), &"Because.".into()));
}

#[test]
fn on_an_error_stdout_is_empty() {
    let place = Place::demo();
    for words in ["show zzz", "review resolve zzz", "review reopen zzz", "review restore zzz"] {
        let output = place.run(&format!("{words} --json"));
        assert_eq!((output.code, output.out.as_str()), (2, ""), "{words}");
    }
}

fn keys_of(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

#[test]
fn the_json_of_every_review_command_has_the_documented_keys() {
    let mut place = Place::demo();
    place.input = "[]";
    let check = |words: &str, keys: &[&str]| {
        let output = place.run(&format!("{words} --json"));
        let document: Value = serde_json::from_str(&output.out).expect(&output.err);
        assert_eq!(keys_of(&document), keys, "{words}");
        document
    };
    let written = ["action", "at", "comment", "diagnostics", "file", "id", "kind", "status"];
    let one = |document: &Value, list: &str, keys: &[&str]| {
        // `code` is present only where a comment was added.
        let found = keys_of(&document[list][0]).into_iter().filter(|key| *key != "code");
        assert_eq!(found.collect::<Vec<_>>(), keys, "{list}");
    };
    for words in [
        "review add src/http.rs:8 -m Why?",
        "review reply 0c9e -m Because. --author You",
        "review edit 0c9e -m So. --author You",
        "review resolve d447",
        "review reopen d447",
        "review delete d447",
        "review restore d447",
    ] {
        one(&check(words, &["threads"]), "threads", &written);
    }
    check("review delete d447", &["threads"]);
    let deleted = check("review restore", &["deleted"]);
    one(&deleted, "deleted", &["at", "deleted", "draft", "file", "id", "run", "title"]);
    check("review submit", &["reference", "threads"]);
    let applied = check("review apply 0c9e --dry-run", &["applied"]);
    one(&applied, "applied", &["added", "at", "id", "outcome", "removed", "reply", "token"]);
    let diff = check("review diff", &["files", "threads", "title"]);
    let file = ["added", "binary", "hunks", "old_path", "path", "removed", "status"];
    one(&diff, "files", &file);
    one(&diff["files"][0], "hunks", &["header", "lines"]);
    one(&diff["files"][0]["hunks"][0], "lines", &["kind", "new_line", "old_line", "text"]);
    let next = check("review next --claim", &["claim", "claimed", "thread", "waiting"]);
    assert_eq!(keys_of(&next["claim"]), ["by", "token", "until"]);
    check("review next --release 1a55", &["id", "released"]);
    check("review wait --for reviewer --timeout 0", &["reason", "timed_out", "waiting"]);
    check("review check", &["diagnostics", "ok", "open", "unusable"]);
    check("review export", &["claimed", "threads"]);
    check("review import", &["added", "failed", "ignored", "skipped", "threads"]);
    check("share", &["done", "next"]);
    check("init", &["agents", "done", "editors", "installed", "next", "plan"]);
    let agents = check("install", &["agents"]);
    let first = &agents["agents"][0];
    assert_eq!(keys_of(first), ["agent", "detected", "installed", "scopes", "title"]);
    let report = ["changes", "dry_run", "failed", "notes"];
    let plan = check("install claude-code --dry-run", &report);
    let change = ["action", "agent", "diff", "file", "scope", "why"];
    assert_eq!(keys_of(&plan["changes"][0]), change);
    check("install claude-code", &report);
    check("uninstall claude-code", &report);
    check("uninstall", &["done", "next"]);
}
