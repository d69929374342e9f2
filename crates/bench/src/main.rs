//! Measures what Skein promises about speed, as ratios against a baseline of the same run.
//!
//! ```text
//! cargo run --profile dist -p skein-bench -- [list|search|sessions|replace|reply|show|work|hook|serve|unread|growth|all]
//!     [--size 10k|100k] [--files 1k,10k,100k] [--dir DIR] [--json]
//! cargo run --profile dist -p skein-bench -- place REPO… [--program SKEIN] [--minutes N] [--anchors N] [--seed S]
//!     [--wrong N] [--given-up N]
//! ```
//!
//! It writes its own corpora, the same ones every time, and leaves nothing behind unless `--dir`
//! names a place where the next run shall find them. Baseline and candidate take turns, the page cache
//! is warm, and the best of several rounds counts, or the median where a single call is short. Only the
//! ratios mean anything on another machine. On a busy one even those do not: above a load average of 3
//! the figures are printed and not judged. What other programs take for the same is beside them, where those
//! programs are on the machine. `docs/performance.md` says what each row means.
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
mod programs;
mod report;
mod timing;

use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;

use corpus::Corpora;
use figure::Figure;
use load::Work;
use options::{Options, Run, Task};
use programs::Programs;
use report::{Group, Report};

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

/// What every measurement stands on.
struct Ground {
    corpora: Corpora,
    /// The sizes of the corpora, the smallest first.
    sizes: Vec<usize>,
    programs: Programs,
}

fn measure_all(options: &Options) -> Outcome<ExitCode> {
    let load_before = load::average()?;
    let corpora = Corpora::new(options.dir.clone())?;
    let ground = Ground { corpora, sizes: options.sizes.clone(), programs: Programs::find() };
    let (mut groups, mut figures) = (Vec::new(), Vec::new());
    for task in Task::ALL {
        if options.task.is_none_or(|wanted| wanted == task) {
            eprintln!("measuring: {}", task.name());
            let (start, work) = (Instant::now(), Work::now()?);
            let measured = measure(task, &ground)?;
            let (name, title) = (task.name(), task.title());
            figures.extend(measured.into_iter().map(|figure| figure.of_group(name)));
            let (others, seconds) = (work.of_others()?, start.elapsed().as_secs());
            groups.push(Group { name, title, others, seconds });
        }
    }
    let load = load_before.max(load::average()?);
    let report = Report { load, groups, figures, programs: ground.programs };
    if options.json {
        println!("{}", report.json()?);
    } else {
        print!("{}", report.table());
    }
    Ok(if report.is_over() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn measure(task: Task, ground: &Ground) -> Outcome<Vec<Figure>> {
    let Ground { corpora, sizes, .. } = ground;
    match task {
        Task::List => measure::list::figures(ground),
        Task::Search => measure::search::figures(ground),
        Task::Sessions => measure::sessions::figures(ground),
        Task::Replace => measure::replace::figures(corpora),
        Task::Reply => measure::reply::figures(corpora, sizes),
        Task::Show => measure::show::figures(corpora, sizes),
        Task::Work => measure::work::figures(ground),
        Task::Hook => measure::hook::figures(corpora),
        Task::Serve => measure::serve::figures(corpora),
        Task::Unread => measure::unread::figures(corpora),
        Task::Growth => measure::growth::figures(corpora),
    }
}
