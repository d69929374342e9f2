//! Measures lists of many threads, compared with reading the same files.

use skein_model::Kind;

use super::memory::peak_of_action;
use super::{Bench, check, list_threads, read_all};
use crate::Outcome;
use crate::table::{ResultRow, Unit, show_size};
use crate::timing::{Turns, timed};

/// Minimum size at which rows are judged: in smaller corpora, starting the threads takes most of the time.
const JUDGED_FROM: usize = 10_000;

pub(super) fn rows(bench: &Bench) -> Outcome<Vec<ResultRow>> {
    let mut rows = Vec::new();
    for (kind, max_ratio) in [(Kind::Review, 1.5), (Kind::Checkpoint, 2.2)] {
        for corpus in bench.all_threads(kind)? {
            let size = corpus.paths.len();
            let skein = || {
                let (time, listing) = timed(|| list_threads(&corpus.root, kind));
                let usable = listing.threads.iter().filter(|row| row.usable).count();
                let is_complete = [usable, listing.threads.len()] == [size, size];
                check(
                    is_complete && listing.diagnostics.is_empty(),
                    "the list is not complete",
                    time,
                )
            };
            let turns = Turns::best_of((300_000 / size).clamp(7, 60));
            let pair = turns.run(|| read_all(&corpus.paths), skein)?;
            let row = ResultRow::pair(format!("list {kind}s / read"), show_size(size), pair);
            rows.push(row.at_most_ratio(max_ratio).sized(size, JUDGED_FROM));
        }
    }
    let corpus = bench.corpora.threads(Kind::Review, bench.largest())?;
    let (root, size) = (&corpus.root, show_size(bench.largest()));
    let megabytes = peak_of_action("list", &[root])?;
    let memory = ResultRow::amount("memory of a list", &size, megabytes, Unit::Megabytes);
    rows.push(memory.at_most(400.0));
    let command = || Ok(bench.skein.run(root, root, &["list", "reviews", "--json"], &[])?.0);
    let pair = Turns::best_of(5).run(|| read_all(&corpus.paths), command)?;
    rows.push(ResultRow::pair("process `list reviews --json` / read", size, pair));
    Ok(rows)
}
