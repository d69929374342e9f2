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
    let said = done(&place, &["review", "reply", &id, "-m", "Because."]);
    assert!(said.contains("Replied on src/a.rs:4"), "{said}");
    let said = done(&place, &["review", "reply", "@last", "-m", "Really."]);
    assert!(said.contains("Replied on src/a.rs:4"), "{said}");
    let said = done(&place, &["review", "reply", "src/a.rs:4", "-m", "Still."]);
    assert!(said.contains("Replied on src/a.rs:4"), "{said}");
    let said = done(&place, &["review", "list"]);
    assert!(said.contains("src/a.rs:4"), "{said}");
    let said = done(&place, &["review", "list", "file:src/a.rs"]);
    assert!(said.contains("src/a.rs:4"), "{said}");
    let said = done(&place, &["review", "show", &id]);
    assert!(said.contains("Really.") && said.contains("find_or_create"), "{said}");
    let said = done(&place, &["review", "next", "--json"]);
    assert!(said.contains("find_or_create"), "{said}");
    let said = done(&place, &["review", "export"]);
    assert!(said.contains("find_or_create"), "{said}");
    done(&place, &["review", "edit", &id, "-m", "Still not."]);
    let said = done(&place, &["review", "resolve", &id]);
    assert!(said.contains("Resolved src/a.rs:4"), "{said}");
    let said = done(&place, &["review", "delete", &id]);
    assert!(said.contains("Deleted src/a.rs:4"), "{said}");
    let said = done(&place, &["review", "restore", &id]);
    assert!(said.contains("Restored src/a.rs:4"), "{said}");
}

#[test]
fn suggestions_and_drafts_work() {
    let place = repo();
    done(
        &place,
        &["review", "add", "src/a.rs:3", "-m", "So:", "--suggest", "    let file = path;"],
    );
    let id = thread_id(&place);
    let said = done(&place, &["review", "apply", &id, "--resolve"]);
    assert!(said.contains("Applied to src/a.rs:3"), "{said}");
    done(&place, &["review", "add", "src/a.rs:4", "--draft", "-m", "Later."]);
    let said = done(&place, &["review", "submit"]);
    assert!(said.contains("src/a.rs:4"), "{said}");
}

#[test]
fn checkpoints_are_saved_shown_and_closed() {
    let place = repo();
    done(&place, &["checkpoint", "save", "tidy", "-m", "Tidy the parser", "--step", "Test it"]);
    let said = done(&place, &["checkpoint", "list"]);
    assert!(said.contains("tidy"), "{said}");
    let said = done(&place, &["checkpoint", "show", "@last"]);
    assert!(said.contains("Test it"), "{said}");
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
