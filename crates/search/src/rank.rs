//! Ranks matches.

use std::cmp::Ordering;

use skein_query::{Scorer, Stats};

use super::scan::Match;

/// Sorts matches: best first, recent ones first at equal scores.
///
/// Keeps only the first `wanted` ones. A time after `now` counts as now.
pub(super) fn best<'a>(
    mut matches: Vec<Match<'a>>,
    scorer: &Scorer,
    wanted: usize,
    now: i64,
) -> Vec<Match<'a>> {
    for found in &mut matches {
        found.score = scorer.score(&found.found.counts, found.found.lengths);
        found.time = found.time.min(now);
    }
    if wanted < matches.len() {
        matches.select_nth_unstable_by(wanted, order);
        matches.truncate(wanted);
    }
    matches.sort_unstable_by(order);
    matches
}

fn order(a: &Match<'_>, b: &Match<'_>) -> Ordering {
    let better = b.score.total_cmp(&a.score).then(b.time.cmp(&a.time));
    better.then_with(|| (a.source, &a.name).cmp(&(b.source, &b.name)))
}

/// Returns the statistics of all searched threads; those without a match are assumed to have
/// average length.
pub(super) fn stats(matches: &[Match<'_>], threads: usize, clauses: usize) -> Stats {
    let mut lengths = [0_u64; 3];
    let mut frequencies = vec![0; clauses];
    for one in matches {
        for (sum, length) in lengths.iter_mut().zip(one.found.lengths) {
            *sum += u64::from(length);
        }
        for (sum, counts) in frequencies.iter_mut().zip(&one.found.counts) {
            *sum += u64::from(counts.iter().any(|count| *count > 0));
        }
    }
    let matching = u64::try_from(matches.len()).unwrap_or(u64::MAX);
    let docs = u64::try_from(threads).unwrap_or(u64::MAX).max(matching);
    let scale = |sum: u64| sum.saturating_mul(docs).checked_div(matching).unwrap_or_default();
    Stats { docs, lengths: lengths.map(scale), frequencies }
}
