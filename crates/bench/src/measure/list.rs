//! Lists of many threads, compared with reading the same files.

use super::memory::peak_of_action;
use super::{Bench, check, list_threads, read_all};
use crate::Outcome;
use crate::corpus::{Corpus, ThreadKind};
use crate::table::{ResultRow, Unit, show_size};
use crate::timing::{Turns, timed};

/// Smaller corpora are not judged: starting the threads takes most of the time.
const JUDGED_FROM: usize = 10_000;

pub(super) fn rows(bench: &Bench) -> Outcome<Vec<ResultRow>> {
    let mut rows = Vec::new();
    for (kind, max_ratio) in [(ThreadKind::Review, 1.5), (ThreadKind::Checkpoint, 2.2)] {
        for &size in &bench.sizes {
            let row = list_row(&bench.corpora.threads(kind, size)?)?;
            rows.push(row.at_most_ratio(max_ratio).sized(size, JUDGED_FROM));
        }
    }
    let corpus = bench.corpora.threads(ThreadKind::Review, bench.largest())?;
    let size = show_size(bench.largest());
    let megabytes = peak_of_action(&["list".as_ref(), corpus.root.as_os_str()])?;
    rows.push(
        ResultRow::amount("memory of a list", &size, megabytes, Unit::Megabytes).at_most(400.0),
    );
    let command = ["list", "reviews", "--json"];
    let turns = Turns::run(
        (5, 1),
        || read_all(&corpus.paths),
        || Ok(bench.skein.run(&corpus.root, &corpus.root, &command, &[])?.0),
    )?;
    rows.push(ResultRow::pair("process `list reviews --json` / read", size, turns.best()));
    Ok(rows)
}

fn list_row(corpus: &Corpus) -> Outcome<ResultRow> {
    let size = corpus.paths.len();
    let turns = ((300_000 / size).clamp(7, 60), 1);
    let skein = || {
        let (time, listing) = timed(|| list_threads(&corpus.root, corpus.kind));
        let usable = listing.threads.iter().filter(|row| row.usable).count();
        let is_complete =
            usable == size && listing.threads.len() == size && listing.diagnostics.is_empty();
        check(is_complete, "the list is not complete", time)
    };
    let turns = Turns::run(turns, || read_all(&corpus.paths), skein)?;
    let name = format!("list {} / read", corpus.kind.name());
    Ok(ResultRow::pair(name, show_size(size), turns.best()))
}
