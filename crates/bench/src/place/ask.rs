//! Runs the built program to locate lines.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};

use super::case::{Located, TestCase};
use crate::Outcome;
use crate::program::Skein;

/// Locates the cases of one repository in a temporary clone, until the deadline; later cases have no answer.
pub(super) fn ask<'a>(
    skein: &Skein,
    repository: &Path,
    cases: &'a [TestCase],
    deadline: Instant,
) -> Outcome<Vec<(&'a TestCase, Located)>> {
    let dir = tempfile::tempdir()?;
    let (root, home) = (dir.path().join("clone"), dir.path().join("home"));
    let [from, to] = [&repository.canonicalize()?, &root].map(|path| path.display().to_string());
    let args = ["clone", "--quiet", "--shared", "--no-checkout", &from, &to];
    skein_git::run(dir.path(), args)?;
    let mut answers = Vec::new();
    let mut pairs: BTreeMap<&(String, String), Vec<&TestCase>> = BTreeMap::new();
    for case in cases {
        pairs.entry(&case.commits).or_default().push(case);
    }
    for (commits, cases) in pairs {
        if Instant::now() > deadline {
            break;
        }
        match locate(skein, &root, &home, commits, &cases) {
            Ok(found) => answers.extend(cases.into_iter().zip(found)),
            Err(error) => eprintln!("skipping {} to {}: {error}", commits.0, commits.1),
        }
        for dir in [&root.join(".code-review"), &home].into_iter().filter(|dir| dir.exists()) {
            std::fs::remove_dir_all(dir)?;
        }
    }
    Ok(answers)
}

/// Adds threads at one commit, and locates them at the other.
fn locate(
    skein: &Skein,
    root: &Path,
    home: &Path,
    (from, to): &(String, String),
    cases: &[&TestCase],
) -> Outcome<Vec<Located>> {
    let check_out =
        |commit: &str| skein_git::run(root, ["checkout", "--quiet", "--force", "--detach", commit]);
    let run = |args: &[&str], input: &[u8]| -> Outcome<Value> {
        Ok(serde_json::from_slice(&skein.run(root, home, args, input)?.1)?)
    };
    check_out(from)?;
    let items = cases.iter().map(|case| {
        let (first, last) = case.range;
        json!({ "file": case.path, "line": first + 1, "end_line": last + 1, "body": "?" })
    });
    let input = serde_json::to_vec(&items.collect::<Vec<_>>())?;
    let added = run(&["review", "add", "--from", "-", "--json"], &input)?;
    check_out(to)?;
    let listed = run(&["review", "list", "--json"], &[])?;
    let rows: BTreeMap<_, _> = threads(&listed).map(|row| (row["id"].as_str(), row)).collect();
    let found = threads(&added).filter_map(|thread| parse_row(rows.get(&thread["id"].as_str())?));
    let found: Vec<Located> = found.collect();
    match found.len() == cases.len() {
        true => Ok(found),
        false => Err(format!("{} of {} threads are listed", found.len(), cases.len()).into()),
    }
}

fn threads(document: &Value) -> impl Iterator<Item = &Value> {
    document["threads"].as_array().into_iter().flatten()
}

/// Parses the location of a row, such as `src/a.rs:12-14`; line numbers start at 1.
fn parse_row(row: &Value) -> Option<Located> {
    let (at, state) = (row["at"].as_str()?, row["state"].as_str()?);
    let location = || {
        let (path, lines) = at.rsplit_once(':')?;
        let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
        let number = |text: &str| text.parse::<usize>().ok()?.checked_sub(1);
        Some((path.to_owned(), number(first)?, number(last)?))
    };
    let location = if state == "gone" { None } else { location() };
    let confidence = row["confidence"].as_f64().unwrap_or_default();
    let (is_replacement, state) = (state == "replaced", state.to_owned());
    Some(Located { location, is_replacement, state, confidence })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_a_location() {
        let parse = |at: &str, state: &str| {
            parse_row(&json!({ "at": at, "state": state, "confidence": 0.5 })).unwrap().location
        };
        assert_eq!(parse("a b.rs:12-14", "moved"), Some(("a b.rs".to_owned(), 11, 13)));
        assert_eq!(parse("a.rs:1", "exact"), Some(("a.rs".to_owned(), 0, 0)));
        assert_eq!(parse("a.rs", "gone"), None);
    }
}
