//! Asks the built program where lines are.
//!
//! For each pair of commits, the first one is checked out in a temporary clone, a thread is added on every line
//! with `skein review add --from -`, the second one is checked out, and `skein review list --json` has the result.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::case::TestCase;
use crate::Outcome;
use crate::program::Skein;

/// The answer of the program.
pub(crate) struct Located {
    /// The path, the first and the last line; `None` if the program says that the code is gone.
    pub(crate) location: Option<(String, usize, usize)>,
    pub(crate) confidence: f64,
}

/// Asks about the cases of one repository until the deadline; later cases have no answer.
pub(crate) fn ask<'a>(
    skein: &Skein,
    repository: &Path,
    cases: &'a [TestCase],
    deadline: Instant,
) -> Outcome<Vec<(&'a TestCase, Located)>> {
    let dir = tempfile::tempdir()?;
    let clone = Clone { skein, root: dir.path().join("clone"), home: dir.path().join("home"), dir };
    let from = repository.canonicalize()?;
    let [from, to] = [from.as_path(), &clone.root].map(|path| path.display().to_string());
    let args = ["clone", "--quiet", "--shared", "--no-checkout", &from, &to];
    skein_git::run(clone.dir.path(), args)?;
    let mut pairs: BTreeMap<&(String, String), Vec<&TestCase>> = BTreeMap::new();
    for case in cases {
        pairs.entry(&case.commits).or_default().push(case);
    }
    let mut answers = Vec::new();
    for (commits, cases) in pairs {
        if Instant::now() > deadline {
            break;
        }
        match clone.locate(commits, &cases) {
            Ok(found) => answers.extend(cases.into_iter().zip(found)),
            Err(error) => eprintln!("skipping {} to {}: {error}", commits.0, commits.1),
        }
        clone.clear()?;
    }
    Ok(answers)
}

/// A clone of the repository, and a home directory for the program.
struct Clone<'a> {
    skein: &'a Skein,
    dir: TempDir,
    root: PathBuf,
    home: PathBuf,
}

impl Clone<'_> {
    /// Adds threads at one commit, and locates them after the other one is checked out.
    fn locate(&self, (from, to): &(String, String), cases: &[&TestCase]) -> Outcome<Vec<Located>> {
        self.check_out(from)?;
        let item = |case: &&TestCase| {
            let (first, last) = case.range;
            json!({ "file": case.path, "line": first + 1, "end_line": last + 1, "body": "?" })
        };
        let input = serde_json::to_vec(&cases.iter().map(item).collect::<Vec<_>>())?;
        let added = self.run(&["review", "add", "--from", "-", "--json"], &input)?;
        let ids: Vec<&str> = threads(&added).filter_map(|thread| thread["id"].as_str()).collect();
        if ids.len() != cases.len() {
            return Err(format!("{} of {} threads were added", ids.len(), cases.len()).into());
        }
        self.check_out(to)?;
        let listed = self.run(&["review", "list", "--json"], &[])?;
        let rows: BTreeMap<&str, &Value> =
            threads(&listed).filter_map(|row| Some((row["id"].as_str()?, row))).collect();
        let found = ids.iter().map(|id| rows.get(id).and_then(|row| parse_row(row)));
        found.map(|located| located.ok_or("a thread is not listed".into())).collect()
    }

    fn check_out(&self, commit: &str) -> Outcome<()> {
        skein_git::run(&self.root, ["checkout", "--quiet", "--force", "--detach", commit])?;
        Ok(())
    }

    fn run(&self, args: &[&str], input: &[u8]) -> Outcome<Value> {
        Ok(serde_json::from_slice(&self.skein.run(&self.root, &self.home, args, input)?.1)?)
    }

    /// Removes the threads and the state of the program.
    fn clear(&self) -> Outcome<()> {
        for dir in [&self.root.join(".code-review"), &self.home] {
            if dir.exists() {
                std::fs::remove_dir_all(dir)?;
            }
        }
        Ok(())
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
    Some(Located { location, confidence: row["confidence"].as_f64().unwrap_or_default() })
}

#[test]
fn parses_a_location() {
    let parse = |at: &str, state: &str| {
        parse_row(&json!({ "at": at, "state": state, "confidence": 0.5 })).unwrap().location
    };
    assert_eq!(parse("a b.rs:12-14", "moved"), Some(("a b.rs".to_owned(), 11, 13)));
    assert_eq!(parse("a.rs:1", "exact"), Some(("a.rs".to_owned(), 0, 0)));
    assert_eq!(parse("a.rs", "gone"), None);
}
