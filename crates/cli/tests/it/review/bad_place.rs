//! Directories in which a review cannot be stored: each error has its own message, exits with 2, and
//! changes nothing.

use std::fs;
use std::os::unix::fs::symlink;

use super::repo::{folder, refused, repo, set, threads, with_thread};

#[test]
fn a_file_at_the_path_of_the_store_is_an_error() {
    let place = repo();
    place.file(".code-review", "mine\n");
    refused(
        &place,
        "review add src/a.rs:2 -m x",
        "Error: cannot create the store at ROOT/here/.code-review: expected a directory but found a file\nHint: keep the threads of this repository elsewhere: `skein config set --repository review.storage_path .skein-review`\n",
    );
    refused(
        &place,
        "init",
        "Error: cannot create the store at ROOT/here/.code-review: expected a directory but found a file\nHint: keep the threads of this repository elsewhere: `skein config set --repository review.storage_path .skein-review`\n",
    );
    refused(
        &place,
        "share",
        "Error: cannot create the store at ROOT/here/.code-review: expected a directory but found a file\nHint: keep the threads of this repository elsewhere: `skein config set --repository review.storage_path .skein-review`\n",
    );
    refused(
        &place,
        "review submit",
        "Error: cannot create the store at ROOT/here/.code-review: expected a directory but found a file\nHint: keep the threads of this repository elsewhere: `skein config set --repository review.storage_path .skein-review`\n",
    );
}

#[test]
fn a_file_at_the_path_of_the_threads_is_an_error() {
    let place = repo();
    place.file(".code-review/threads", "mine\n");
    refused(
        &place,
        "review add src/a.rs:2 -m x",
        "Error: cannot create the store at ROOT/here/.code-review: the directory holds files of another tool and no threads\nHint: keep the threads of this repository elsewhere: `skein config set --repository review.storage_path .skein-review`\n",
    );
    place.file(".code-review/index.json", "{\"schemaVersion\": 1, \"threads\": []}");
    refused(
        &place,
        "review add src/a.rs:2 -m x",
        "Error: cannot create the directory ROOT/here/.code-review/threads\nCaused by: not a directory\nHint: expected a directory but found a file; move it\n",
    );
}

#[test]
fn a_store_that_is_a_symlink_out_of_the_workspace_is_an_error() {
    let place = repo();
    fs::create_dir_all(place.path("elsewhere/threads")).unwrap();
    symlink(place.path("elsewhere"), place.machine.dir.join(".code-review")).unwrap();
    refused(
        &place,
        "review add src/a.rs:2 -m x",
        "Error: cannot create the store at ROOT/here/.code-review: a symlink points outside the workspace\nHint: keep the threads of this repository elsewhere: `skein config set --repository review.storage_path .skein-review`\n",
    );
}

#[test]
fn a_state_directory_that_cannot_be_created_is_an_error() {
    let place = with_thread();
    fs::create_dir_all(place.path("home/.local/state")).unwrap();
    fs::remove_dir_all(place.path("home/.local/state")).unwrap();
    fs::write(place.path("home/.local/state"), "").unwrap();
    refused(
        &place,
        "review add src/a.rs:2 --draft -m x",
        "Error: cannot create the directory ROOT/home/.local/state/skein/here-KEY/drafts\nCaused by: Not a directory (os error 20)\nHint: expected a directory but found a file; move it\n",
    );
    refused(
        &place,
        "review delete 7030",
        "Error: cannot create the directory ROOT/home/.local/state/skein/here-KEY/trash/reviews\nCaused by: Not a directory (os error 20)\nHint: expected a directory but found a file; move it\n",
    );
    refused(
        &place,
        "review clear --yes",
        "Error: cannot create the directory ROOT/home/.local/state/skein/here-KEY/trash/reviews\nCaused by: Not a directory (os error 20)\nHint: expected a directory but found a file; move it\n",
    );
    refused(
        &place,
        "review submit",
        "Error: cannot create the directory ROOT/home/.local/state/skein/here-KEY/drafts\nCaused by: Not a directory (os error 20)\nHint: expected a directory but found a file; move it\n",
    );
}

#[test]
fn an_index_that_cannot_be_written_is_a_warning() {
    let place = with_thread();
    let index = place.machine.dir.join(".code-review/index.json");
    fs::remove_file(&index).unwrap();
    fs::create_dir(&index).unwrap();
    place.check(
        "review reply 7030 -m x",
        "
Replied on src/a.rs:2  7030916e
-- stderr
Warning: the index was not written: Is a directory (os error 21) [index-stale]
-- exit 0
",
    );
}

#[test]
fn without_a_terminal_a_question_is_an_error() {
    let place = with_thread();
    refused(
        &place,
        "review clear",
        "Error: `clear` needs confirmation, but stdin is not a terminal\nHint: add `--yes` to do it without asking\n",
    );
    refused(
        &place,
        "uninstall --purge",
        "Error: `uninstall --purge` needs confirmation, but stdin is not a terminal\nHint: add `--yes` to do it without asking\n",
    );
    let mut place = with_thread().on_terminal(80);
    place.input = "n\n";
    place.check(
        "review clear",
        "
-- stderr
Delete 1 thread of ROOT/here/.code-review? [y/N] Nothing was deleted.
-- exit 1
",
    );
    place.check(
        "uninstall --purge",
        "
-- stderr
Move every review thread of ROOT/here/.code-review to the trash? [y/N] Nothing was changed.
-- exit 1
",
    );
    assert_eq!(threads(&place).len(), 1);
    place.input = "y\n";
    place.check(
        "review clear",
        "
Deleted 1 thread; `skein review restore --last` restores it
-- stderr
Delete 1 thread of ROOT/here/.code-review? [y/N] -- exit 0
",
    );
}

#[test]
fn outside_of_a_repository_a_comment_needs_new_store() {
    let place = folder();
    refused(
        &place,
        "review diff",
        "Error: not a git repository: ROOT/here\nHint: run `git init` there first, or name a repository with `-C DIR`\n",
    );
    refused(
        &place,
        "review write",
        "Error: not a git repository: ROOT/here\nHint: run `git init` there first, or name a repository with `-C DIR`\n",
    );
    refused(
        &place,
        "share",
        "Error: not a git repository: ROOT/here\nHint: run `git init` there first, or name a repository with `-C DIR`\n",
    );
    let output = place.run("review add src/a.rs:2 -m Fine");
    assert_eq!(output.code, 2);
    assert_eq!(
        output.err,
        "Error: not a git repository, and there is no store of review threads: ROOT/here\nHint: add `--new-store` to create one here, or name a repository with `-C DIR`\n"
    );
    assert!(!place.machine.dir.join(".code-review").exists());
    place.check(
        "review add src/a.rs:2 --changed-only --new-store -m Fine",
        "
Added a comment on src/a.rs:2  7030916e
     2      let file = find_or_create(path);
-- stderr
Created the store: ROOT/here/.code-review
-- exit 0
",
    );
    place.check(
        "init",
        "
The store exists: ROOT/here/.code-review
-- stderr
`skein review add FILE:LINE -m TEXT` comments on a line
-- exit 0
",
    );
}

#[test]
fn a_damaged_git_index_stops_a_comment() {
    let mut place = repo();
    set(&mut place, "SKEIN_NOW", "2026-01-23T15:00:00Z");
    fs::write(place.machine.dir.join(".git/index"), "garbage").unwrap();
    let before = threads(&place);
    let output = place.run("review add src/a.rs:2 -m x");
    assert_eq!(output.code, 2, "{output}");
    assert_eq!(threads(&place), before);
}
