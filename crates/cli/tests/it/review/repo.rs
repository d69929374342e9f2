//! A repository to review, and functions that run commands in it and read its files.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::place::Place;

/// The file under review as it was committed.
pub(super) const OLD: &str = "\
fn open(path: &str) -> File {
    let file = find(path);
    check(&file);
    file
}

fn close(file: File) {
    file.flush();
}
";

/// The same file with an uncommitted change.
pub(super) const NEW: &str = "\
fn open(path: &str) -> File {
    let file = find_or_create(path);
    check(&file);
    file
}

fn close(file: File) {
    file.flush();
}
";

/// Returns a repository with one commit and a changed file, in which Mira is the reviewer.
pub(super) fn repo() -> Place {
    let mut place = Place::empty();
    let root = place.machine.dir.clone();
    git(&root, "init -q --template= -b main");
    for (key, value) in [("user.name", "Ada"), ("user.email", "ada@example.org")] {
        git_args(&root, &["config", key, value]);
    }
    git(&root, "config core.autocrlf false");
    place.file("src/a.rs", OLD);
    commit(&root, "begin");
    place.file("src/a.rs", NEW);
    sign(&mut place, "Mira");
    place
}

/// Returns a repository with one thread on a line.
pub(super) fn with_thread() -> Place {
    let place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "-m", "Why?"]);
    place
}

/// Returns a directory with one file, outside of any repository.
pub(super) fn folder() -> Place {
    let mut place = Place::empty();
    place.file("src/a.rs", NEW);
    sign(&mut place, "Mira");
    place
}

pub(super) fn sign(place: &mut Place, name: &str) {
    set(place, "SKEIN_AUTHOR", name);
}

pub(super) fn set(place: &mut Place, name: &str, value: &str) {
    place.machine.variables.insert(name.to_owned(), value.to_owned());
}

/// Sets the editor to a shell script.
pub(super) fn editor(place: &mut Place, script: &str) {
    let path = place.path("editor.sh");
    fs::write(&path, script).unwrap();
    set(place, "EDITOR", &format!("sh {}", path.display()));
}

pub(super) fn commit(dir: &Path, message: &str) {
    git(dir, "add -A");
    git_args(dir, &["commit", "-q", "--allow-empty", "-m", message]);
}

pub(super) fn git(dir: &Path, words: &str) -> String {
    git_args(dir, &words.split_whitespace().collect::<Vec<_>>())
}

pub(super) fn git_args(dir: &Path, args: &[&str]) -> String {
    let date = "2026-01-20T10:00:00Z";
    let output = Command::new("git")
        .current_dir(dir)
        .args(args)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_AUTHOR_DATE", date)
        .env("GIT_COMMITTER_DATE", date)
        .output()
        .unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the thread files of the store, in the order of their names.
pub(super) fn threads(place: &Place) -> Vec<PathBuf> {
    files(&place.machine.dir.join(".code-review/threads"))
}

/// Returns the content of the only thread file.
#[track_caller]
pub(super) fn thread(place: &Place) -> String {
    let all = threads(place);
    assert_eq!(all.len(), 1, "{all:?}");
    fs::read_to_string(&all[0]).unwrap()
}

/// Returns the comments of the only thread, as author and body.
#[track_caller]
pub(super) fn comments(place: &Place) -> Vec<(String, String)> {
    let all = threads(place);
    assert_eq!(all.len(), 1, "{all:?}");
    comments_of(place, &all[0])
}

#[track_caller]
pub(super) fn comments_of(place: &Place, file: &Path) -> Vec<(String, String)> {
    let view = json(place, &["review", "show", file.to_str().unwrap(), "--json"]);
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let comments = view["comments"].as_array().unwrap();
    comments.iter().map(|one| (text(&one["author"]), text(&one["body"]))).collect()
}

/// Runs a command that prints JSON.
#[track_caller]
pub(super) fn json(place: &Place, args: &[&str]) -> serde_json::Value {
    let printed = place.run_args(args);
    assert_eq!(printed.code, 0, "{args:?}: {printed}");
    serde_json::from_str(&printed.out).unwrap()
}

/// Runs a command that must succeed.
#[track_caller]
pub(super) fn done(place: &Place, args: &[&str]) -> String {
    let printed = place.run_args(args);
    assert_eq!(printed.code, 0, "{args:?}: {printed}");
    printed.out
}

/// Returns the files in every directory of this name below the state directory.
pub(super) fn state(place: &Place, dir: &str) -> Vec<PathBuf> {
    let state = place.path("home/.local/state/skein");
    let mut found = Vec::new();
    for root in files(&state).into_iter().filter(|path| path.is_dir()) {
        found.extend(files(&root.join(dir)));
        if root.ends_with(dir) {
            found.extend(files(&root));
        }
    }
    found
}

pub(super) fn files(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = dir.read_dir() else { return Vec::new() };
    let mut all: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all
}

/// Lists every file of the test with its bytes and the time of its last change.
///
/// The cache and files that git itself writes are left out.
pub(super) fn tree(place: &Place) -> String {
    let mut out = String::new();
    walk(&place.path(""), &mut out);
    place.shorten(&out)
}

fn walk(dir: &Path, out: &mut String) {
    for path in files(dir) {
        let meta = path.symlink_metadata().unwrap();
        if path.ends_with("home/.cache") || path.ends_with(".git/objects") {
            continue;
        }
        if meta.is_dir() {
            writeln!(out, "{}/", path.display()).unwrap();
            walk(&path, out);
        } else if meta.is_symlink() {
            writeln!(out, "{} -> {:?}", path.display(), path.read_link().unwrap()).unwrap();
        } else if meta.len() > 1024 * 1024 {
            writeln!(out, "{} {:?} {}", path.display(), meta.modified().unwrap(), meta.len())
                .unwrap();
        } else {
            let (bytes, time) = (fs::read(&path).unwrap(), meta.modified().unwrap());
            writeln!(out, "{} {time:?} {}", path.display(), bytes.escape_ascii()).unwrap();
        }
    }
}

/// Checks that a command exits with 2, prints exactly this error, and changes no file.
#[track_caller]
pub(super) fn refused(place: &Place, words: &str, expected: &str) {
    refused_args(place, &words.split_whitespace().collect::<Vec<_>>(), expected);
}

#[track_caller]
pub(super) fn refused_args(place: &Place, args: &[&str], expected: &str) {
    let before = tree(place);
    let printed = place.run_args(args);
    assert_eq!(printed.err, expected, "skein {args:?}");
    assert_eq!((printed.code, printed.out.as_str()), (2, ""));
    let after = tree(place);
    let only = |a: &str, b: &str| {
        let lines = a.lines().filter(|line| !b.lines().any(|other| other == *line));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert!(
        after == before,
        "skein {args:?}: -{:?} +{:?}",
        only(&before, &after),
        only(&after, &before)
    );
}

/// Compares a text with an expected text that may start with a line break.
#[track_caller]
pub(super) fn same(text: &str, expected: &str) {
    assert_eq!(text, expected.trim_start_matches('\n'));
}
