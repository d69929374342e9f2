//! Measures single threads, checkpoints and hooks.

use std::fs;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use serde_json::json;
use skein_format::time::Time;
use skein_model::Kind;
use skein_workspace::discover;

use super::{Bench, check, env, list_threads, read_all};
use crate::Outcome;
use crate::corpus::{CHECKPOINTS, Corpus, SampleWorkspace, Sizes, files, put, stem};
use crate::table::{ResultRow, show_size};
use crate::timing::{TimePair, Turns, percentile, timed};

/// The number of threads that are shown in each corpus.
const SHOWN: usize = 200;
const SHOW_ROUNDS: usize = 15;
/// The number of files in one checkpoint.
const NAMED_FILES: usize = 200_000;
const COMMITS: usize = 30;

pub(super) fn rows(bench: &Bench) -> Outcome<Vec<ResultRow>> {
    let mut rows = show_rows(bench)?;
    for corpus in bench.all_threads(Kind::Checkpoint)? {
        let size = corpus.paths.len();
        let row = ResultRow::pair("resume / list checkpoints", show_size(size), resume(&corpus)?);
        rows.push(row.at_most_ratio(1.5).sized(size, 0));
    }
    rows.push(wide_row(bench)?);
    rows.extend(hook_rows(bench)?);
    Ok(rows)
}

/// Measures showing threads by their ids. The corpora take turns for every id.
fn show_rows(bench: &Bench) -> Outcome<Vec<ResultRow>> {
    let corpora = bench.all_threads(Kind::Review)?;
    let mut times: Vec<Vec<Duration>> = corpora.iter().map(|_| Vec::new()).collect();
    // The first round warms the caches.
    for turn in 0..(SHOW_ROUNDS + 1) * SHOWN {
        for (corpus, times) in corpora.iter().zip(&mut times) {
            let index = turn % SHOWN * corpus.paths.len() / SHOWN;
            let path = corpus.paths.get(index).ok_or("the corpus is empty")?;
            let (env, id) = (env(&corpus.root), stem(path));
            let (time, view) = timed(|| skein_catalog::show(&discover(&env), id));
            let time = check(view?.row.id == id, "another thread is shown", time)?;
            times.extend((turn >= SHOWN).then_some(time));
        }
    }
    let medians: Vec<Duration> = times.iter().map(|times| percentile(times, 50)).collect();
    let row = |(size, time): (&usize, &Duration)| {
        ResultRow::time("show by id", show_size(*size), *time).sized(*size, 0)
    };
    let mut rows: Vec<ResultRow> = bench.sizes.iter().zip(&medians).map(row).collect();
    if let ([few, .., many], [baseline, .., skein]) = (&*bench.sizes, &*medians) {
        let sizes = format!("{} to {}", show_size(*few), show_size(*many));
        let pair = TimePair { baseline: *baseline, skein: *skein };
        rows.push(ResultRow::pair("show by id, many / few", sizes, pair).at_most_ratio(1.3));
    }
    Ok(rows)
}

/// Measures the brief of the newest checkpoint, which reads all checkpoints.
fn resume(corpus: &Corpus) -> Outcome<TimePair> {
    let baseline = || {
        let (time, listing) = timed(|| list_threads(&corpus.root, Kind::Checkpoint));
        check(listing.threads.len() == corpus.paths.len(), "the list is not complete", time)
    };
    let skein = || {
        let env = env(&corpus.root);
        let (time, brief) = timed(|| skein_summary::brief(&discover(&env), None));
        check(brief?.text(10_000).len() > 100, "the brief is too short", time)
    };
    Turns::best_of(9).run(baseline, skein)
}

/// Measures the list with one checkpoint that contains very many files.
fn wide_row(bench: &Bench) -> Outcome<ResultRow> {
    let root = bench.corpora.scratch()?;
    let dir = root.path().join(CHECKPOINTS);
    fs::create_dir_all(&dir)?;
    let path = dir.join("T-20260123-143052-wide.json");
    let file = |number| format!("packages/part-{}/src/module_{number}.ts", number % 977);
    let checkpoint = json!({
        "thread_id": "T-20260123-143052-wide",
        "version": 1,
        "type": "checkpoint",
        "created_at": "2026-01-23T14:30:52.000Z",
        "updated_at": "2026-01-23T14:30:52.000Z",
        "conversation_summary": "Moved every module.",
        "files_touched": (0..NAMED_FILES).map(file).collect::<Vec<_>>(),
    });
    put(&path, &serde_json::to_vec_pretty(&checkpoint)?)?;
    let paths = [path];
    let skein = || {
        let (time, listing) = timed(|| list_threads(root.path(), Kind::Checkpoint));
        check(listing.threads.iter().any(|row| row.usable), "the list is empty", time)
    };
    let pair = Turns::best_of(45).run(|| read_all(&paths), skein)?;
    let row = ResultRow::pair("list of one wide checkpoint / read", "200k paths", pair);
    Ok(row.at_most_ratio(2.0))
}

/// Measures hooks, called as agents do.
fn hook_rows(bench: &Bench) -> Outcome<Vec<ResultRow>> {
    let repository = Sizes { files: 50_000, file_lines: 1, large_lines: 1, ..Sizes::default() };
    let workspace = bench.corpora.workspace(&bench.skein, "hooks", repository)?;
    let (root, home) = (&workspace.root, &workspace.home);
    let payload = |command: &str| {
        let payload = json!({
            "session_id": "bench", "cwd": root, "hook_event_name": "PostToolUse",
            "tool_name": "Bash", "tool_input": { "command": command },
            "tool_response": { "stdout": "" },
        });
        payload.to_string().into_bytes()
    };
    let hook = ["hook", "claude-code", "post-tool-use"];
    let run = |args: &[&str], input: &[u8]| Ok(bench.skein.run(root, home, args, input)?.0);
    let idle = payload("cargo test");
    let idle = Turns::median_of(40, 4).run(|| run(&["--version"], &[]), || run(&hook, &idle))?;
    let mut times = Vec::new();
    for number in 1..=COMMITS {
        commit(&workspace, number)?;
        let before = checkpoint_count(root)?;
        let time = run(&hook, &payload("git commit -am answer"))?;
        let is_written = checkpoint_count(root)? == before + 1;
        times.push(check(is_written, "the hook did not write a checkpoint", time)?);
    }
    let corpus = "50k files";
    let row = |name, percent| ResultRow::time(name, corpus, percentile(&times, percent));
    Ok(vec![
        ResultRow::pair("hook with nothing to do / --version", corpus, idle).at_most_ratio(1.5),
        row("hook that writes a checkpoint", 50).at_most(50.0),
        row("the same, slowest of 30", 100),
    ])
}

/// Commits a change with the current time, because a hook ignores old commits.
fn commit(workspace: &SampleWorkspace, number: usize) -> Outcome<()> {
    workspace.put("src/large.rs", &[format!("pub fn answer() {{}} // {number}")])?;
    let now = Time::from_millis(i64::try_from(UNIX_EPOCH.elapsed()?.as_millis())?);
    workspace.commit(&format!("answer number {number}\n"), &now.to_string())
}

fn checkpoint_count(root: &Path) -> Outcome<usize> {
    Ok(files(&root.join(CHECKPOINTS))?.len())
}
