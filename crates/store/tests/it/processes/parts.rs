//! The parts that the child processes run.

use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use skein_store::{RealFs, ReplaceError, Revision, lock, read, read_stable, replace};

use super::LOCK_TIMEOUT;
use super::document::Document;

pub(crate) const PART: &str = "SKEIN_STORE_TEST_PART";
pub(crate) const STORE: &str = "SKEIN_STORE_TEST_STORE";
pub(crate) const DOCUMENT: &str = "store/document.md";
pub(crate) const STOP: &str = "stop";
pub(crate) const ACKNOWLEDGED: &str = "acknowledged.log";
pub(crate) const FOREIGN_LOG: &str = "foreign.log";

pub(crate) fn run(part: &str, dir: &Path) {
    match part.split(' ').collect::<Vec<_>>()[..] {
        ["writer", name, count] => write_lines(dir, name, count.parse().unwrap()),
        ["foreign", count] => write_in_place(dir, count.parse().unwrap()),
        ["reader"] => read_until_stopped(dir),
        ["restless"] => replace_until_killed(dir),
        _ => panic!("no such part: {part}"),
    }
}

/// Splits a line of a log into its time and the rest.
pub(crate) fn parse_log(line: &str) -> (u128, &str) {
    let (time, rest) = line.split_once(' ').unwrap();
    (time.parse().unwrap(), rest)
}

fn now() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos()
}

fn log(path: &Path, time: u128, text: &str) {
    let mut file = File::options().create(true).append(true).open(path).unwrap();
    file.write_all(format!("{time} {text}\n").as_bytes()).unwrap();
}

fn write_lines(dir: &Path, name: &str, count: usize) {
    for i in 0..count {
        let line = format!("writer {name} line {i}");
        let started = append(dir, &line);
        log(&dir.join(ACKNOWLEDGED), started, &line);
    }
}

/// Appends a line with the lock held, and returns when the successful attempt began.
fn append(dir: &Path, line: &str) -> u128 {
    let path = dir.join(DOCUMENT);
    let mut lines = vec![line.to_owned()];
    loop {
        let guard = lock(&RealFs, &dir.join("store"), LOCK_TIMEOUT).unwrap();
        let snapshot = read_stable(&path, &|bytes| Document::parse(bytes).is_some()).unwrap();
        let Some(mut document) = Document::parse(&snapshot.bytes) else {
            continue;
        };
        // The foreign program may have read our line in an attempt that was then undone.
        lines.iter().for_each(|line| document.add(line));
        let started = now();
        match replace(&RealFs, &guard, &path, &snapshot.revision, &document.to_bytes()) {
            Ok(_) => return started,
            Err(ReplaceError::Conflict { kept: Some(kept), .. }) => {
                lines.extend(lines_of_displaced(&kept));
                fs::remove_file(kept).unwrap();
            }
            Err(ReplaceError::Conflict { kept: None, .. }) => {}
            Err(error) => panic!("{error:?}"),
        }
    }
}

/// Returns the lines of a displaced document, or none if it is torn: its program writes it again.
fn lines_of_displaced(kept: &Path) -> Vec<String> {
    Document::parse(&fs::read(kept).unwrap()).map(|document| document.lines).unwrap_or_default()
}

/// Rewrites the file in place without a lock, as the programs that defined the formats do.
fn write_in_place(dir: &Path, count: u64) {
    let mut done = Vec::new();
    for i in 0..count {
        let line = format!("foreign line {i}");
        // Every second rewrite has no pause, so that it fits between two steps of a replacement.
        let pause = Duration::from_millis(i % 2);
        loop {
            let mut document = read_with(dir, &done);
            document.add(&line);
            if rewrite(dir, &document, pause) {
                break;
            }
        }
        done.push(line);
        thread::sleep(Duration::from_millis(i % 5));
    }
}

/// Reads a document with all of `lines` in it.
///
/// While a conflict is undone, a document that lacks the last of them is visible for a moment.
/// Lines that stay missing are lost; the parent process detects that.
fn read_with(dir: &Path, lines: &[String]) -> Document {
    let mut attempts_left = 1000;
    loop {
        if let Some(document) = Document::parse(&fs::read(dir.join(DOCUMENT)).unwrap()) {
            if attempts_left == 0 || lines.iter().all(|line| document.lines.contains(line)) {
                return document;
            }
            attempts_left -= 1;
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Returns whether the document has its name afterwards: not if the file was displaced during the write.
fn rewrite(dir: &Path, document: &Document, pause: Duration) -> bool {
    let path = dir.join(DOCUMENT);
    let bytes = document.to_bytes();
    let mut file = File::create(&path).unwrap();
    let (first, second) = bytes.split_at(bytes.len() / 2);
    file.write_all(first).unwrap();
    thread::sleep(pause);
    file.write_all(second).unwrap();
    log(&dir.join(FOREIGN_LOG), now(), &document.lines.join("|"));
    file.metadata().unwrap().ino() == fs::metadata(&path).unwrap().ino()
}

fn read_until_stopped(dir: &Path) {
    while !dir.join(STOP).exists() {
        let snapshot = read(&dir.join(DOCUMENT)).unwrap();
        assert!(Document::parse(&snapshot.bytes).is_some(), "torn: {:?}", snapshot.bytes);
    }
}

/// Replaces the document repeatedly until the process is killed.
fn replace_until_killed(dir: &Path) {
    let path = dir.join(DOCUMENT);
    for i in 0_u64.. {
        let guard = lock(&RealFs, &dir.join("store"), LOCK_TIMEOUT).unwrap();
        let old = read(&path).unwrap();
        let line = format!("{} {i}", Revision::from_bytes(&old.bytes));
        let document = Document { lines: vec![line; 500] };
        replace(&RealFs, &guard, &path, &old.revision, &document.to_bytes()).unwrap();
    }
}
