//! Bad input: each error has its own message, exits with 2, and changes nothing.

use std::fs;
use std::os::unix::fs::symlink;

use super::repo::{done, refused, refused_args, repo, sign, threads, with_thread};

#[test]
fn an_unknown_id_lists_similar_ones() {
    let place = with_thread();
    refused(
        &place,
        "review reply 916e -m x",
        "Error: no thread has this id: 916e\nHint: did you mean `skein review reply 7030916e-7f09-440d-985c-cf1fe0d9dc85 -m x`?\n",
    );
    refused(
        &place,
        "review resolve 7030917e",
        "Error: no thread has this id: 7030917e\nHint: did you mean `skein review resolve 7030916e-7f09-440d-985c-cf1fe0d9dc85`?\n",
    );
    refused(
        &place,
        "review delete zzzz",
        "Error: no thread has this id: zzzz\nHint: run `skein list` to see every thread\n",
    );
    refused(
        &place,
        "review edit zzzz -m x",
        "Error: no thread has this id: zzzz\nHint: run `skein list` to see every thread\n",
    );
    refused(
        &place,
        "review open zzzz",
        "Error: no thread has this id: zzzz\nHint: run `skein list` to see every thread\n",
    );
    refused(
        &place,
        "review apply zzzz",
        "Error: no thread has this id: zzzz\nHint: run `skein list` to see every thread\n",
    );
    refused(
        &place,
        "review show zzzz",
        "Error: no thread has this id: zzzz\nHint: run `skein list` to see every thread\n",
    );
    refused(
        &place,
        "review restore zzzz",
        "Error: no deleted thread has this id: zzzz\nHint: `skein review restore` lists what was deleted\n",
    );
}

#[test]
fn one_wrong_id_stops_the_whole_command() {
    let place = with_thread();
    refused(
        &place,
        "review resolve 7030 zzzz -m x",
        "Error: no thread has this id: zzzz\nHint: run `skein list` to see every thread\n",
    );
    refused(
        &place,
        "review delete 7030 zzzz",
        "Error: no thread has this id: zzzz\nHint: run `skein list` to see every thread\n",
    );
    done(&place, &["review", "resolve", "7030"]);
    refused(
        &place,
        "review reopen 7030 zzzz",
        "Error: no thread has this id: zzzz\nHint: run `skein list` to see every thread\n",
    );
    done(&place, &["review", "delete", "7030"]);
    refused(
        &place,
        "review restore 7030 zzzz",
        "Error: no deleted thread has this id: zzzz\nHint: `skein review restore` lists what was deleted\n",
    );
}

#[test]
fn an_ambiguous_location_lists_its_threads() {
    let place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "-m", "One"]);
    done(&place, &["review", "add", "src/a.rs:2", "-m", "Two"]);
    refused(
        &place,
        "review reply src/a.rs:2 -m x",
        "Error: ambiguous thread id: src/a.rs:2\nHint: name one of them:\n  skein review reply 7030916e-7f09-440d-985c-cf1fe0d9dc85 -m x  (review src/a.rs:2: One)\n  skein review reply 8be23e91-f66f-4392-8ef6-92b3f2174c2c -m x  (review src/a.rs:2: Two)\n",
    );
}

#[test]
fn a_location_that_does_not_exist_or_is_not_text_is_refused() {
    let place = repo();
    place.file("empty", "");
    place.file("one", "line");
    place.file("blob", b"\x7fELF\0\0");
    place.file("huge", vec![b'a'; 16 * 1024 * 1024 + 1]);
    fs::create_dir(place.machine.dir.join("folder")).unwrap();
    refused(
        &place,
        "review add src/a.rs:10 -m x",
        "Error: src/a.rs has 9 lines; there is no line 10\nHint: the last line is `src/a.rs:9`\n",
    );
    refused(
        &place,
        "review add src/a.rs:8-10 -m x",
        "Error: src/a.rs has 9 lines; there is no line 10\nHint: the last line is `src/a.rs:9`\n",
    );
    refused(
        &place,
        "review add one:2 -m x",
        "Error: one has 1 line; there is no line 2\nHint: the last line is `one:1`\n",
    );
    refused(
        &place,
        "review add empty:1 -m x",
        "Error: empty has 0 lines; there is no line 1\nHint: comment on the whole file: `empty`\n",
    );
    refused(
        &place,
        "review add src/a.rs:0 -m x",
        "Error: lines are counted from 1, the first before the last: src/a.rs:0\nHint: write it as `src/a.rs:12` or `src/a.rs:12-14`\n",
    );
    refused(
        &place,
        "review add src/a.rs:3-2 -m x",
        "Error: lines are counted from 1, the first before the last: src/a.rs:3-2\nHint: write it as `src/a.rs:12` or `src/a.rs:12-14`\n",
    );
    refused(
        &place,
        "review add src/a.rs:2:99 -m x",
        "Error: line 2 of src/a.rs has 36 columns; there is no column 99\n",
    );
    refused(
        &place,
        "review add src/b.rs:1 -m x",
        "Error: there is no such file: src/b.rs\nHint: did you mean `src/a.rs`?\n",
    );
    refused(
        &place,
        "review add folder -m x",
        "Error: a comment needs a file, and this is a directory: folder\nHint: name a file in it: `folder/FILE:LINE`\n",
    );
    refused(
        &place,
        "review add blob -m x",
        "Error: the file is binary: blob\nHint: only text can be commented on\n",
    );
    refused(
        &place,
        "review add blob:1 -m x",
        "Error: the file is binary: blob\nHint: only text can be commented on\n",
    );
    refused(
        &place,
        "review add huge:1 -m x",
        "Error: cannot read the file under review\nCaused by: larger than 16777216 bytes: huge\n",
    );
}

#[test]
fn a_location_outside_of_the_workspace_or_in_git_is_refused() {
    let place = repo();
    symlink("/etc/passwd", place.machine.dir.join("out")).unwrap();
    symlink("/etc", place.machine.dir.join("etc")).unwrap();
    refused(
        &place,
        "review add ../secret -m x",
        "Error: the path is outside the workspace: ../secret\nHint: name a file below ROOT/here\n",
    );
    refused(
        &place,
        "review add /etc/passwd:1 -m x",
        "Error: the path is outside the workspace: /etc/passwd\nHint: name a file below ROOT/here\n",
    );
    refused(
        &place,
        "review add out:1 -m x",
        "Error: the path is outside the workspace: out\nHint: name a file below ROOT/here\n",
    );
    refused(
        &place,
        "review add etc/passwd:1 -m x",
        "Error: the path is outside the workspace: etc/passwd\nHint: name a file below ROOT/here\n",
    );
    refused(
        &place,
        "review add .git/config:1 -m x",
        "Error: the path is inside `.git`: .git/config\nHint: name a file of the workspace, by a plain relative path\n",
    );
    refused_args(
        &place,
        &["review", "add", "", "-m", "x"],
        "Error: the path is empty: \nHint: name a file of the workspace, by a plain relative path\n",
    );
}

#[test]
fn an_empty_or_unreadable_comment_is_refused() {
    let place = with_thread();
    refused_args(
        &place,
        &["review", "add", "src/a.rs:2", "-m", " \n"],
        "Error: the comment is empty\nHint: enter a text with `-m TEXT`\n",
    );
    refused_args(
        &place,
        &["review", "reply", "7030", "-m", ""],
        "Error: the comment is empty, so nothing was written\nHint: enter a text with `-m TEXT`\n",
    );
    refused_args(
        &place,
        &["review", "edit", "7030", "-m", ""],
        "Error: the comment is empty, so nothing was written\nHint: enter a text with `-m TEXT`\n",
    );
    refused_args(
        &place,
        &["review", "resolve", "7030", "-m", ""],
        "Error: the comment is empty, so nothing was written\nHint: enter a text with `-m TEXT`\n",
    );
    refused_args(
        &place,
        &["review", "reopen", "7030", "-m", ""],
        "Error: the comment is empty, so nothing was written\nHint: enter a text with `-m TEXT`\n",
    );
    refused(
        &place,
        "review reply 7030",
        "Error: no editor is configured and stdin is not a terminal\nHint: set `EDITOR`, or use `-m TEXT`\n",
    );
    refused(
        &place,
        "review add src/a.rs:2",
        "Error: no editor is configured and stdin is not a terminal\nHint: set `EDITOR`, or use `-m TEXT`\n",
    );
    refused(
        &place,
        "review reply 7030 -F nowhere.md",
        "Error: cannot read ROOT/here/nowhere.md\nCaused by: No such file or directory (os error 2)\n",
    );
    place.file("bytes.md", b"caf\xe9\n");
    refused(
        &place,
        "review reply 7030 -F bytes.md",
        "Error: cannot read ROOT/here/bytes.md\nCaused by: stream did not contain valid UTF-8\n",
    );
}

#[test]
fn suggest_expect_and_changed_only_check_the_line() {
    let place = repo();
    refused(
        &place,
        "review add src/a.rs --suggest x",
        "Error: a suggestion needs a line: src/a.rs\nHint: name a line: `src/a.rs:12`\n",
    );
    refused(
        &place,
        "review add src/a.rs --expect x -m x",
        "Error: a `--expect` needs a line: src/a.rs\nHint: name a line: `src/a.rs:12`\n",
    );
    refused(
        &place,
        "review add src/a.rs:1 --expect file.flush -m x",
        "Error: line 1 of src/a.rs does not contain \"file.flush\"; it is \"fn open(path: &str) -> File {\"\nHint: it is in src/a.rs:8\n",
    );
    refused(
        &place,
        "review add src/a.rs:1 --expect unheard -m x",
        "Error: line 1 of src/a.rs does not contain \"unheard\"; it is \"fn open(path: &str) -> File {\"\nHint: no line of the file contains it; look at the file again\n",
    );
    refused(
        &place,
        "review add src/a.rs:8 --changed-only -m x",
        "Error: line 8 of src/a.rs is not changed against the last commit\nHint: `skein review diff` shows the changed lines\n",
    );
    done(
        &place,
        &["review", "add", "src/a.rs:2", "--changed-only", "--expect", "find_or", "-m", "x"],
    );
}

#[test]
fn the_editor_setting_for_changed_lines_only_is_respected() {
    let place = repo();
    place.file(
        ".vscode/settings.json",
        "{\n  // x\n  \"localCodeReview.onlyCommentOnChanges\": true,\n}\n",
    );
    refused(
        &place,
        "review add src/a.rs:8 -m x",
        "Error: line 8 of src/a.rs is not changed against the last commit\nHint: `skein review diff` shows the changed lines\n",
    );
}

#[test]
fn a_comment_of_another_author_cannot_be_edited() {
    let mut place = with_thread();
    sign(&mut place, "Bob");
    refused(
        &place,
        "review edit 7030 -m x",
        "Error: Bob has no comment in this thread\nHint: the comments are:\n  d13a0290-69ef-484c-af99-c169af8f2d1d  (Mira)\nif one of them is yours, sign with the same name: `--author \"Mira\"`\n",
    );
    refused(
        &place,
        "review edit 7030 nope -m x",
        "Error: the thread has no comment nope\nHint: the comments are:\n  d13a0290-69ef-484c-af99-c169af8f2d1d  (Mira)\n",
    );
    refused(
        &place,
        "review edit 7030 d13a0290-69ef-484c-af99-c169af8f2d1d -m x",
        "Error: the comment d13a0290-69ef-484c-af99-c169af8f2d1d is by Mira\nHint: reply instead: `skein review reply 7030916e-7f09-440d-985c-cf1fe0d9dc85 -m TEXT`; if it is yours, sign with the same name: `--author \"Mira\"`\n",
    );
    // An agent cannot sign as a person, so the hint does not suggest it.
    sign(&mut place, "Codex");
    refused(
        &place,
        "review edit 7030 -m x",
        "Error: Codex has no comment in this thread\nHint: the comments are:\n  d13a0290-69ef-484c-af99-c169af8f2d1d  (Mira)\nreply instead: `skein review reply 7030916e-7f09-440d-985c-cf1fe0d9dc85 -m TEXT`\n",
    );
    refused(
        &place,
        "review edit 7030 d13a0290-69ef-484c-af99-c169af8f2d1d -m x",
        "Error: the comment d13a0290-69ef-484c-af99-c169af8f2d1d is by Mira\nHint: reply instead: `skein review reply 7030916e-7f09-440d-985c-cf1fe0d9dc85 -m TEXT`\n",
    );
}

#[test]
fn a_thread_that_cannot_be_parsed_is_never_written() {
    let place = repo();
    place.file(".code-review/threads/t1.md", "no metadata\n");
    place.file(
        ".code-review/threads/t2.md",
        "<local-code-review-thread>\n{\"schemaVersion\": 2}\n</local-code-review-thread>\n",
    );
    place.file(".code-review/threads/t3.md", "<local-code-review-thread>\n{\"schemaVersion\": 1, \"id\": \"t3\", \"target\": {\"workspaceRelativePath\": \"../x\"}}\n</local-code-review-thread>\n");
    for path in threads(&place) {
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    }
    refused(
        &place,
        "review reply t1 -m x",
        "Error: the thread cannot be used and is not written: ROOT/here/.code-review/threads/t1.md (there is no closed metadata block)\nHint: run `skein doctor --fix` to diagnose and repair the file\n",
    );
    refused(
        &place,
        "review resolve t2",
        "Error: the thread cannot be used and is not written: ROOT/here/.code-review/threads/t2.md (`schemaVersion` is not 1)\nHint: run `skein doctor --fix` to diagnose and repair the file\n",
    );
    refused(
        &place,
        "review reopen t3",
        "Error: the thread cannot be used and is not written: ROOT/here/.code-review/threads/t3.md (the path `../x` contains `..`)\nHint: run `skein doctor --fix` to diagnose and repair the file\n",
    );
    refused(
        &place,
        "review edit t1 -m x",
        "Error: the thread cannot be used and is not written: ROOT/here/.code-review/threads/t1.md (there is no closed metadata block)\nHint: run `skein doctor --fix` to diagnose and repair the file\n",
    );
    refused(
        &place,
        "review apply t1",
        "Error: the thread cannot be used and is not written: ROOT/here/.code-review/threads/t1.md (there is no closed metadata block)\nHint: run `skein doctor --fix` to diagnose and repair the file\n",
    );
    refused(
        &place,
        "review open t3",
        "Error: the code of this thread does not exist any more: t3\nHint: `skein review show t3` shows the text that was commented on\n",
    );
}

#[test]
fn review_commands_refuse_a_checkpoint() {
    let place = repo();
    place.file("workspace/threads/T-20260119-100000-x.json", "{\"thread_id\": \"T-20260119-100000-x\", \"version\": 1, \"updated_at\": \"2026-01-19T10:00:00Z\"}");
    refused(
        &place,
        "review reply T-2026 -m x",
        "Error: not a review thread: T-2026\nHint: `skein show T-2026` shows what it is\n",
    );
    refused(
        &place,
        "review delete T-2026",
        "Error: not a review thread: T-2026\nHint: `skein show T-2026` shows what it is\n",
    );
    refused(
        &place,
        "review open T-2026",
        "Error: not a review thread: T-2026\nHint: `skein show T-2026` shows what it is\n",
    );
}
