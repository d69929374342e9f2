//! The output of each command and the files that it writes, without errors.

use super::repo::{comments, done, git, json, repo, same, set, sign, thread};

/// The thread file after the first comment.
const THREAD: &str = r#"
<local-code-review-thread>
{
  "schemaVersion": 1,
  "id": "7030916e-7f09-440d-985c-cf1fe0d9dc85",
  "target": {
    "workspaceRelativePath": "src/a.rs",
    "range": {
      "startLine": 1,
      "startCharacter": 0,
      "endLine": 1,
      "endCharacter": 36
    },
    "anchor": {
      "kind": "lineRange",
      "context": {
        "before": [
          "fn open(path: &str) -> File {"
        ],
        "selection": "    let file = find_or_create(path);",
        "after": [
          "    check(&file);",
          "    file",
          "}"
        ]
      },
      "git": {
        "baseRef": "7ad2d943c2630052bdc66a558d5d3b67adb41076",
        "hunkHeader": "@@ -1,5 +1,5 @@"
      }
    }
  },
  "status": "open",
  "createdAt": "2026-01-23T14:30:00.000Z",
  "updatedAt": "2026-01-23T14:30:00.000Z"
}
</local-code-review-thread>

# src/a.rs:L2 · open

## Patch
<local-code-review-patch lang="diff"/>

```diff
@@ -1,5 +1,5 @@
 fn open(path: &str) -> File {
-    let file = find(path);
+    let file = find_or_create(path);
     check(&file);
     file
 }
```

## Comments

<local-code-review-comment id="d13a0290-69ef-484c-af99-c169af8f2d1d" author="Mira" createdAt="2026-01-23T14:30:00.000Z"/>

Why?
"#;

#[test]
fn a_comment_creates_the_store_and_reports_it() {
    let place = repo();
    place.check(
        "review add src/a.rs:2 -m Why?",
        "
Added a comment on src/a.rs:2  7030916e
     2      let file = find_or_create(path);
-- stderr
Created the store: ROOT/here/.code-review
Git ignores /.code-review/ here (in .git/info/exclude); `skein share` undoes that.
-- exit 0
",
    );
    same(&thread(&place), THREAD);
    let index = place.machine.dir.join(".code-review/index.json");
    same(
        &std::fs::read_to_string(index).unwrap(),
        r#"
{
  "schemaVersion": 1,
  "threads": [
    {
      "id": "7030916e-7f09-440d-985c-cf1fe0d9dc85",
      "file": "src/a.rs",
      "range": {
        "startLine": 1,
        "startCharacter": 0,
        "endLine": 1,
        "endCharacter": 36
      },
      "status": "open",
      "updatedAt": "2026-01-23T14:30:00.000Z"
    }
  ]
}
"#,
    );
    assert_eq!(git(&place.machine.dir, "status --short"), " M src/a.rs\n");
    assert_eq!(comments(&place), [("Mira".to_owned(), "Why?".to_owned())]);
}

#[test]
fn a_comment_is_on_a_file_on_lines_or_from_a_column_on() {
    let place = repo();
    place.check(
        "review add src/a.rs -m All",
        "
Added a comment on src/a.rs  7030916e
-- stderr
Created the store: ROOT/here/.code-review
Git ignores /.code-review/ here (in .git/info/exclude); `skein share` undoes that.
-- exit 0
",
    );
    place.check(
        "review add src/a.rs:2-4 -m Lines",
        "
Added a comment on src/a.rs:2-4  8be23e91
     2      let file = find_or_create(path);
     3      check(&file);
     4      file
-- exit 0
",
    );
    place.check(
        "review add src/a.rs:2:16 -m Column",
        "
Added a comment on src/a.rs:2  d0fdbf31
     2  find_or_create(path);
-- exit 0
",
    );
    place.check("review add src/a.rs:9 -m End --json", r#"
{"threads":[{"kind":"review","id":"d74ccf01-5de7-4577-bca6-53fbd899e8c9","file":"ROOT/here/.code-review/threads/d74ccf01-5de7-4577-bca6-53fbd899e8c9.md","at":"src/a.rs:9","action":"added","status":"open","comment":"d13a0290-69ef-484c-af99-c169af8f2d1d","code":["}"],"diagnostics":[]}]}
-- exit 0
"#);
    let view = json(&place, &["review", "show", "src/a.rs:2:16", "--json"]);
    assert_eq!(view["kind"], "review");
    place.check(
        "review list",
        "
7030  open  agent  src/a.rs      now  All
8be2  open  agent  src/a.rs:2-4  now  Lines
d0fd  open  agent  src/a.rs:2    now  Column
d74c  open  agent  src/a.rs:9    now  End
-- exit 0
",
    );
}

#[test]
fn the_text_of_a_comment_comes_from_an_option_a_file_or_stdin() {
    let mut place = repo();
    place.file("text.md", "From a file.\n\n- one\n- two\n");
    done(&place, &["review", "add", "src/a.rs:1", "-F", "text.md"]);
    place.input = "From stdin.\r\nSecond line.\n";
    done(&place, &["review", "add", "src/a.rs:1", "-F", "-"]);
    done(&place, &["review", "add", "src/a.rs:1", "-m", "-"]);
    done(&place, &["review", "add", "src/a.rs:1", "-m", "One.", "-m", "Two."]);
    let list = json(&place, &["review", "list", "--full", "--json"]);
    let mut bodies: Vec<&str> = list["threads"]
        .as_array()
        .unwrap()
        .iter()
        .map(|thread| thread["comments"][0]["body"].as_str().unwrap())
        .collect();
    bodies.sort_unstable();
    assert_eq!(
        bodies,
        [
            "From a file.\n\n- one\n- two",
            "From stdin.\nSecond line.",
            "From stdin.\nSecond line.",
            "One.\n\nTwo."
        ]
    );
}

#[test]
fn a_suggestion_block_can_hold_code_fences_or_nothing() {
    let place = repo();
    done(&place, &["review", "add", "src/a.rs:3", "--suggest", "```\nx\n```"]);
    assert_eq!(comments(&place)[0].1, "````suggestion\n```\nx\n```\n````");
    let place = repo();
    done(&place, &["review", "add", "src/a.rs:3", "-m", "Away?", "--suggest", ""]);
    assert_eq!(comments(&place)[0].1, "Away?\n\n```suggestion\n```");
}

#[test]
fn a_thread_is_replied_to_edited_and_resolved() {
    let mut place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "-m", "Why?"]);
    sign(&mut place, "Bob");
    set(&mut place, "SKEIN_NOW", "2026-01-23T15:00:00Z");
    place.check(
        "review reply src/a.rs:2 -m Because.",
        "
Replied on src/a.rs:2  7030916e
-- exit 0
",
    );
    place.check("review reply @last -m More. --json", r#"
{"threads":[{"kind":"review","id":"7030916e-7f09-440d-985c-cf1fe0d9dc85","file":"ROOT/here/.code-review/threads/7030916e-7f09-440d-985c-cf1fe0d9dc85.md","at":"src/a.rs:2","action":"replied","status":"open","comment":"8be23e91-f66f-4392-8ef6-92b3f2174c2c","diagnostics":[]}]}
-- exit 0
"#);
    place.check(
        "review edit @last -m Other.",
        "
Edited the comment on src/a.rs:2  7030916e
-- exit 0
",
    );
    sign(&mut place, "Mira");
    place.check(
        "review resolve src/a.rs:2 -m Thanks!",
        "
Resolved src/a.rs:2  7030916e
-- exit 0
",
    );
    place.check(
        "review resolve src/a.rs:2",
        "
Already resolved: src/a.rs:2  7030916e
-- exit 0
",
    );
    place.check("review show src/a.rs:2", "
src/a.rs:2  resolved
review 7030916e-7f09-440d-985c-cf1fe0d9dc85
started 30m ago, changed just now, in ROOT/here/.code-review/threads/7030916e-7f09-440d-985c-cf1fe0d9dc85.md

     1  fn open(path: &str) -> File {
>    2      let file = find_or_create(path);
     3      check(&file);
     4      file
     5  }

Mira, 30m ago
  Why?

Bob, just now
  Because.

Bob, just now
  Other.

Mira, just now
  Thanks!
-- exit 0
");
}

#[test]
fn a_thread_is_reopened_deleted_and_restored() {
    let mut place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "-m", "Why?"]);
    done(&place, &["review", "resolve", "src/a.rs:2"]);
    set(&mut place, "SKEIN_NOW", "2026-01-23T15:00:00Z");
    place.check("review reopen src/a.rs:2 --json", r#"
{"threads":[{"kind":"review","id":"7030916e-7f09-440d-985c-cf1fe0d9dc85","file":"ROOT/here/.code-review/threads/7030916e-7f09-440d-985c-cf1fe0d9dc85.md","at":"src/a.rs:2","action":"reopened","status":"open","comment":null,"diagnostics":[]}]}
-- exit 0
"#);
    place.check(
        "review reopen src/a.rs:2",
        "
Already open: src/a.rs:2  7030916e
-- exit 0
",
    );
    place.check(
        "review delete src/a.rs:2",
        "
Deleted src/a.rs:2  7030916e
-- stderr
`skein review restore 7030916e` restores what was deleted
-- exit 0
",
    );
    place.check(
        "review list",
        "
-- stderr
There are no review threads here. `skein review add FILE:LINE -m TEXT` starts one.
-- exit 0
",
    );
    place.check(
        "review restore",
        "
7030916e  20260123-150000  src/a.rs:2  Why?
-- exit 0
",
    );
    place.check("review restore --json", r#"
{"deleted":[{"id":"7030916e-7f09-440d-985c-cf1fe0d9dc85","deleted":"20260123-150000","run":1,"at":"src/a.rs:2","title":"Why?","draft":false,"file":"ROOT/home/.local/state/skein/here-KEY/trash/reviews/20260123-150000-7030916e-7f09-440d-985c-cf1fe0d9dc85.md"}]}
-- exit 0
"#);
    place.check(
        "review restore --last",
        "
Restored src/a.rs:2  7030916e
-- exit 0
",
    );
    place.check(
        "review restore",
        "
-- stderr
Nothing was deleted here.
-- exit 0
",
    );
    place.check(
        "review clear --yes",
        "
Deleted 1 thread; `skein review restore --last` restores it
-- exit 0
",
    );
    place.check(
        "review clear --yes",
        "
There are no threads here.
-- exit 0
",
    );
    place.check("review restore --last --json", r#"
{"threads":[{"kind":"review","id":"7030916e-7f09-440d-985c-cf1fe0d9dc85","file":"ROOT/here/.code-review/threads/7030916e-7f09-440d-985c-cf1fe0d9dc85.md","at":"src/a.rs:2","action":"restored","status":"open","comment":null,"diagnostics":[]}]}
-- exit 0
"#);
}

#[test]
fn resolve_or_reopen_with_a_text_is_a_reply_if_the_status_is_already_set() {
    let place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "-m", "Why?"]);
    place.check(
        "review reopen src/a.rs:2 -m Again.",
        "
Replied on src/a.rs:2  7030916e
-- stderr
src/a.rs:2 was already open.
-- exit 0
",
    );
    done(&place, &["review", "resolve", "src/a.rs:2"]);
    let output = place.run("review resolve src/a.rs:2 -m Again.");
    assert_eq!(output.out, "Replied on src/a.rs:2  7030916e\n");
    assert_eq!(output.err, "src/a.rs:2 was already resolved.\n");
}

#[test]
fn a_reply_can_resolve_the_thread() {
    let place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "-m", "Why?"]);
    place.check(
        "review reply src/a.rs:2 --resolve -m Done.",
        "
Resolved src/a.rs:2  7030916e
-- exit 0
",
    );
    assert!(thread(&place).contains("# src/a.rs:L2 · resolved\n"));
    assert!(thread(&place).contains("  \"status\": \"resolved\",\n"));
}

#[test]
fn a_secret_in_a_comment_is_written_with_a_warning() {
    let place = repo();
    let text = "use AKIAIOSFODNN7EXAMPLE here";
    let output = place.run_args(&["review", "add", "src/a.rs:2", "-m", text]);
    assert!(output.err.contains("Warning: the comment seems to contain a secret"), "{output}");
    assert_eq!(comments(&place)[0].1, text);
}

#[test]
fn a_line_means_its_only_open_thread_and_for_reopen_its_only_resolved_one() {
    let place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "-m", "Old"]);
    done(&place, &["review", "resolve", "src/a.rs:2"]);
    done(&place, &["review", "add", "src/a.rs:2", "-m", "New"]);
    done(&place, &["review", "reply", "src/a.rs:2", "-m", "More"]);
    for words in ["review show src/a.rs:2", "show src/a.rs:2"] {
        let shown = place.run(words).out;
        assert!(shown.contains("New") && shown.contains("More"), "{shown}");
    }
    // `delete` may mean either of them.
    let output = place.run("review delete src/a.rs:2");
    assert_eq!(output.code, 2);
    assert!(output.err.contains("(resolved review src/a.rs:2: Old)"), "{}", output.err);
    assert!(output.err.contains("(review src/a.rs:2: New)"), "{}", output.err);
    let output = place.run("review reopen src/a.rs:2");
    assert!(output.out.contains("7030916e"), "{}{}", output.out, output.err);
    // Both are open.
    let output = place.run("review resolve src/a.rs:2");
    assert_eq!(output.code, 2);
    assert!(output.err.contains("ambiguous thread id"), "{}", output.err);
    done(&place, &["review", "resolve", "7030"]);
    done(&place, &["review", "resolve", "src/a.rs:2"]);
    assert_eq!(place.run("review list status:open").out, "");
}
