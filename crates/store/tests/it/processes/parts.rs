//! What the children do.

use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use skein_store::{RealFs, ReplaceError, Revision, lock, read, read_stable, replace};

use super::PATIENCE;
use super::document::Document;

pub(crate) const PART: &str = "SKEIN_STORE_TEST_PART";
pub(crate) const STORE: &str = "SKEIN_STORE_TEST_STORE";
pub(crate) const DOCUMENT: &str = "store/document.md";
pub(crate) const STOP: &str = "stop";
pub(crate) const ACKNOWLEDGED: &str = "acknowledged.log";
pub(crate) const FOREIGN_LOG: &str = "foreign.log";

pub(crate) fn play(part: &str, dir: &Path) {
    match part.split(' ').collect::<Vec<_>>()[..] {
        ["writer", name, count] => write_lines(dir, name, count.parse().unwrap()),
        ["foreign", count] => write_in_place(dir, count.parse().unwrap()),
        ["reader"] => read_until_stopped(dir),
        ["restless"] => replace_for_ever(dir),
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

/// Appends a line as a polite program does, and returns when the successful attempt began.
fn append(dir: &Path, line: &str) -> u128 {
    let path = dir.join(DOCUMENT);
    let mut lines = vec![line.to_owned()];
    loop {
        let guard = lock(&RealFs, &dir.join("store"), PATIENCE).unwrap();
        let snapshot = read_stable(&path, &|bytes| Document::parse(bytes).is_some()).unwrap();
        let Some(mut document) = Document::parse(&snapshot.bytes) else {
            continue;
        };
        // The foreign program may have read our line in an attempt that was then taken back.
        lines.iter().for_each(|line| document.add(line));
        let started = now();
        match replace(&RealFs, &guard, &path, &snapshot.revision, &document.to_bytes()) {
            Ok(_) => return started,
            Err(ReplaceError::Conflict { kept: Some(kept), .. }) => {
                lines.extend(rescue(&kept));
                fs::remove_file(kept).unwrap();
            }
            Err(ReplaceError::Conflict { kept: None, .. }) => {}
            Err(error) => panic!("{error:?}"),
        }
    }
}

/// Returns the lines of a document that found no place; a torn one its program writes again.
fn rescue(kept: &Path) -> Vec<String> {
    Document::parse(&fs::read(kept).unwrap()).map(|document| document.lines).unwrap_or_default()
}

/// Rewrites the file in place without a lock, as the programs that invented the formats do.
fn write_in_place(dir: &Path, count: u64) {
    let mut done = Vec::new();
    for i in 0..count {
        let line = format!("foreign line {i}");
        // Every other time in one go, which fits between two steps of a replacement.
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
/// For the moment that it takes to undo a conflict a document is visible that lacks the last of
/// them. Lines that stay away are lost; the parent finds that out.
fn read_with(dir: &Path, lines: &[String]) -> Document {
    let mut patience = 1000;
    loop {
        if let Some(document) = Document::parse(&fs::read(dir.join(DOCUMENT)).unwrap()) {
            if patience == 0 || lines.iter().all(|line| document.lines.contains(line)) {
                return document;
            }
            patience -= 1;
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Tells whether the document is under its name; it is not if the file was displaced meanwhile.
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

/// Replaces the document again and again until it is killed.
fn replace_for_ever(dir: &Path) {
    let path = dir.join(DOCUMENT);
    for i in 0_u64.. {
        let guard = lock(&RealFs, &dir.join("store"), PATIENCE).unwrap();
        let old = read(&path).unwrap();
        let line = format!("{} {i}", Revision::from_bytes(&old.bytes));
        let document = Document { lines: vec![line; 500] };
        replace(&RealFs, &guard, &path, &old.revision, &document.to_bytes()).unwrap();
    }
}
