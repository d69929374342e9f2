//! Real processes: several writers, one that takes no lock, and writers that are killed.
//!
//! A child is another process of this test binary. It runs only [`child`], and its part is named in
//! the environment.

mod document;
mod parts;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Child, Command};
use std::thread;
use std::time::Duration;

use skein_store::{RealFs, is_temp_name, lock};

use self::document::Document;
use self::parts::{ACKNOWLEDGED, DOCUMENT, FOREIGN_LOG, PART, STOP, STORE};

const LOCK_TIMEOUT: Duration = Duration::from_secs(20);

/// Runs the part named in the environment; does nothing in a normal test run.
#[test]
fn child() {
    if let (Ok(part), Ok(store)) = (std::env::var(PART), std::env::var(STORE)) {
        parts::run(&part, Path::new(&store));
    }
}

fn spawn(store: &Path, part: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["processes::child", "--exact", "--quiet"])
        .env(PART, part)
        .env(STORE, store)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap()
}

fn finish(children: Vec<Child>) {
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
}

/// A store with one empty document, in a directory that also holds the logs.
fn start() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("store")).unwrap();
    fs::write(dir.path().join(DOCUMENT), Document::default().to_bytes()).unwrap();
    dir
}

fn read_document(dir: &Path) -> Document {
    Document::parse(&fs::read(dir.join(DOCUMENT)).unwrap()).expect("the document is complete")
}

fn other_files(dir: &Path) -> Vec<String> {
    let names = fs::read_dir(dir.join("store")).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| !DOCUMENT.ends_with(name)).collect()
}

#[test]
fn no_update_is_lost_and_no_read_is_torn() {
    let dir = start();
    let reader = spawn(dir.path(), "reader");
    finish((0..8).map(|n| spawn(dir.path(), &format!("writer {n} 50"))).collect());
    fs::write(dir.path().join(STOP), "").unwrap();
    finish(vec![reader]);

    let expected: BTreeSet<_> =
        (0..8).flat_map(|n| (0..50).map(move |i| format!("writer {n} line {i}"))).collect();
    let document = read_document(dir.path());
    assert_eq!(document.lines.len(), expected.len());
    assert_eq!(document.lines.into_iter().collect::<BTreeSet<_>>(), expected);
    assert_eq!(other_files(dir.path()), [""; 0]);
}

#[test]
fn a_foreign_writer_loses_nothing_and_only_its_rewrites_lose_lines() {
    let dir = start();
    let foreign = spawn(dir.path(), "foreign 120");
    finish((0..3).map(|n| spawn(dir.path(), &format!("writer {n} 30"))).collect());
    finish(vec![foreign]);

    let document = read_document(dir.path());
    for i in 0..120 {
        let line = format!("foreign line {i}");
        assert!(document.lines.contains(&line), "{line} is lost");
    }
    let acknowledged = fs::read_to_string(dir.path().join(ACKNOWLEDGED)).unwrap();
    let foreign_log = fs::read_to_string(dir.path().join(FOREIGN_LOG)).unwrap();
    assert_eq!(acknowledged.lines().count(), 3 * 30);
    for entry in acknowledged.lines() {
        let (started, line) = parts::parse_log(entry);
        let is_explained = foreign_log.lines().map(parts::parse_log).any(|(written, lines)| {
            written >= started && !lines.split('|').any(|theirs| theirs == line)
        });
        let there = document.lines.iter().any(|theirs| theirs == line);
        assert!(there || is_explained, "{line} is lost, and no foreign rewrite explains it");
    }
    assert_eq!(other_files(dir.path()), [""; 0]);
}

#[test]
fn a_killed_writer_leaves_a_complete_document_and_no_lock() {
    let dir = start();
    let path = dir.path().join(DOCUMENT);
    for round in 0..30 {
        let before = fs::read(&path).unwrap();
        let mut child = spawn(dir.path(), "restless");
        while fs::read(&path).unwrap() == before {
            assert!(child.try_wait().unwrap().is_none(), "the child exited on its own");
            thread::sleep(Duration::from_millis(1));
        }
        // Spreads the kills over the steps of a replacement, however long they take.
        thread::sleep(Duration::from_micros(137 * round));
        child.kill().unwrap();
        child.wait().unwrap();

        read_document(dir.path());
        drop(lock(&RealFs, &dir.path().join("store"), LOCK_TIMEOUT).unwrap());
        for name in other_files(dir.path()) {
            assert!(is_temp_name(name.as_ref()), "{name}");
            fs::remove_file(dir.path().join("store").join(name)).unwrap();
        }
    }
}
