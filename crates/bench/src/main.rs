//! Measures the speed of Skein as ratios against a baseline of the same run.
//!
//! ```text
//! cargo run --profile dist -p skein-bench -- [list|search|session|write|work|serve|growth|all]
//!     [--size 10k|100k] [--dir DIR] [--json]
//! cargo run --profile dist -p skein-bench -- place REPO… [--program SKEIN] [--minutes N]
//! ```
//!
//! It generates its corpora, always the same ones, and removes them afterwards unless `--dir` names a directory in
//! which the next run finds them. `docs/performance.md` explains the rows. The exit code is 1 if a target is
//! exceeded.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a separate program: results go to stdout, progress to stderr"
)]

mod corpus;
mod measure;
mod place;
mod program;
mod table;
mod timing;

use std::error::Error;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use corpus::Corpora;
use measure::{Bench, GROUPS, growth, memory};
use program::Skein;
use table::{RunReport, growth_of};

const USAGE: &str = "Usage: skein-bench [list|search|session|write|work|serve|growth|all]
           [--size 10k|100k] [--dir DIR] [--json]
       skein-bench place REPO... [--program SKEIN] [--minutes N]";

/// Above this load average, nothing is judged.
const MAX_LOAD: f64 = 3.0;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    let done = match args.split_first() {
        Some((first, rest)) if first == memory::PEAK => {
            memory::run_action(rest).map(|()| ExitCode::SUCCESS)
        }
        _ => Options::parse(args).and_then(|options| options.run()),
    };
    done.unwrap_or_else(|error| {
        eprintln!("Error: {error}");
        ExitCode::from(2)
    })
}

/// The command line.
struct Options {
    /// A group, `growth`, `all` or `place`.
    task: String,
    repositories: Vec<PathBuf>,
    /// The largest corpus.
    size: usize,
    dir: Option<PathBuf>,
    json: bool,
    program: Option<PathBuf>,
    minutes: u64,
}

impl Options {
    fn parse(args: Vec<OsString>) -> Outcome<Self> {
        let mut options = Self {
            task: "all".to_owned(),
            repositories: Vec::new(),
            size: 100_000,
            dir: None,
            json: false,
            program: None,
            minutes: 20,
        };
        let mut args = args.into_iter();
        while let Some(arg) = args.next() {
            let text = arg.to_string_lossy().into_owned();
            let mut value = || args.next().ok_or(format!("{text} needs a value"));
            match text.as_str() {
                "--json" => options.json = true,
                "--dir" => options.dir = Some(value()?.into()),
                "--program" => options.program = Some(value()?.into()),
                "--minutes" => options.minutes = value()?.to_string_lossy().parse()?,
                "--size" => options.size = parse_size(&value()?.to_string_lossy())?,
                _ if options.task == "place" => options.repositories.push(arg.into()),
                "all" | "growth" | "place" => options.task = text,
                name if GROUPS.iter().any(|group| group.name == name) => options.task = text,
                _ => return Err(format!("unknown argument: {text}\n\n{USAGE}").into()),
            }
        }
        Ok(options)
    }

    fn run(self) -> Outcome<ExitCode> {
        let skein = Skein::new(self.program.as_deref())?;
        if self.task == "place" {
            place::run(&skein, &self.repositories, self.minutes)?;
            return Ok(ExitCode::SUCCESS);
        }
        let load_before = load_average()?;
        let sizes = sizes_up_to(self.size);
        let bench = Bench { corpora: Corpora::new(self.dir)?, sizes, skein };
        let mut groups = Vec::new();
        for group in GROUPS.iter().filter(|group| ["all", group.name].contains(&&*self.task)) {
            eprintln!("measuring: {}", group.title);
            groups.push((group.title, (group.measure)(&bench)?));
        }
        let growth = match self.task.as_str() {
            "growth" => growth::measure(&bench)?,
            _ => groups.iter().flat_map(|(_, rows)| growth_of(rows)).collect(),
        };
        let load = load_before.max(load_average()?);
        let report = RunReport { load, is_judged: load <= MAX_LOAD, groups, growth };
        match self.json {
            true => println!("{}", serde_json::to_string_pretty(&report)?),
            false => print!("{}", report.table()),
        }
        Ok(if report.is_over() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }
}

/// Returns the load average of the last minute.
fn load_average() -> Outcome<f64> {
    let text = std::fs::read_to_string("/proc/loadavg")?;
    Ok(text.split_whitespace().next().unwrap_or_default().parse()?)
}

/// Returns 1,000 and its multiples by ten up to a size.
fn sizes_up_to(largest: usize) -> Vec<usize> {
    let sizes = std::iter::successors(Some(1_000_usize), |size| size.checked_mul(10));
    sizes.take_while(|size| *size < largest).chain([largest]).collect()
}

fn parse_size(text: &str) -> Outcome<usize> {
    let (digits, unit) = match text.strip_suffix('k') {
        Some(digits) => (digits, 1_000),
        None => (text, 1),
    };
    let size = digits.parse::<usize>().ok().and_then(|number| number.checked_mul(unit));
    size.filter(|size| *size > 0).ok_or(format!("not a number of threads: {text}").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(args: &[&str], expected: &str) {
        let parsed = match Options::parse(args.iter().map(OsString::from).collect()) {
            Ok(Options { task, repositories, size, minutes, .. }) => {
                format!("{task} {repositories:?} {:?} {minutes}", sizes_up_to(size))
            }
            Err(error) => error.to_string().lines().next().unwrap_or_default().to_owned(),
        };
        assert_eq!(parsed, expected);
    }

    #[test]
    fn parses_the_command_line() {
        check(&[], "all [] [1000, 10000, 100000] 20");
        check(&["list", "--size", "10k"], "list [] [1000, 10000] 20");
        check(&["growth", "--size", "500"], "growth [] [500] 20");
        check(
            &["place", "a", "b", "--minutes", "1"],
            "place [\"a\", \"b\"] [1000, 10000, 100000] 1",
        );
        check(&["--size", "0"], "not a number of threads: 0");
        check(&["--dir"], "--dir needs a value");
        check(&["lists"], "unknown argument: lists");
    }
}
