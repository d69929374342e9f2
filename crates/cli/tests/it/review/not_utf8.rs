//! A repository below a directory whose name is not UTF-8.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;

use super::repo::{NEW, OLD, commit, done, git, git_args, sign};
use crate::place::Place;

fn repo() -> Place {
    let mut place = Place::empty();
    let root = place.machine.dir.join(OsStr::from_bytes(b"caf\xe9"));
    fs::create_dir(&root).unwrap();
    place.machine.dir.clone_from(&root);
    git(&root, "init -q --template= -b main");
    for (key, value) in [("user.name", "Ada"), ("user.email", "ada@example.org")] {
        git_args(&root, &["config", key, value]);
    }
    place.file("src/a.rs", OLD);
    commit(&root, "begin");
    place.file("src/a.rs", format!("use std::fs;\n{NEW}"));
    sign(&mut place, "Mira");
    place
}

#[test]
fn threads_are_answered_listed_and_placed() {
    let place = repo();
    done(&place, &["review", "add", "src/a.rs:3", "-m", "Why?"]);
    let id = thread_id(&place);
    place.file("src/a.rs", format!("use std::fs;\nuse std::io;\n{NEW}"));
    let output = done(&place, &["review", "reply", &id, "-m", "Because."]);
    assert!(output.contains("Replied on src/a.rs:4"), "{output}");
    let output = done(&place, &["review", "reply", "@last", "-m", "Really."]);
    assert!(output.contains("Replied on src/a.rs:4"), "{output}");
    let output = done(&place, &["review", "reply", "src/a.rs:4", "-m", "Still."]);
    assert!(output.contains("Replied on src/a.rs:4"), "{output}");
    let output = done(&place, &["review", "list"]);
    assert!(output.contains("src/a.rs:4"), "{output}");
    let output = done(&place, &["review", "list", "file:src/a.rs"]);
    assert!(output.contains("src/a.rs:4"), "{output}");
    let output = done(&place, &["review", "show", &id]);
    assert!(output.contains("Really.") && output.contains("find_or_create"), "{output}");
    let output = done(&place, &["review", "next", "--json"]);
    assert!(output.contains("find_or_create"), "{output}");
    let output = done(&place, &["review", "export"]);
    assert!(output.contains("find_or_create"), "{output}");
    done(&place, &["review", "edit", &id, "-m", "Still not."]);
    let output = done(&place, &["review", "resolve", &id]);
    assert!(output.contains("Resolved src/a.rs:4"), "{output}");
    let output = done(&place, &["review", "delete", &id]);
    assert!(output.contains("Deleted src/a.rs:4"), "{output}");
    let output = done(&place, &["review", "restore", &id]);
    assert!(output.contains("Restored src/a.rs:4"), "{output}");
}

#[test]
fn suggestions_and_drafts_work() {
    let place = repo();
    done(
        &place,
        &["review", "add", "src/a.rs:3", "-m", "So:", "--suggest", "    let file = path;"],
    );
    let id = thread_id(&place);
    let output = done(&place, &["review", "apply", &id, "--resolve"]);
    assert!(output.contains("Applied to src/a.rs:3"), "{output}");
    done(&place, &["review", "add", "src/a.rs:4", "--draft", "-m", "Later."]);
    let output = done(&place, &["review", "submit"]);
    assert!(output.contains("src/a.rs:4"), "{output}");
}

#[test]
fn checkpoints_are_saved_shown_and_closed() {
    let place = repo();
    done(&place, &["checkpoint", "save", "tidy", "-m", "Tidy the parser", "--step", "Test it"]);
    let output = done(&place, &["checkpoint", "list"]);
    assert!(output.contains("tidy"), "{output}");
    let output = done(&place, &["checkpoint", "show", "@last"]);
    assert!(output.contains("Test it"), "{output}");
    done(&place, &["steps", "done", "tidy#1"]);
    done(&place, &["checkpoint", "cleanup"]);
    done(&place, &["doctor"]);
}

#[test]
fn threads_of_a_removed_worktree_are_listed_and_restored() {
    let mut place = repo();
    let root = place.machine.dir.clone();
    git(&root, "worktree add -q -b feat feat");
    place.machine.dir = root.join("feat");
    done(&place, &["review", "add", "src/a.rs:2", "-m", "Why?"]);
    let id = thread_id(&place);
    done(&place, &["review", "list"]);
    place.machine.dir = root;
    fs::remove_dir_all(place.machine.dir.join("feat")).unwrap();
    let listed = done(&place, &["review", "restore", "--json"]);
    assert!(listed.contains(&id), "{listed}");
    let restored = done(&place, &["review", "restore", "--worktree", "feat"]);
    assert!(restored.contains("Restored src/a.rs:3"), "{restored}");
}

fn thread_id(place: &Place) -> String {
    let dir = place.machine.dir.join(".code-review/threads");
    let file = fs::read_dir(dir).unwrap().next().unwrap().unwrap().path();
    file.file_stem().unwrap().to_str().unwrap().to_owned()
}
