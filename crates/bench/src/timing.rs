//! Times a baseline and Skein in turns.

use std::time::{Duration, Instant};

use crate::Outcome;

/// The time of a baseline, and of Skein.
#[derive(Clone, Copy)]
pub(crate) struct TimePair {
    pub(crate) baseline: Duration,
    pub(crate) skein: Duration,
}

/// All times of a baseline and of Skein.
pub(crate) struct Turns {
    baseline: Vec<Duration>,
    skein: Vec<Duration>,
}

impl Turns {
    /// Lets both take turns of several calls each. The first turn warms the caches and is not counted.
    ///
    /// What a call leaves for the system to do slows down the next one, which must not always be the other side's;
    /// for short calls, a turn therefore has several.
    pub(crate) fn run(
        (turns, calls): (usize, usize),
        mut baseline: impl FnMut() -> Outcome<Duration>,
        mut skein: impl FnMut() -> Outcome<Duration>,
    ) -> Outcome<Self> {
        let mut times = Self { baseline: Vec::new(), skein: Vec::new() };
        for turn in 0..=turns {
            if turn == 1 {
                times.baseline.clear();
                times.skein.clear();
            }
            for _ in 0..calls {
                times.baseline.push(baseline()?);
            }
            for _ in 0..calls {
                times.skein.push(skein()?);
            }
        }
        Ok(times)
    }

    pub(crate) fn best(&self) -> TimePair {
        self.percentile(0)
    }

    pub(crate) fn median(&self) -> TimePair {
        self.percentile(50)
    }

    fn percentile(&self, percent: usize) -> TimePair {
        let [baseline, skein] =
            [&self.baseline, &self.skein].map(|times| percentile(times, percent));
        TimePair { baseline, skein }
    }
}

/// Runs `work`, and returns its time and its value.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let value = work();
    (start.elapsed(), value)
}

/// Returns the time that this percentage of the times does not exceed.
pub(crate) fn percentile(times: &[Duration], percent: usize) -> Duration {
    let mut times = times.to_vec();
    times.sort_unstable();
    let rank = (times.len() * percent).div_ceil(100).max(1);
    times.get(rank - 1).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(count: u64, percent: usize, expected: u64) {
        let times: Vec<Duration> = (1..=count).rev().map(Duration::from_millis).collect();
        assert_eq!(percentile(&times, percent), Duration::from_millis(expected));
    }

    #[test]
    fn a_percentile_is_one_of_the_times() {
        check(100, 50, 50);
        check(100, 99, 99);
        check(40, 99, 40);
        check(1, 50, 1);
        check(0, 99, 0);
        check(10, 0, 1);
    }
}
