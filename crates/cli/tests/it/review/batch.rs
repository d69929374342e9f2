//! Many comments at once.

use super::repo::{done, json, refused, repo, tree};
use crate::place::Place;

#[test]
fn many_comments_are_added_from_a_file_or_from_stdin() {
    let mut place = repo();
    place.file(
        "notes.json",
        r#"[{"file": "src/a.rs", "line": 2, "body": "One"},
            {"path": "src/a.rs", "start_line": 2, "endLine": 4, "message": "Two", "suggestion": "x"},
            {"file": "src/a.rs", "text": "All"},
            {"file": "src/a.rs", "line": 8, "expect": "flush", "comment": "Three"}]"#,
    );
    place.check(
        "review add --from notes.json",
        "
Added a comment on src/a.rs:2  7030916e
     2      let file = find_or_create(path);
Added a comment on src/a.rs:2-4  d0fdbf31
     2      let file = find_or_create(path);
     3      check(&file);
     4      file
Added a comment on src/a.rs  20d9a3ae
Added a comment on src/a.rs:8  71504a24
     8      file.flush();
-- stderr
Created the store: ROOT/here/.code-review
Git ignores /.code-review/ here (in .git/info/exclude); `skein share` undoes that.
-- exit 0
",
    );
    place.input = r#"{"comments": [{"file": "src/a.rs", "line": 1, "body": "Héllo"}], "more": 1}"#;
    place.check("review add --from - --draft --json", r#"
{"threads":[{"kind":"review","id":"7030916e-7f09-440d-985c-cf1fe0d9dc85","file":"ROOT/home/.local/state/skein/here-KEY/drafts/7030916e-7f09-440d-985c-cf1fe0d9dc85.md","at":"src/a.rs:1","action":"drafted","status":"open","comment":"d13a0290-69ef-484c-af99-c169af8f2d1d","code":["fn open(path: &str) -> File {"],"diagnostics":[]}]}
-- exit 0
"#);
    assert_eq!(
        json(&place, &["review", "list", "status:open", "--json"])["threads"]
            .as_array()
            .unwrap()
            .len(),
        4
    );
}

#[test]
fn an_empty_list_changes_nothing() {
    let mut place = repo();
    place.input = "[]";
    let before = tree(&place);
    done(&place, &["review", "add", "--from", "-"]);
    assert_eq!(tree(&place), before);
}

#[track_caller]
fn check(place: &Place, json: &str, expected: &str) {
    place.file("notes.json", json);
    refused(place, "review add --from notes.json", expected);
}

#[test]
fn one_invalid_comment_stops_the_whole_list() {
    let place = repo();
    check(
        &place,
        r#"[{"file": "src/a.rs", "line": 2, "body": "Fine"}, {"file": "src/b.rs", "line": 1, "body": "x"}, {"file": "src/a.rs", "line": 99, "body": "x"}]"#,
        "Error: 1 of 3 comments cannot be added, so none was:\n  comment 2: there is no such file: src/b.rs\nHint: fix these and submit the whole list again\n",
    );
    check(
        &place,
        r#"[{"file": "src/a.rs", "line": 2, "body": "Fine"}, {"file": "src/a.rs", "line": 99, "body": "x"}, {"file": "src/a.rs", "line": 1, "body": ""}, {"file": "src/a.rs", "line": 1, "body": "x", "expect": "y"}]"#,
        "Error: 3 of 4 comments cannot be added, so none was:\n  comment 2: src/a.rs has 9 lines; there is no line 99\n  comment 3: the comment is empty\n  comment 4: line 1 of src/a.rs does not contain \"y\"; it is \"fn open(path: &str) -> File {\"\nHint: fix these and submit the whole list again\n",
    );
    check(
        &place,
        r#"[{"file": "src/a.rs", "end_line": 4, "body": "x"}]"#,
        "Error: 1 of 1 comments cannot be added, so none was:\n  comment 1: lines are counted from 1, the first before the last: src/a.rs:?-4\nHint: fix these and submit the whole list again\n",
    );
    check(
        &place,
        r#"[{"file": "src/a.rs", "line": 4, "end_line": 2, "body": "x"}]"#,
        "Error: 1 of 1 comments cannot be added, so none was:\n  comment 1: lines are counted from 1, the first before the last: src/a.rs:4-2\nHint: fix these and submit the whole list again\n",
    );
    check(
        &place,
        r#"[{"file": "src/a.rs", "line": -1, "body": "x"}]"#,
        "Error: cannot parse the comments\nCaused by: comment 1: invalid value: integer `-1`, expected u32\nHint: give a list such as `[{\"file\": \"src/a.rs\", \"line\": 12, \"body\": \"Why?\"}]`\n",
    );
    check(
        &place,
        r#"[{"line": 1, "body": "x"}]"#,
        "Error: cannot parse the comments\nCaused by: comment 1: missing field `file`\nHint: give a list such as `[{\"file\": \"src/a.rs\", \"line\": 12, \"body\": \"Why?\"}]`\n",
    );
    check(
        &place,
        r#"{"file": "src/a.rs"}"#,
        "Error: cannot parse the comments\nCaused by: it is neither a list nor an object with a list `comments`\nHint: give a list such as `[{\"file\": \"src/a.rs\", \"line\": 12, \"body\": \"Why?\"}]`\n",
    );
    check(
        &place,
        "[{",
        "Error: cannot parse the comments\nCaused by: invalid JSON: EOF while parsing an object at line 1 column 2\nHint: give a list such as `[{\"file\": \"src/a.rs\", \"line\": 12, \"body\": \"Why?\"}]`\n",
    );
    check(
        &place,
        "",
        "Error: cannot parse the comments\nCaused by: invalid JSON: EOF while parsing a value at line 1 column 0\nHint: give a list such as `[{\"file\": \"src/a.rs\", \"line\": 12, \"body\": \"Why?\"}]`\n",
    );
    refused(
        &place,
        "review add --from nowhere.json",
        "Error: cannot read ROOT/here/nowhere.json\nCaused by: No such file or directory (os error 2)\n",
    );
}
