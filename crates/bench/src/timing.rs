//! Measures a baseline and Skein in turns.

use std::time::{Duration, Instant};

use crate::Outcome;

/// The time of a baseline, and of Skein.
#[derive(Clone, Copy)]
pub(crate) struct TimePair {
    pub(crate) baseline: Duration,
    pub(crate) skein: Duration,
}

/// The number of turns, the number of calls in a turn, and the percentile of the times that counts.
#[derive(Clone, Copy)]
pub(crate) struct Turns {
    turns: usize,
    calls: usize,
    percent: usize,
}

impl Turns {
    pub(crate) const fn best_of(turns: usize) -> Self {
        Self { turns, calls: 1, percent: 0 }
    }

    /// Takes the median. A call can slow down the next one by work that it leaves to the system, so a turn has several short calls.
    pub(crate) const fn median_of(turns: usize, calls: usize) -> Self {
        Self { turns, calls, percent: 50 }
    }

    /// Calls both in turns. The first turn warms the caches and is not counted.
    pub(crate) fn run(
        self,
        mut baseline: impl FnMut() -> Outcome<Duration>,
        mut skein: impl FnMut() -> Outcome<Duration>,
    ) -> Outcome<TimePair> {
        let mut times = [Vec::new(), Vec::new()];
        let mut sides: [&mut dyn FnMut() -> Outcome<Duration>; 2] = [&mut baseline, &mut skein];
        for turn in 0..=self.turns {
            for (side, times) in sides.iter_mut().zip(&mut times) {
                for _ in 0..self.calls {
                    let time = side()?;
                    times.extend((turn > 0).then_some(time));
                }
            }
        }
        let [baseline, skein] = times.map(|times| percentile(&times, self.percent));
        Ok(TimePair { baseline, skein })
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
