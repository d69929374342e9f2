//! The baseline of the map's contract: Node.js with the library that the contract is written for.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde::Deserialize;

use crate::Outcome;
use crate::corpus::put;
use crate::programs::{Program, Programs, command};

const SCRIPT: &str = include_str!("node.mjs");
/// The library, at a version that every run has.
const LIBRARY: &str = "zod@4.6.7";
const ROUNDS: &str = "6";
const PARSE: &str = r#"
const times = [];
for (let round = 0; round < 6; round += 1) {
  const start = performance.now();
  const map = JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8"));
  times.push(performance.now() - start);
  if (map.mappings.length === 0) throw new Error("no entries");
}
console.log(JSON.stringify(times));
"#;

/// The best times of a program on Node.js.
pub(super) struct Times {
    pub(super) load: Duration,
    pub(super) save: Duration,
}

/// The times in milliseconds, as the script prints them.
#[derive(Deserialize)]
struct Printed {
    load: Vec<f64>,
    save: Vec<f64>,
}

/// A program on Node.js, with a map of its own.
pub(super) struct Node<'a> {
    dir: &'a Path,
    entries: String,
}

impl<'a> Node<'a> {
    /// Installs what it needs; none where that, or Node.js itself, cannot be had.
    pub(super) fn install(dir: &'a Path, map: &[u8], entries: usize) -> Outcome<Option<Self>> {
        put(&dir.join("package.json"), b"{\"private\": true}\n")?;
        put(&dir.join("node.mjs"), SCRIPT.as_bytes())?;
        put(&dir.join("map.json"), map)?;
        let install = ["install", "--no-audit", "--no-fund", "--no-package-lock", LIBRARY];
        if run(dir, "npm", &install).is_none() {
            eprintln!("passing over Node.js: `npm install {LIBRARY}` does not work here");
            return Ok(None);
        }
        Ok(Some(Self { dir, entries: entries.to_string() }))
    }

    /// Has it load and save the map a few times.
    pub(super) fn times(&self) -> Outcome<Times> {
        let script = ["--max-old-space-size=8192", "node.mjs", "map.json", &self.entries, ROUNDS];
        let output = run(self.dir, "node", &script).ok_or("the program on Node.js failed")?;
        let Printed { load, save } = serde_json::from_slice(&output)?;
        Ok(Times { load: best(&load), save: best(&save) })
    }
}

/// Has Node.js read and parse a map a few times, with no check of what is in it, and returns the best time.
pub(super) fn parse(programs: &Programs, dir: &Path, file: &str) -> Option<Duration> {
    programs.version(Program::Node)?;
    let output = run(dir, "node", &["-e", PARSE, file])?;
    Some(best(&serde_json::from_slice::<Vec<f64>>(&output).ok()?))
}

/// Runs a program in a directory and returns what it printed; none where that did not work.
fn run(dir: &Path, program: &str, args: &[&str]) -> Option<Vec<u8>> {
    let mut command = command(program);
    command.args(args).current_dir(dir).stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = command.output().ok()?;
    if !output.status.success() {
        eprintln!("{}", String::from_utf8_lossy(&output.stderr).trim_end());
    }
    output.status.success().then_some(output.stdout)
}

fn best(times: &[f64]) -> Duration {
    let best = times.iter().copied().fold(f64::INFINITY, f64::min);
    Duration::try_from_secs_f64(best / 1e3).unwrap_or(Duration::MAX)
}
