//! Measures pages in Chromium, with scripts of `e2e`.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use super::percentile_row;
use super::server::{RunningServer, ServerAddress};
use crate::Outcome;
use crate::corpus::{SampleWorkspace, Sizes};
use crate::measure::Bench;
use crate::program::run;
use crate::table::ResultRow;
use crate::timing::{TimePair, percentile};

/// The directory of the scripts that control a browser.
const SCRIPT_DIR: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../e2e");

/// A change of 79 files with 200 threads.
const CHANGE: Sizes = Sizes {
    files: 100,
    file_lines: 350,
    changed_files: 78,
    changed_lines: 66,
    large_lines: 1_000,
    large_changed_lines: 20,
    threads: 200,
    comments: 2,
    checkpoints: 1,
    steps: 1,
    sessions: 1,
};

/// A small change with 3,000 threads.
const MANY_THREADS: Sizes = Sizes { changed_files: 1, threads: 3_000, ..CHANGE };

/// Lists of times in milliseconds, as the scripts print them.
struct ScriptTimes(BTreeMap<String, Vec<f64>>);

impl ScriptTimes {
    /// Runs a script; none if it does not run.
    fn measure(script: &str, args: &[&str]) -> Option<Self> {
        let output = run(Path::new(SCRIPT_DIR), "node", &[&[script], args].concat());
        match output.and_then(|(_, output)| Ok(serde_json::from_slice(&output)?)) {
            Ok(times) => Some(Self(times)),
            Err(error) => {
                eprintln!("skipping {script}, for which `e2e/run` installs the programs: {error}");
                None
            }
        }
    }

    fn get(&self, name: &str) -> Vec<Duration> {
        // The page may show a change before the write has returned.
        let duration = |time: &f64| Duration::from_secs_f64(time.max(0.0) / 1e3);
        self.0.get(name).into_iter().flatten().map(duration).collect()
    }
}

/// Measures an open page while files change.
pub(super) fn live_rows(address: &ServerAddress, workspace: &SampleWorkspace) -> Vec<ResultRow> {
    let root = workspace.root.to_str().unwrap_or_default();
    let args = [&address.url(), root, &address.cookie];
    let Some(times) = ScriptTimes::measure("measure.mjs", &args) else { return Vec::new() };
    let (comments, edits, keys) = (times.get("comments"), times.get("edits"), times.get("keys"));
    let changes = [comments.clone(), edits.clone()].concat();
    let key = |name, percent| ResultRow::time(name, "12k threads", percentile(&keys, percent));
    vec![
        percentile_row("a comment until the page, p50", &comments, 50),
        percentile_row("an edit until the page, p50", &edits, 50),
        percentile_row("either until the page, p99", &changes, 99).at_most(300.0),
        key("a key until its list, p50", 50),
        key("a key until its list, p99", 99).at_most(100.0),
    ]
}

/// Measures how soon the pages of a change and of many threads are painted.
pub(super) fn paint_rows(bench: &Bench) -> Outcome<Vec<ResultRow>> {
    let change = bench.corpora.workspace(&bench.skein, "change", CHANGE)?;
    let many = bench.corpora.workspace(&bench.skein, "many-threads", MANY_THREADS)?;
    let start = |workspace: &SampleWorkspace| {
        RunningServer::start(&bench.skein, &workspace.root, &workspace.home)
    };
    let (few_server, many_server) = (start(&change)?, start(&many)?);
    let (few, many) = (&few_server.address, &many_server.address);
    let root = change.root.to_str().unwrap_or_default();
    let args = [&few.url(), &few.cookie, root, &many.url(), &many.cookie];
    let Some(times) = ScriptTimes::measure("measure_paint.mjs", &args) else {
        return Ok(Vec::new());
    };
    let row = |name: &str, corpus: &'static str, own: &str, baseline: &str| {
        let skein = percentile(&times.get(own), 50);
        let baseline = times.get(baseline);
        match baseline.is_empty() {
            true => ResultRow::time(name, corpus, skein),
            false => {
                let baseline = percentile(&baseline, 50);
                ResultRow::pair(name, corpus, TimePair { baseline, skein })
            }
        }
    };
    let corpus = "79 files";
    Ok(vec![
        row("first paint / difit", corpus, "paints", "peerPaints").at_most_ratio(1.5),
        row("first row of code / difit", corpus, "rows", "peerRows"),
        row("list of threads / of 200", "3k threads", "many", "few").at_most_ratio(2.0),
    ])
}
