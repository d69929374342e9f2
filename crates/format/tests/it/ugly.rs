//! A folder of ugly files for each kind.
//!
//! Beside each file stands what Skein makes of it: the view, the findings, and what every edit
//! changes. Whatever an edit does not name must be the same bytes as before.

mod checkpoint;
mod review;
mod session_map;

use std::fmt::Write as _;
use std::fs;

use skein_format::time::{self, Time};

use crate::change::{Change, changes};
use crate::{show, snapshot};

/// A time that no file holds.
fn now() -> Time {
    time::parse("2031-05-06T07:08:09Z").unwrap().time
}

/// An edit that was tried.
struct Tried {
    name: &'static str,
    /// What came of it; the document is as it was where it was refused.
    result: Result<(), String>,
    after: Vec<u8>,
    /// How many places the edit may touch; where old and new text share words, one place is many.
    places: usize,
}

/// Walks a folder, and holds what `look` says of each file against the text beside it.
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
            assert_eq!(edit.after, before, "{}: refused, and changed", edit.name);
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

/// Asserts that two views differ in nothing but the lines that start so.
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
