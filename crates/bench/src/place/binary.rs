//! Asks the built program where lines are.
//!
//! For each pair of commits the first one is checked out in a scratch clone, a thread is added on every line with
//! `skein review add --from -`, the second one is checked out, and `skein review list --json` is asked for the places.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Instant;

use serde_json::{Value, json};
use skein_anchor::State;
use tempfile::TempDir;

use super::case::Case;
use super::method::Answer;
use crate::Outcome;
use crate::programs::command;

/// A clone of a repository, and a home directory for the program.
struct Scratch {
    folder: TempDir,
    program: PathBuf,
}

/// Asks about cases of one repository until the deadline; there is no answer to those after it.
pub(crate) fn ask(
    program: &Path,
    repository: &Path,
    cases: &[Case],
    deadline: Instant,
) -> Outcome<Vec<Option<Answer>>> {
    let scratch = Scratch::new(program, repository)?;
    let mut pairs: BTreeMap<&(String, String), Vec<usize>> = BTreeMap::new();
    for (index, case) in cases.iter().enumerate() {
        pairs.entry(&case.ends).or_default().push(index);
    }
    let mut answers: Vec<Option<Answer>> = cases.iter().map(|_| None).collect();
    for (ends, indices) in pairs {
        if Instant::now() > deadline {
            break;
        }
        let asked: Vec<&Case> = indices.iter().filter_map(|index| cases.get(*index)).collect();
        match scratch.pair(ends, &asked) {
            Ok(found) => {
                for (index, answer) in indices.iter().zip(found) {
                    if let Some(place) = answers.get_mut(*index) {
                        *place = Some(answer);
                    }
                }
            }
            Err(error) => eprintln!("passing over {} to {}: {error}", ends.0, ends.1),
        }
        scratch.clear()?;
    }
    Ok(answers)
}

impl Scratch {
    fn new(program: &Path, repository: &Path) -> Outcome<Self> {
        let scratch = Self { folder: tempfile::tempdir()?, program: program.canonicalize()? };
        std::fs::create_dir_all(scratch.home())?;
        let from = repository.canonicalize()?;
        let (from, to) = (from.display().to_string(), scratch.clone_dir().display().to_string());
        let args = ["clone", "--quiet", "--shared", "--no-checkout", &from, &to];
        skein_git::run(scratch.folder.path(), args)?;
        Ok(scratch)
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    fn clone_dir(&self) -> PathBuf {
        self.folder.path().join("clone")
    }

    /// Asks about lines at one commit after the other is checked out.
    fn pair(&self, (from, to): &(String, String), cases: &[&Case]) -> Outcome<Vec<Answer>> {
        self.check_out(from)?;
        let items: Vec<Value> = cases
            .iter()
            .map(|case| {
                let (first, last) = case.range;
                json!({ "file": case.path, "line": first + 1, "end_line": last + 1, "body": "?" })
            })
            .collect();
        let input = serde_json::to_vec(&items)?;
        let added = self.skein(&["review", "add", "--from", "-", "--json"], &input)?;
        let ids: Vec<&str> = entries(&added).filter_map(|thread| thread["id"].as_str()).collect();
        if ids.len() != cases.len() {
            return Err(format!("{} of {} threads were added", ids.len(), cases.len()).into());
        }
        self.check_out(to)?;
        let listed = self.skein(&["review", "list", "--json"], &[])?;
        let rows: BTreeMap<&str, &Value> =
            entries(&listed).filter_map(|row| Some((row["id"].as_str()?, row))).collect();
        let found = ids.iter().map(|id| rows.get(id).and_then(|row| answer(row)));
        found.map(|answer| answer.ok_or("a thread is not listed".into())).collect()
    }

    fn check_out(&self, commit: &str) -> Outcome<()> {
        let args = ["checkout", "--quiet", "--force", "--detach", commit];
        skein_git::run(&self.clone_dir(), args)?;
        Ok(())
    }

    /// Runs the program and returns what it prints.
    fn skein(&self, args: &[&str], input: &[u8]) -> Outcome<Value> {
        let mut command = command(&self.program);
        for name in ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"] {
            command.env(name, self.home());
        }
        command.env("SKEIN_AUTHOR", "Bench").args(args).current_dir(self.clone_dir());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn()?;
        process.stdin.take().ok_or("the program has no input")?.write_all(input)?;
        let output = process.wait_with_output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
        }
        Ok(serde_json::from_slice(&output.stdout)?)
    }

    /// Removes the threads, and what the program remembers of them.
    fn clear(&self) -> Outcome<()> {
        for dir in [self.clone_dir().join(".code-review"), self.home()] {
            if dir.exists() {
                std::fs::remove_dir_all(&dir)?;
            }
        }
        std::fs::create_dir_all(self.home())?;
        Ok(())
    }
}

fn entries(document: &Value) -> impl Iterator<Item = &Value> {
    document["threads"].as_array().into_iter().flatten()
}

/// Reads the place of a row: `src/a.rs:12-14`, counted from 1.
fn answer(row: &Value) -> Option<Answer> {
    let (at, state) = (row["at"].as_str()?, row["state"].as_str()?);
    let states = [State::Exact, State::Shifted, State::Edited, State::Moved, State::Gone];
    let state = states.into_iter().find(|known| known.as_str() == state);
    let state = state.unwrap_or(State::Unverified);
    let place = || {
        let (path, lines) = at.rsplit_once(':')?;
        let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
        let number = |text: &str| text.parse::<usize>().ok()?.checked_sub(1);
        Some((path.to_owned(), number(first)?, number(last)?))
    };
    let place = if state == State::Gone { None } else { place() };
    let confidence = row["confidence"].to_string().parse().unwrap_or_default();
    Some(Answer { place, state, confidence })
}

#[test]
fn reads_a_place() {
    let read = |at: &str, state: &str| {
        let row = json!({ "at": at, "state": state, "confidence": 0.5 });
        answer(&row).unwrap().place
    };
    assert_eq!(read("a b.rs:12-14", "moved"), Some(("a b.rs".to_owned(), 11, 13)));
    assert_eq!(read("a.rs:1", "exact"), Some(("a.rs".to_owned(), 0, 0)));
    assert_eq!(read("a.rs", "gone"), None);
}
