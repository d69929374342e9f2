//! Measures what Skein promises about speed, as ratios against a baseline of the same run.
//!
//! ```text
//! cargo run --release -p skein-bench -- [list|sessions|replace|reply|show|work|hook|serve|all]
//!     [--files 1k,10k,100k] [--dir DIR] [--json]
//! cargo run --release -p skein-bench -- place REPO… [--anchors N] [--seed S] [--wrong N] [--given-up N]
//! ```
//!
//! It writes its own corpora, the same ones every time, and leaves nothing behind unless `--dir`
//! names a place where the next run shall find them. Baseline and candidate take turns, the page cache
//! is warm, and the best of several rounds counts, or the median where a single call is short. Only the
//! ratios mean anything on another machine. On a busy one even those do not: above a load average of 3
//! the figures are printed and not judged.
//!
//! The exit code is 1 when a bound is exceeded.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program of its own, whose figures go to stdout and whose progress goes to stderr"
)]

mod corpus;
mod figure;
mod load;
mod measure;
mod options;
mod place;
mod report;
mod timing;

use std::error::Error;
use std::process::ExitCode;

use corpus::Corpora;
use figure::Figure;
use options::{Options, Run, Task};
use report::Report;

/// The result of a step that a broken machine, and not a slow program, can make fail.
type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    let run = match options::parse(std::env::args_os().skip(1)) {
        Ok(run) => run,
        Err(error) => {
            eprintln!("Error: {error}\n\n{}", options::USAGE);
            return ExitCode::from(2);
        }
    };
    let done = match &run {
        Run::Measure(options) => measure_all(options),
        Run::Place(options) => place::run(options).map(|()| ExitCode::SUCCESS),
        Run::PeakOf(peak) => measure::memory::print_peak(peak).map(|()| ExitCode::SUCCESS),
    };
    done.unwrap_or_else(|error| {
        eprintln!("Error: {error}");
        ExitCode::from(2)
    })
}

fn measure_all(options: &Options) -> Outcome<ExitCode> {
    let load_before = load::average()?;
    let corpora = Corpora::new(options.dir.clone())?;
    let mut figures = Vec::new();
    for task in Task::ALL {
        if options.task.is_none_or(|wanted| wanted == task) {
            figures.extend(measure(task, &corpora, &options.sizes)?);
        }
    }
    let report = Report { load: load_before.max(load::average()?), figures };
    if options.json {
        println!("{}", report.json()?);
    } else {
        print!("{}", report.table());
    }
    Ok(if report.is_over() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn measure(task: Task, corpora: &Corpora, sizes: &[usize]) -> Outcome<Vec<Figure>> {
    match task {
        Task::List => measure::list::figures(corpora, sizes),
        Task::Sessions => measure::sessions::figures(corpora, sizes),
        Task::Replace => measure::replace::figures(corpora),
        Task::Reply => measure::reply::figures(corpora, sizes),
        Task::Show => measure::show::figures(corpora, sizes),
        Task::Work => measure::work::figures(corpora, sizes),
        Task::Hook => measure::hook::figures(corpora),
        Task::Serve => measure::serve::figures(corpora),
    }
}
