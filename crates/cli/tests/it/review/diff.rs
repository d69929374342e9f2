//! The changes under review.

use std::fs;
use std::os::unix::ffi::OsStringExt as _;

use super::repo::{NEW, commit, done, git, json, refused, repo, set};
use crate::place::Place;

/// Returns the title of a diff, and its files with their status.
fn files(place: &Place, args: &str) -> (String, Vec<String>) {
    let words: Vec<&str> = args.split_whitespace().collect();
    let diff = json(place, &[&["review", "diff", "--json"], words.as_slice()].concat());
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let files = diff["files"].as_array().unwrap().iter();
    let line =
        |file: &serde_json::Value| format!("{} {}", text(&file["status"]), text(&file["path"]));
    (text(&diff["title"]), files.map(line).collect())
}

#[test]
fn threads_are_shown_between_the_lines() {
    let place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "-m", "Why?\n\nReally."]);
    done(&place, &["review", "add", "src/a.rs:8", "-m", "Outside"]);
    place.check(
        "review diff",
        "
What is not committed, against the last commit

src/a.rs  modified
@@ -1,5 +1,5 @@
    1  fn open(path: &str) -> File {
      -    let file = find(path);
    2 +    let file = find_or_create(path);
      ┃ 7030916e src/a.rs:2, open, waiting on an agent
      ┃ Mira, just now
      ┃   Why?
      ┃
      ┃   Really.
    3      check(&file);
    4      file
    5  }
On other lines of this file:
      ┃ 8be23e91 src/a.rs:8, open, waiting on an agent
      ┃ Mira, just now
      ┃   Outside
-- exit 0
",
    );
    place.check(
        "review diff --stat",
        "
What is not committed, against the last commit
src/a.rs     +1     -1  2 threads
1 file, +1 -1
-- exit 0
",
    );
    done(&place, &["review", "resolve", "src/a.rs:2"]);
    assert!(!place.run("review diff").out.contains("Why?"));
    assert!(place.run("review diff --resolved").out.contains("Why?"));
}

#[test]
fn the_diff_compares_the_named_revisions() {
    let place = repo();
    let dir = place.machine.dir.clone();
    place.file("new.txt", "one\n");
    done(&place, &["review", "add", "src/a.rs:2", "-m", "Why?"]);
    let title = "What is not committed, against the last commit".to_owned();
    assert_eq!(
        files(&place, ""),
        (title, vec!["added new.txt".into(), "modified src/a.rs".into()])
    );
    assert_eq!(files(&place, "-- src").1, ["modified src/a.rs"]);
    git(&dir, "add new.txt");
    assert_eq!(files(&place, "--staged").1, ["added new.txt"]);
    git(&dir, "checkout -q -b topic");
    commit(&dir, "two");
    let (title, changed) = files(&place, "");
    assert!(title.starts_with("Nothing is uncommitted; the branch against main at "), "{title}");
    assert_eq!(changed, ["added new.txt", "modified src/a.rs"]);
    assert_eq!(files(&place, "main..topic").1.len(), 2);
    assert_eq!(files(&place, "main...topic").1.len(), 2);
    assert_eq!(files(&place, "topic..main").1, ["deleted new.txt", "modified src/a.rs"]);
    assert_eq!(files(&place, "HEAD~1").1.len(), 2);
    assert_eq!(files(&place, "HEAD").1.len(), 0);
    git(&dir, "mv src/a.rs src/b.rs");
    fs::remove_file(dir.join("new.txt")).unwrap();
    place.file("blob", b"\0\x01");
    let renamed = files(&place, "");
    assert_eq!(renamed.1, ["added blob", "deleted new.txt", "renamed src/b.rs"]);
    refused(
        &place,
        "review diff nowhere",
        "Error: unknown revision: nowhere\nHint: `git branch -a` and `git log --oneline` list what is available\n",
    );
    refused(
        &place,
        "review diff src/b.rs",
        "Error: a file, not a revision: src/b.rs\nHint: put `--` before files, as in `skein review diff -- src/b.rs`\n",
    );
    refused(
        &place,
        "review diff -- ../..",
        "Error: the path is outside the workspace: ../..\nHint: name a file or directory of the workspace\n",
    );
    refused(
        &place,
        "review diff --since-submit",
        "Error: no review was submitted here yet\nHint: `skein review submit` marks the point to compare with\n",
    );
}

#[test]
fn since_submit_shows_the_changes_after_the_submission() {
    let mut place = repo();
    done(&place, &["review", "submit"]);
    assert_eq!(files(&place, "--since-submit").1.len(), 0);
    set(&mut place, "SKEIN_NOW", "2026-01-23T15:00:00Z");
    place.file("src/a.rs", NEW.replace("flush", "sync"));
    place.file("new.txt", "x\n");
    commit(&place.machine.dir, "answer");
    let (title, changed) = files(&place, "--since-submit");
    assert_eq!(title, "The files against their state at the last submission (20260123-143000)");
    assert_eq!(changed, ["added new.txt", "modified src/a.rs"]);
    assert!(!git(&place.machine.dir, "log --all --oneline").contains("submit"));
}

#[test]
fn the_diff_works_in_a_repository_without_a_commit() {
    let mut place = Place::empty();
    set(&mut place, "SKEIN_AUTHOR", "Mira");
    git(&place.machine.dir, "init -q --template= -b main");
    place.file("a.txt", "one\n");
    assert_eq!(files(&place, "").1, ["added a.txt"]);
    done(&place, &["review", "add", "a.txt:1", "-m", "Why?"]);
    done(&place, &["review", "submit"]);
    assert_eq!(files(&place, "").1, ["added a.txt"]);
    assert_eq!(
        json(&place, &["review", "show", "a.txt:1", "--json"])["placement"]["state"],
        "exact"
    );
}

#[test]
fn the_store_is_not_part_of_the_diff() {
    let place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "-m", "Why?"]);
    done(&place, &["share"]);
    assert!(git(&place.machine.dir, "status --short").contains(".code-review"));
    assert_eq!(files(&place, "").1, ["modified src/a.rs"]);
    commit(&place.machine.dir, "shared");
    done(&place, &["review", "reply", "src/a.rs:2", "-m", "Because."]);
    assert_eq!(files(&place, "HEAD~1").1, ["modified src/a.rs"]);
    assert_eq!(files(&place, "").1.len(), 0, "a changed thread is not part of the diff");
}

#[test]
fn a_store_in_a_subdirectory_shows_only_that_subdirectory() {
    let mut place = repo();
    place.file("sub/b.txt", "one\n");
    fs::create_dir_all(place.machine.dir.join("sub/.code-review/threads")).unwrap();
    place.machine.dir.push("sub");
    assert_eq!(files(&place, "").1, ["added b.txt"]);
    done(&place, &["review", "add", "b.txt:1", "-m", "Why?"]);
    assert_eq!(files(&place, "").1, ["added b.txt"]);
    assert_eq!(files(&place, "-- b.txt").1, ["added b.txt"]);
}

#[test]
fn hostile_names_and_lines_do_not_reach_the_terminal() {
    for place in [repo(), repo().on_terminal(80)] {
        let mut place = place;
        set(&mut place, "PAGER", "cat");
        for name in ["a\u{1b}[2Jb", "new\nline", "tab\there", "-rf", "\"quoted\"", "über", "a b"] {
            place.file(name, format!("x\u{1b}]0;{name}\u{7}\r\n\u{9b}31m\u{202e}y\n"));
        }
        fs::write(place.machine.dir.join(std::ffi::OsString::from_vec(b"caf\xe9".to_vec())), "x\n")
            .unwrap();
        for words in
            ["review diff --color never", "review diff --stat --color never", "review diff --json"]
        {
            let output = place.run(words);
            assert_eq!(output.code, 0, "{output}");
            // JSON on a pipe has the text of the files unchanged.
            if words.ends_with("--json") && !place.machine.stdout_is_terminal {
                continue;
            }
            let raw = output
                .out
                .chars()
                .find(|c| (c.is_control() && !matches!(c, '\n' | '\t')) || *c == '\u{202e}');
            assert_eq!(raw, None, "{words}: {:?}", output.out);
        }
        assert!(place.run("review diff --json").out.contains("über"));
        assert_eq!(place.run_args(&["review", "add", "-m", "x", "--", "-rf:1"]).code, 0);
    }
}

#[test]
fn the_hint_to_compare_with_the_previous_commit_needs_such_a_commit() {
    let place = repo();
    let dir = &place.machine.dir;
    let hint = "`skein review diff HEAD~1`";
    git(dir, "checkout -q -- .");
    assert!(!place.run("review diff").out.contains(hint));
    commit(dir, "empty");
    assert!(place.run("review diff").out.contains(hint));
    assert!(!place.run("review diff HEAD~1").out.contains(hint));
}
