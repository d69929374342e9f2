//! A folder of ugly files, which are unusual or invalid, for each format.
//!
//! Next to each file is a snapshot of what Skein reads from it: the view, the diagnostics, and what
//! every edit changes. All bytes that an edit does not concern must be unchanged.

mod checkpoint;
mod review;
mod session_map;

use std::fmt::Write as _;
use std::fs;

use skein_format::time::{self, Time};

use crate::change::{Change, changes};
use crate::{show, snapshot};

/// A time that occurs in no file.
fn now() -> Time {
    time::parse("2031-05-06T07:08:09Z").unwrap().time
}

/// An edit that was tried.
struct Tried {
    name: &'static str,
    /// The result; if the edit was refused, the document is unchanged.
    result: Result<(), String>,
    after: Vec<u8>,
    /// How many places the edit may change; if old and new text share words, one place counts as several.
    places: usize,
}

/// Walks a folder, and compares what `look` returns for each file with the snapshot next to it.
fn walk(folder: &str, at_least: usize, look: impl Fn(&str, &[u8]) -> String) {
    let folder = snapshot::tests_path("ugly").join(folder);
    let mut files: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end != "expected"))
        .collect();
    files.sort();
    assert!(files.len() >= at_least, "{} files", files.len());
    for path in files {
        let stem = path.file_stem().unwrap().to_str().unwrap();
        let bytes = fs::read(&path).unwrap();
        println!("{}", path.display());
        snapshot::check(&path.with_extension("expected"), &look(stem, &bytes));
    }
}

/// Shows what the edits changed.
fn show_edits(before: &[u8], edits: &[Tried]) -> String {
    let mut out = String::new();
    for edit in edits {
        if let Err(error) = &edit.result {
            assert_eq!(edit.after, before, "{}: refused, but changed", edit.name);
            writeln!(out, "{}: {error}", edit.name).unwrap();
            continue;
        }
        let found = changes(before, &edit.after);
        let count = found.len();
        let mut shown = format!("{}\n", edit.name);
        for Change { removed, added } in found {
            let (removed, added) = (show::bytes(&removed), show::bytes(&added));
            writeln!(shown, "  {removed} => {added}").unwrap();
        }
        assert!(count <= edit.places, "more than {}: {shown}", edit.places);
        out.push_str(&shown);
    }
    out
}

/// Asserts that two views differ only in lines that begin with one of `starts`.
#[track_caller]
fn assert_same_but(before: &str, after: &str, starts: &[&str]) {
    let rest = |view: &str| -> Vec<String> {
        view.lines()
            .filter(|line| !starts.iter().any(|start| line.starts_with(start)))
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(rest(before), rest(after));
}
