//! Orders what was found.

use std::cmp::Ordering;

use skein_index::{Found, Stats};

/// A thread that was found, before it is shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranked {
    /// How well it matches.
    pub(super) score: f32,
    /// When it was last changed, in milliseconds.
    pub(super) time: i64,
    /// The folder that it is in, or the session map.
    pub(super) shelf: usize,
    pub(super) place: Place,
}

/// Where the thread is to be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
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

/// Tells which of two threads comes first that match as well and were changed at the same time.
pub(super) type Tie<'a> = dyn Fn(&Ranked, &Ranked) -> Ordering + 'a;

/// Threads that were found, of which the best ones are kept.
pub(super) struct Best<'a> {
    tie: &'a Tie<'a>,
    wanted: usize,
    /// How many there were, those that were not kept included.
    pub(super) total: usize,
    kept: Vec<Ranked>,
    /// What is worse than this is not among the best.
    least: f32,
}

/// So many more than are wanted are kept before the others are put away.
const ROOM: usize = 2000;

impl<'a> Best<'a> {
    /// Keeps as many as are wanted.
    pub(super) fn new(wanted: usize, tie: &'a Tie<'a>) -> Self {
        Self { tie, wanted, total: 0, kept: Vec::new(), least: f32::NEG_INFINITY }
    }

    /// Takes a thread; what is kept of it is made only where it may be among the best.
    pub(super) fn add(&mut self, score: f32, make: impl FnOnce() -> Ranked) {
        self.total += 1;
        if score < self.least {
            return;
        }
        self.kept.push(make());
        if self.kept.len() > self.wanted.saturating_add(ROOM) {
            self.put_away();
        }
    }

    fn put_away(&mut self) {
        if self.wanted < self.kept.len() {
            let tie = self.tie;
            self.kept.select_nth_unstable_by(self.wanted, |a, b| order(a, b, tie));
            self.kept.truncate(self.wanted);
            let scores = self.kept.iter().map(|ranked| ranked.score);
            self.least = scores.min_by(f32::total_cmp).unwrap_or(f32::INFINITY);
        }
    }

    /// Returns the best ones first; recent above old on a tie.
    pub(super) fn into_list(mut self) -> Vec<Ranked> {
        self.put_away();
        let tie = self.tie;
        self.kept.sort_unstable_by(|a, b| order(a, b, tie));
        self.kept
    }
}

fn order(a: &Ranked, b: &Ranked, tie: &Tie<'_>) -> Ordering {
    let better = b.score.total_cmp(&a.score).then(b.time.cmp(&a.time));
    better.then_with(|| a.shelf.cmp(&b.shelf)).then_with(|| tie(a, b))
}
