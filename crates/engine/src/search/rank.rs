//! Orders what was found.

use skein_index::{Found, Stats, score};

/// A thread that was found, before it is shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranked {
    /// How well it matches.
    pub(super) score: f32,
    /// When it was last changed, in milliseconds.
    pub(super) time: i64,
    /// The folder that it is in, or the session map.
    pub(super) shelf: usize,
    pub(super) thread: Thread,
}

/// Which thread of a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Thread {
    /// The one in this slot of the index.
    Indexed(u32),
    /// The one among those that were read.
    Read(usize),
}

/// Adds what is known of one part of the threads to what is known of all.
pub(super) fn add(stats: &mut Stats, docs: u64, lengths: [u64; 3], frequencies: &[u64]) {
    stats.docs += docs;
    for (sum, more) in stats.lengths.iter_mut().zip(lengths) {
        *sum += more;
    }
    for (sum, more) in stats.frequencies.iter_mut().zip(frequencies) {
        *sum += more;
    }
}

/// Counts threads that were read; those that do not match count too, as if they were as long.
pub(super) fn add_read<'a>(
    stats: &mut Stats,
    threads: usize,
    found: impl Iterator<Item = &'a Found>,
) {
    let mut lengths = [0_u64; 3];
    let mut frequencies = vec![0; stats.frequencies.len()];
    let mut matching = 0_u64;
    for one in found {
        matching += 1;
        for (sum, length) in lengths.iter_mut().zip(one.lengths) {
            *sum += u64::from(length);
        }
        for (sum, counts) in frequencies.iter_mut().zip(&one.counts) {
            *sum += u64::from(counts.iter().any(|count| *count > 0));
        }
    }
    let docs = u64::try_from(threads).unwrap_or(u64::MAX).max(matching);
    let scale = |sum: u64| sum.saturating_mul(docs).checked_div(matching).unwrap_or_default();
    add(stats, docs, lengths.map(scale), &frequencies);
}

/// Returns how well a thread that was read matches.
pub(super) fn score_of(found: &Found, stats: &Stats) -> f32 {
    score(&found.counts, found.lengths, stats)
}

/// Puts the best ones first, as many as are wanted; recent above old on a tie.
pub(super) fn best(mut all: Vec<Ranked>, wanted: usize) -> Vec<Ranked> {
    let order = |a: &Ranked, b: &Ranked| {
        let where_of = |ranked: &Ranked| (ranked.shelf, ranked.thread);
        let better = b.score.total_cmp(&a.score).then(b.time.cmp(&a.time));
        better.then_with(|| where_of(a).cmp(&where_of(b)))
    };
    if wanted < all.len() {
        all.select_nth_unstable_by(wanted, order);
        all.truncate(wanted);
    }
    all.sort_unstable_by(order);
    all
}
