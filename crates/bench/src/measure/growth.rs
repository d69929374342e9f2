//! Measures how the time of commands and pages grows with the size of each part of a workspace.

use std::time::{Duration, Instant};

use super::Bench;
use super::serve::server::{RequestKind, RunningServer};
use crate::Outcome;
use crate::corpus::{CHECKPOINT, LARGE, SampleWorkspace, Sizes, WORD, stem};
use crate::table::Growth;

const MAX_EXPONENT: f64 = 1.3;

/// The size of the baseline. Its time is the part that does not depend on the size.
const BASELINE_SIZE: usize = 10;

/// The number of rounds for a command, for the first page of a server, and for a repeated page; the best time counts.
const COMMAND_ROUNDS: usize = 9;
const FIRST_PAGE_ROUNDS: usize = 4;
const PAGE_ROUNDS: usize = 9;
/// No further rounds are started after this time.
const MAX_TIME: Duration = Duration::from_secs(4);

/// The default sizes.
const SMALL: Sizes = Sizes {
    files: 200,
    file_lines: 30,
    changed_files: 10,
    changed_lines: 1,
    large_lines: 60,
    large_changed_lines: 20,
    threads: 20,
    comments: 3,
    checkpoints: 20,
    steps: 20,
    sessions: 10,
};

/// The name of a part, the smallest size, which is doubled three times, and a function that sets the size.
type Axis = (&'static str, usize, fn(usize) -> Sizes);

const AXES: [Axis; 5] = [
    ("files", 2_000, |files| Sizes { files, ..SMALL }),
    ("threads", 500, |threads| Sizes { threads, checkpoints: threads, ..SMALL }),
    ("comments", 500, |comments| Sizes { comments, ..SMALL }),
    ("steps", 2_500, |steps| Sizes { steps, ..SMALL }),
    ("lines", 2_500, |lines| Sizes {
        large_lines: lines / 2 * 3,
        large_changed_lines: lines / 2,
        ..SMALL
    }),
];

/// The measured commands; those that only read are first. Words in capitals are placeholders.
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

const PAGES: [(&str, &str); 10] = [
    ("overview", "/overview"),
    ("changes", "/"),
    ("changes in a file", "/fragment/section?name=LARGE"),
    ("threads", "/threads"),
    ("thread", "/thread/THREAD"),
    ("file", "/file/LARGE"),
    ("search", "/search?q=WORD"),
    ("work", "/work"),
    ("checkpoint", "/work/CHECKPOINT"),
    ("steps", "/work/steps"),
];

/// Measures each command and each page along each axis.
pub(crate) fn measure(bench: &Bench) -> Outcome<Vec<Growth>> {
    let mut results = Vec::new();
    for (axis, first, sizes) in AXES {
        eprintln!("measuring: growth with {axis}");
        let workspace = |size| {
            let name = format!("growth-{axis}-{size}");
            Ok((size, bench.corpora.workspace(&bench.skein, &name, sizes(size))?))
        };
        let all = [BASELINE_SIZE, first, 2 * first, 4 * first, 8 * first];
        let workspaces = all.map(workspace).into_iter().collect::<Outcome<Vec<_>>>()?;
        let start = |workspace: &SampleWorkspace| {
            RunningServer::start(&bench.skein, &workspace.root, &workspace.home)
        };
        let get = |server: &RunningServer, path, workspace: &SampleWorkspace, round| {
            let path = fill(path, workspace, round).concat();
            Ok(server.address.get(&path, RequestKind::Browser)?.time)
        };
        let mut add = |name: String, rounds, run: &Measure<'_>| {
            results.push(grow(format!("{axis}: {name}"), &workspaces, rounds, run)?);
            Outcome::Ok(())
        };
        for (name, args) in COMMANDS {
            add(name.to_owned(), COMMAND_ROUNDS, &|_, workspace, round| {
                let args = args.iter().flat_map(|arg| fill(arg, workspace, round));
                let args: Vec<String> = args.collect();
                Ok(bench.skein.run(&workspace.root, &workspace.home, &args, &[])?.0)
            })?;
        }
        for (name, path) in PAGES {
            add(format!("page, {name}"), FIRST_PAGE_ROUNDS, &|_, workspace, round| {
                get(&start(workspace)?, path, workspace, round)
            })?;
        }
        let servers = workspaces.iter().map(|(_, workspace)| start(workspace));
        let servers = servers.collect::<Outcome<Vec<_>>>()?;
        for (name, path) in PAGES {
            add(format!("page again, {name}"), PAGE_ROUNDS, &|index, workspace, round| {
                get(servers.get(index).ok_or("there is no server")?, path, workspace, round)
            })?;
        }
    }
    Ok(results)
}

/// Measures one round in the workspace with this index.
type Measure<'a> = dyn Fn(usize, &SampleWorkspace, usize) -> Outcome<Duration> + 'a;

/// Measures all sizes in turns, and fits the growth of the best times.
fn grow(
    name: String,
    workspaces: &[(usize, SampleWorkspace)],
    rounds: usize,
    run: &Measure<'_>,
) -> Outcome<Growth> {
    let mut best: Vec<(usize, Duration)> =
        workspaces.iter().map(|(size, _)| (*size, Duration::MAX)).collect();
    let start = Instant::now();
    for round in 0..rounds {
        for (index, ((_, workspace), (_, best))) in workspaces.iter().zip(&mut best).enumerate() {
            *best = run(index, workspace, round)?.min(*best);
        }
        if start.elapsed() > MAX_TIME {
            break;
        }
    }
    match best.as_slice() {
        [(_, baseline), times @ ..] => Ok(Growth::above(*baseline, name, times, MAX_EXPONENT)),
        [] => Err("there is no workspace".into()),
    }
}

/// Replaces the placeholders. Odd rounds undo the commands of even rounds.
fn fill(arg: &str, workspace: &SampleWorkspace, round: usize) -> Vec<String> {
    let is_even = round.is_multiple_of(2);
    let one = |text: &str| vec![text.to_owned()];
    match arg {
        "RESOLVE" => one(if is_even { "resolve" } else { "reopen" }),
        "DONE" => one(if is_even { "done" } else { "reopen" }),
        "EVERY_TENTH_THREAD" => {
            workspace.threads.iter().step_by(10).map(|path| stem(path).to_owned()).collect()
        }
        "EVERY_TENTH_STEP" => {
            let steps = (0..workspace.sizes.steps).skip(COMMAND_ROUNDS).step_by(10);
            steps.map(|number| format!("{CHECKPOINT}#own-{number}")).collect()
        }
        _ => {
            let filled = arg.replace("THREAD", stem(&workspace.thread(0)));
            let filled = filled.replace("CHECKPOINT", CHECKPOINT).replace("WORD", WORD);
            vec![filled.replace("LARGE", LARGE).replace("ROUND", &round.to_string())]
        }
    }
}
