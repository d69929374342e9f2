//! Code that was moved to another file.

use skein_anchor::{CandidateFile, OldCode, elsewhere};

use crate::show::{marked, shown};

/// Searches for the marked lines in other files, each given by its old and new text.
#[track_caller]
fn check(old: &str, others: &[(Option<&str>, &str)], expected: &str) {
    let (text, (start, end)) = marked(old);
    let others: Vec<CandidateFile<'_>> = others
        .iter()
        .map(|(old, new)| CandidateFile { old: old.map(str::as_bytes), new: new.as_bytes() })
        .collect();
    let found = elsewhere(&OldCode::Whole { text: text.as_bytes(), start, end }, &others);
    let answer = found.map(|(index, place)| format!("file {index} {}", shown(&place)));
    assert_eq!(answer.as_deref().unwrap_or("nowhere"), expected);
}

const OLD: &str = " fn parse(line: &str) -> Option<Entry> {
>    let (name, value) = line.split_once('=')?;
     Some(Entry { name, value })
 }
";

const PASTED: &str = "\
use crate::Entry;

fn parse(line: &str) -> Option<Entry> {
    let (name, value) = line.split_once('=')?;
    Some(Entry { name, value })
}
";

#[test]
fn code_is_found_in_a_file_that_was_created() {
    check(OLD, &[(None, "fn main() {}\n"), (None, PASTED)], "file 1 moved 3");
}

#[test]
fn code_that_the_other_file_had_before_is_not_moved() {
    check(OLD, &[(Some(PASTED), PASTED)], "nowhere");
}

#[test]
fn code_that_was_pasted_into_two_files_is_not_found() {
    check(OLD, &[(None, PASTED), (None, PASTED)], "nowhere");
}

#[test]
fn a_line_without_distinctive_text_is_not_searched_for() {
    check(" a();\n>}\n", &[(None, "}\n")], "nowhere");
}
