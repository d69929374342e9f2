//! Measures the speed of Skein as ratios against a baseline of the same run.
//!
//! ```text
//! cargo run --profile dist -p skein-bench -- [list|search|session|write|work|serve|mcp|lsp|growth|all]
//!     [--size 10k|100k] [--dir DIR] [--json]
//! cargo run --profile dist -p skein-bench -- place REPO… [--program SKEIN] [--cases N] [--minutes N]
//!     [--seed N] [--reader-cases N --reader-dir DIR]
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
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use corpus::Corpora;
use measure::{Bench, GROUPS, growth, memory};
use place::PlaceOptions;
use program::Skein;
use table::{RunReport, growth_of};

/// The allocator of the program, for what is measured in this process.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Maximum load average at which rows are judged.
const MAX_LOAD: f64 = 3.0;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    Options::parse().run().unwrap_or_else(|error| {
        eprintln!("Error: {error}");
        ExitCode::from(2)
    })
}

/// Measures the speed of Skein as ratios against a baseline of the same run
#[derive(Parser)]
struct Options {
    /// list, search, session, write, work, serve, mcp, lsp, growth, all or place
    #[arg(default_value = "all")]
    task: String,
    /// The repositories for `place`
    args: Vec<PathBuf>,
    /// The largest corpus
    #[arg(long, value_name = "10k|100k", default_value = "100k", value_parser = parse_size)]
    size: usize,
    /// Where corpora are kept for the next run
    #[arg(long)]
    dir: Option<PathBuf>,
    #[arg(long)]
    json: bool,
    /// The built `skein`
    #[arg(long)]
    program: Option<PathBuf>,
    /// The approximate number of cases for `place`
    #[arg(long, default_value_t = 2_000)]
    cases: usize,
    /// The time for `place`
    #[arg(long, default_value_t = 20)]
    minutes: u64,
    /// The seed of what `place` draws
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many of the cases of `place` are written as text for people
    #[arg(long, requires = "reader_dir")]
    reader_cases: Option<usize>,
    /// Where `cases.txt` and `answers.json` are written
    #[arg(long, requires = "reader_cases")]
    reader_dir: Option<PathBuf>,
}

impl Options {
    fn run(self) -> Outcome<ExitCode> {
        match self.task.as_str() {
            memory::PEAK => measure::run_action(&self.args)?,
            "place" => {
                let options = PlaceOptions {
                    repositories: self.args,
                    cases: self.cases,
                    minutes: self.minutes,
                    seed: self.seed,
                    reader_cases: self.reader_cases.zip(self.reader_dir),
                };
                place::run(&Skein::new(self.program)?, &options)?;
            }
            task => {
                return measure(task, self.size, self.dir, Skein::new(self.program)?, self.json);
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn measure(
    task: &str,
    size: usize,
    dir: Option<PathBuf>,
    skein: Skein,
    json: bool,
) -> Outcome<ExitCode> {
    let measured = GROUPS.iter().filter(|(name, ..)| ["all", name].contains(&task));
    if task != "growth" && measured.clone().count() == 0 {
        return Err(format!("unknown task: {task}").into());
    }
    let load_before = load_average()?;
    let bench = Bench { corpora: Corpora::new(dir)?, sizes: sizes_up_to(size), skein };
    let mut groups = Vec::new();
    for (_, title, measure) in measured {
        eprintln!("measuring: {title}");
        groups.push((*title, measure(&bench)?));
    }
    let growth = match task {
        "growth" => growth::measure(&bench)?,
        _ => groups.iter().flat_map(|(_, rows)| growth_of(rows)).collect(),
    };
    let load = load_before.max(load_average()?);
    let report = RunReport { load, is_judged: load <= MAX_LOAD, groups, growth };
    match json {
        true => println!("{}", serde_json::to_string_pretty(&report)?),
        false => print!("{}", report.table()),
    }
    Ok(if report.is_over() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Returns the load average of the last minute.
fn load_average() -> Outcome<f64> {
    let text = std::fs::read_to_string("/proc/loadavg")?;
    Ok(text.split_whitespace().next().unwrap_or_default().parse()?)
}

/// Returns 1,000, 10,000 and so on, up to a size.
fn sizes_up_to(largest: usize) -> Vec<usize> {
    let sizes = std::iter::successors(Some(1_000_usize), |size| size.checked_mul(10));
    sizes.take_while(|size| *size < largest).chain([largest]).collect()
}

fn parse_size(text: &str) -> Result<usize, String> {
    let (digits, unit) = text.strip_suffix('k').map_or((text, 1), |digits| (digits, 1_000));
    let size = digits.parse::<usize>().ok().and_then(|number| number.checked_mul(unit));
    size.filter(|size| *size > 0).ok_or(format!("not a number of threads: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(args: &[&str], expected: &str) {
        let args = ["skein-bench"].iter().chain(args);
        let Options { task, args, size, minutes, .. } = Options::try_parse_from(args).unwrap();
        assert_eq!(format!("{task} {args:?} {:?} {minutes}", sizes_up_to(size)), expected);
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
        assert!(Options::try_parse_from(["skein-bench", "--size", "0"]).is_err());
    }
}
