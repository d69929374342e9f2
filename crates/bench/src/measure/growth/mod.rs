//! How the time of commands and pages grows with each thing that there may be much of.

mod pages;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::process::program;
use crate::Outcome;
use crate::corpus::{Axis, CHECKPOINT, Corpora, Grown, WORD};
use crate::figure::Figure;
use crate::options::shown;
use crate::programs::command;
use crate::timing::{Pair, timed};

/// What the exponent may be.
const BOUND: f64 = 1.3;

/// The size that the others are held against, in which what does not grow takes its time.
const LEAST: usize = 10;

/// The multiples of an axis's first size.
const MULTIPLES: [usize; 4] = [1, 2, 4, 8];

/// How often a command is run at each size; the best counts.
const ROUNDS: usize = 9;
/// A command or page that has taken this long in all is not measured again.
const ENOUGH: Duration = Duration::from_secs(4);

/// Measures each command and each page along each axis; none where there is no program beside this one.
pub(crate) fn figures(corpora: &Corpora) -> Outcome<Vec<Figure>> {
    let Some(program) = program()? else {
        eprintln!("passing over growth: build `skein` beside this program");
        return Ok(Vec::new());
    };
    let mut figures = Vec::new();
    for axis in Axis::ALL {
        eprintln!("measuring: growth with {}", axis.name());
        let sizes = [LEAST].into_iter().chain(MULTIPLES.map(|times| times * axis.first_size()));
        let sized = |size| Ok((size, corpora.grown(axis, size)?));
        let workspaces = sizes.map(sized).collect::<Outcome<Vec<(usize, Grown)>>>()?;
        for (name, args) in COMMANDS {
            let run = |workspace: &Grown, round| run(&program, workspace, args, round);
            figures.extend(along(axis, name, &workspaces, ROUNDS, run)?);
        }
        figures.extend(pages::figures(&program, axis, &workspaces)?);
    }
    Ok(figures)
}

/// The commands, those that only read first. Words in capitals are filled in.
const COMMANDS: [(&str, &[&str]); 21] = [
    ("skein", &[]),
    ("list", &["list"]),
    ("list --json", &["list", "--json"]),
    ("show THREAD", &["show", "THREAD"]),
    ("search", &["search", "WORD"]),
    ("review list", &["review", "list"]),
    ("review show THREAD", &["review", "show", "THREAD"]),
    ("review next", &["review", "next"]),
    ("review export", &["review", "export"]),
    ("review diff", &["review", "diff"]),
    ("review check", &["review", "check"]),
    ("doctor", &["doctor"]),
    ("resume", &["resume"]),
    ("resume CHECKPOINT", &["resume", "CHECKPOINT"]),
    ("steps list", &["steps", "list"]),
    ("review reply", &["review", "reply", "THREAD", "-m", "Done in round ROUND."]),
    ("review resolve, every tenth", &["review", "RESOLVE", "EVERY_TENTH_THREAD"]),
    ("steps done", &["steps", "done", "CHECKPOINT#own-ROUND"]),
    ("steps done, every tenth", &["steps", "DONE", "EVERY_TENTH_STEP"]),
    ("checkpoint save", &["checkpoint", "save", "-m", "Round ROUND is done"]),
    ("handoff", &["handoff", "-m", "Round ROUND is next"]),
];

/// Fills in a word of a command; what one round closes, the next one opens.
fn fill(arg: &str, workspace: &Grown, round: usize) -> Vec<String> {
    let closes = round.is_multiple_of(2);
    match arg {
        "RESOLVE" => vec![if closes { "resolve" } else { "reopen" }.to_owned()],
        "DONE" => vec![if closes { "done" } else { "reopen" }.to_owned()],
        "EVERY_TENTH_THREAD" => workspace.threads.iter().step_by(10).cloned().collect(),
        "EVERY_TENTH_STEP" => {
            let steps = (0..workspace.steps).skip(ROUNDS).step_by(10);
            steps.map(|number| format!("{CHECKPOINT}#own-{number}")).collect()
        }
        _ => {
            let thread = workspace.threads.first().map(String::as_str).unwrap_or_default();
            let filled = arg.replace("THREAD", thread).replace("CHECKPOINT", CHECKPOINT);
            vec![filled.replace("WORD", WORD).replace("ROUND", &round.to_string())]
        }
    }
}

/// Lets the sizes take turns, and returns a row for each of them that is held against the smallest.
fn along(
    axis: Axis,
    name: &str,
    workspaces: &[(usize, Grown)],
    rounds: usize,
    mut run: impl FnMut(&Grown, usize) -> Outcome<Duration>,
) -> Outcome<Vec<Figure>> {
    let mut best: Vec<Duration> = workspaces.iter().map(|_| Duration::MAX).collect();
    let start = Instant::now();
    for round in 0..rounds {
        for ((_, workspace), best) in workspaces.iter().zip(&mut best) {
            *best = run(workspace, round)?.min(*best);
        }
        if start.elapsed() > ENOUGH {
            break;
        }
    }
    let baseline = best.first().copied().unwrap_or_default();
    let sized = workspaces.iter().zip(best).skip(1);
    let figure = |((size, _), skein): (&(usize, Grown), Duration)| {
        let corpus = format!("{} {}", shown(*size), axis.name());
        let row = format!("{}: {name}", axis.name());
        Figure::difference(row, corpus, Pair { baseline, skein }).sized(*size).grows_at_most(BOUND)
    };
    Ok(sized.map(figure).collect())
}

/// Times one command in a process of its own.
fn run(program: &Path, workspace: &Grown, args: &[&str], round: usize) -> Outcome<Duration> {
    let filled = args.iter().flat_map(|arg| fill(arg, workspace, round));
    let mut command = home(command(program), workspace);
    command.args(filled).stderr(Stdio::piped());
    let (time, output) = timed(|| command.output());
    let output = output?;
    match output.status.code() {
        Some(0 | 1) => Ok(time),
        _ => {
            let said = String::from_utf8_lossy(&output.stderr);
            Err(format!("`skein {}` failed: {said}", args.join(" ")).into())
        }
    }
}

/// Sets the directories and the surroundings of a user who has set nothing.
fn home(mut command: Command, workspace: &Grown) -> Command {
    let home = &workspace.home;
    command
        .current_dir(&workspace.root)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home)
        .env("XDG_CONFIG_HOME", home.join(".config"))
        .env("XDG_STATE_HOME", home.join("state"))
        .env("XDG_CACHE_HOME", home.join("cache"))
        .env("SKEIN_AUTHOR", "Ana");
    command
}
