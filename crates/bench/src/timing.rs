//! Times baseline and candidate in turn.

use std::time::{Duration, Instant};

use crate::Outcome;

/// The times of a baseline and of what is held against it.
#[derive(Clone, Copy)]
pub(crate) struct Pair {
    pub(crate) baseline: Duration,
    pub(crate) skein: Duration,
}

/// Runs `work` and returns how long it took along with its value.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let value = work();
    (start.elapsed(), value)
}

/// Runs both in turn and returns the best time of each.
///
/// The first round warms the caches and does not count.
pub(crate) fn best_of(
    rounds: usize,
    mut baseline: impl FnMut() -> Outcome<Duration>,
    mut skein: impl FnMut() -> Outcome<Duration>,
) -> Outcome<Pair> {
    let mut best = Pair { baseline: Duration::MAX, skein: Duration::MAX };
    for round in 0..=rounds {
        let (one, other) = (baseline()?, skein()?);
        if round > 0 {
            best.baseline = best.baseline.min(one);
            best.skein = best.skein.min(other);
        }
    }
    Ok(best)
}

/// Lets both take turns of `calls` calls each and returns the median time of a call.
///
/// What a call leaves for the system to do is paid by the next one, which must not always be the other
/// side's; that is why a turn has several. The first turns do not count.
pub(crate) fn median_of(
    (turns, calls): (usize, usize),
    mut baseline: impl FnMut() -> Outcome<Duration>,
    mut skein: impl FnMut() -> Outcome<Duration>,
) -> Outcome<Pair> {
    let (mut times, mut other_times) = (Vec::new(), Vec::new());
    for turn in 0..=turns {
        if turn == 1 {
            times.clear();
            other_times.clear();
        }
        for _ in 0..calls {
            times.push(baseline()?);
        }
        for _ in 0..calls {
            other_times.push(skein()?);
        }
    }
    Ok(Pair { baseline: median(times), skein: median(other_times) })
}

/// Returns the middle one of some times.
pub(crate) fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// Returns the time that so many out of a hundred do not exceed.
pub(crate) fn percentile(times: &[Duration], share: usize) -> Duration {
    let mut times = times.to_vec();
    times.sort_unstable();
    let rank = (times.len() * share).div_ceil(100).max(1);
    times.get(rank - 1).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(count: u64, share: usize, expected: u64) {
        let times: Vec<Duration> = (1..=count).rev().map(Duration::from_millis).collect();
        assert_eq!(percentile(&times, share), Duration::from_millis(expected));
    }

    #[test]
    fn a_percentile_is_one_of_the_times() {
        check(100, 50, 50);
        check(100, 99, 99);
        check(40, 99, 40);
        check(1, 50, 1);
        check(0, 99, 0);
    }
}
