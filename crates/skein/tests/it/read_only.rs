//! Stores and checkouts without write permission.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use crate::place::{Place, files};

/// The user that runs the program if the tests run as the superuser, who ignores permissions.
const NOBODY: u32 = 65534;

/// Returns a command that runs the program as a user without special rights.
///
/// A directory above the program may be closed to that user, so it runs from the root of the place, which must be open.
fn unprivileged(place: &Place, is_superuser: bool, args: &[&str]) -> Command {
    if !is_superuser {
        return place.skein(args);
    }
    let copy = place.path("skein");
    if !copy.exists() {
        let program = env!("CARGO_BIN_EXE_skein");
        fs::hard_link(program, &copy).or_else(|_| fs::copy(program, &copy).map(drop)).unwrap();
    }
    let mut command = place.program(&copy, args);
    command.uid(NOBODY).gid(NOBODY);
    command
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_read_only_store_can_be_read_and_writing_reports_it() {
    let place = Place::with_store();
    place.file("work/a.rs", "one\n");
    place.done(&["review", "add", "a.rs:1", "-m", "Why?", "--new-store"]);
    let thread = place.threads().remove(0);
    let before = (fs::read(&thread).unwrap(), fs::metadata(&thread).unwrap().modified().unwrap());
    let superuser = fs::metadata(&thread).unwrap().uid() == 0;
    mode(&place.path(""), 0o755);
    if superuser {
        // A store of another user is not used at all.
        for name in ["home", "work", "work/.code-review", "work/.code-review/threads"] {
            chown(place.path(name), Some(NOBODY), None).unwrap();
        }
    }
    mode(&place.path("work/.code-review/threads"), 0o555);
    mode(&place.path("work/.code-review"), 0o555);
    let run = |args: &[&str]| {
        let output = unprivileged(&place, superuser, args).output().unwrap();
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        (output.status.code(), text.replace(&place.path("").display().to_string(), "ROOT/"))
    };
    assert_eq!(run(&["review", "show", "a.rs:1"]).0, Some(0));
    let tries: [&[&str]; 6] = [
        &["review", "reply", "a.rs:1", "-m", "x"],
        &["review", "resolve", "a.rs:1"],
        &["review", "edit", "a.rs:1", "-m", "x"],
        &["review", "delete", "a.rs:1"],
        &["review", "add", "a.rs:1", "-m", "x"],
        &["review", "clear", "--yes"],
    ];
    for args in tries {
        let (code, text) = run(args);
        assert_eq!(code, Some(2), "{args:?}: {text}");
        assert!(text.contains("Caused by: Permission denied (os error 13)\n"), "{text}");
        assert!(
            text.contains("Hint: check the permissions of the file and its directory"),
            "{text}"
        );
        let after =
            (fs::read(&thread).unwrap(), fs::metadata(&thread).unwrap().modified().unwrap());
        assert_eq!(after, before, "{args:?}");
        assert_eq!(place.threads(), std::slice::from_ref(&thread), "{args:?}");
    }
    mode(&place.path("work/.code-review"), 0o755);
    mode(&place.path("work/.code-review/threads"), 0o755);
}

/// Gives everything below a directory to a user, with or without write permission.
fn freeze(path: &Path, owner: Option<u32>, is_frozen: bool) {
    let kind = fs::symlink_metadata(path).unwrap();
    if owner.is_some() {
        chown(path, owner, owner).unwrap();
    }
    if kind.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            freeze(&entry.unwrap().path(), owner, is_frozen);
        }
        mode(path, if is_frozen { 0o555 } else { 0o755 });
    }
}

fn git(place: &Place, args: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=Mira", "-c", "user.email=mira@example.org"]).args(args);
    assert!(command.current_dir(place.path("work")).output().unwrap().status.success());
}

/// Makes the workspace a repository with one commit.
fn commit(place: &Place) {
    git(place, &["init", "--quiet"]);
    git(place, &["add", "."]);
    git(place, &["commit", "--quiet", "-m", "first"]);
}

#[test]
fn a_read_only_checkout_has_a_diff() {
    let place = Place::with_store();
    place.file("work/a.rs", "one\ntwo\n");
    commit(&place);
    place.file("work/a.rs", "one\nchanged\n");
    place.file("work/new.rs", "untracked\n");
    let superuser = fs::metadata(place.path("work")).unwrap().uid() == 0;
    let owner = superuser.then_some(NOBODY);
    mode(&place.path(""), 0o755);
    freeze(&place.path("home"), owner, false);
    freeze(&place.path("work"), owner, true);
    let output = unprivileged(&place, superuser, &["review", "diff"]).output().unwrap();
    freeze(&place.path("work"), None, false);
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("changed") && text.contains("untracked"), "{text}");
}

#[test]
fn a_limit_on_the_size_of_files_leaves_no_temporary_file() {
    let place = Place::with_store();
    place.file("work/a.rs", "one\n");
    place.done(&["review", "add", "a.rs:1", "-m", "Why?", "--new-store"]);
    let before = place.threads();
    let thread = fs::read(&before[0]).unwrap();
    let long = "word ".repeat(20_000);
    let program = env!("CARGO_BIN_EXE_skein");
    let mut command = Command::new("sh");
    let script = format!("ulimit -f 16; exec '{program}' review reply a.rs:1 -m \"$0\"");
    command.arg("-c").arg(script).arg(&long).current_dir(place.path("work"));
    command.env("HOME", place.path("home")).env("SKEIN_AUTHOR", "Mira");
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert_eq!(place.threads(), before, "only the thread file is there");
    assert_eq!(fs::read(&before[0]).unwrap(), thread);
}

#[test]
fn an_agent_needs_write_access_only_to_its_worktree() {
    let place = Place::with_store();
    place.file("work/a.rs", "one\ntwo\n");
    commit(&place);
    git(&place, &["worktree", "add", "--quiet", "-b", "feature", "../tree"]);
    place.done(&["handoff", "-m", "Go on", "--step", "alpha", "--step", "beta"]);
    let outside = |args: &[&str]| {
        let output = place.skein(args).current_dir(place.path("tree")).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", crate::place::printed(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    outside(&["review", "add", "a.rs:1", "-m", "Why? @claude", "--new-store"]);
    let superuser = fs::metadata(place.path("work")).unwrap().uid() == 0;
    let owner = superuser.then_some(NOBODY);
    mode(&place.path(""), 0o555);
    freeze(&place.path("home"), owner, true);
    freeze(&place.path("work"), owner, true);
    freeze(&place.path("tree"), owner, false);
    let inside = |args: &[&str]| {
        let mut command = unprivileged(&place, superuser, args);
        command.current_dir(place.path("tree")).env_remove("SKEIN_AUTHOR").env("CLAUDECODE", "1");
        let output = command.output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", crate::place::printed(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    inside(&["review", "next", "--claim"]);
    inside(&["review", "reply", "a.rs:1", "-m", "Because."]);
    inside(&["review", "resolve", "a.rs:1"]);
    inside(&["resume", "--take"]);
    inside(&["steps", "done", "go-on#1"]);
    inside(&["checkpoint", "save", "-m", "Alpha is done"]);
    inside(&["handoff", "-m", "Take over", "--step", "gamma"]);
    let steps = inside(&["steps", "list"]);
    assert!(steps.contains("beta") && steps.contains("gamma"), "{steps}");
    assert!(!steps.contains("alpha"), "{steps}");
    freeze(&place.path("home"), None, false);
    freeze(&place.path("work"), None, false);
    mode(&place.path(""), 0o755);
    if superuser {
        for name in ["home", "work", "tree"] {
            freeze(&place.path(name), Some(0), false);
        }
    }
    // The merge driver runs during a git operation, so it moves no checkpoint.
    let waiting = files(&place.path("tree/.skein/checkpoints"));
    place.file("merge", "{}");
    let mut driver = place.skein(&["merge-driver", "../merge", "../merge", "../merge", "T-1.json"]);
    driver.output().unwrap();
    assert_eq!(files(&place.path("tree/.skein/checkpoints")), waiting);
    assert!(!waiting.is_empty());
    // The next command with write access lists all checkpoints and moves them out of the worktree.
    let list = place.json(&["list", "--json"]);
    let ids: Vec<&str> =
        list["threads"].as_array().unwrap().iter().filter_map(|row| row["id"].as_str()).collect();
    for slug in ["-go-on", "-alpha-is-done", "-take-over"] {
        assert!(ids.iter().any(|id| id.ends_with(slug)), "{slug}: {ids:?}");
    }
    assert_eq!(files(&place.path("tree/.skein/checkpoints")), Vec::<std::path::PathBuf>::new());
    assert!(outside(&["review", "list"]).contains("resolve proposed"));
}
