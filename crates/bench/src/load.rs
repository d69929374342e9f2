//! How busy the machine is.

use std::fs;
use std::time::Instant;

use rustix::param::clock_ticks_per_second;

use crate::Outcome;

/// Above this the figures say more about the neighbours than about Skein.
pub(crate) const HIGHEST: f64 = 3.0;

/// Returns the load average of the last minute.
pub(crate) fn average() -> Outcome<f64> {
    let text = fs::read_to_string("/proc/loadavg")?;
    let first = text.split_whitespace().next().unwrap_or_default();
    Ok(first.parse()?)
}

/// What was done on the machine up to a moment, in ticks of its clock.
pub(crate) struct Work {
    at: Instant,
    /// By anybody.
    all: u64,
    /// By this program and those that it has started and waited for.
    own: u64,
}

impl Work {
    /// Looks at the counters of the system.
    pub(crate) fn now() -> Outcome<Self> {
        let all = all_ticks(&fs::read_to_string("/proc/stat")?);
        Ok(Self { at: Instant::now(), all, own: own_now()? })
    }

    /// Returns how many processors others kept busy since.
    pub(crate) fn of_others(&self) -> Outcome<f64> {
        let now = Self::now()?;
        let others = now.all.saturating_sub(self.all).saturating_sub(now.own - self.own);
        Ok(seconds(others) / now.at.duration_since(self.at).as_secs_f64())
    }
}

fn own_now() -> Outcome<u64> {
    Ok(own_ticks(&fs::read_to_string("/proc/self/stat")?))
}

/// Adds up all but the fourth and the fifth number, in which nothing was done, and the guests, who are counted already.
fn all_ticks(counters: &str) -> u64 {
    let line = counters.lines().next().unwrap_or_default().split_whitespace();
    let numbers = line.skip(1).take(8).enumerate().filter(|(at, _)| ![3, 4].contains(at));
    numbers.filter_map(|(_, ticks)| ticks.parse::<u64>().ok()).sum()
}

/// Adds up the times of a process and of its children, from the 14th value on.
fn own_ticks(counters: &str) -> u64 {
    // The name, which may hold anything, ends with the last bracket.
    let (_, values) = counters.rsplit_once(')').unwrap_or_default();
    values.split_whitespace().skip(11).take(4).filter_map(|ticks| ticks.parse::<u64>().ok()).sum()
}

fn seconds(ticks: u64) -> f64 {
    let hundredths = ticks.saturating_mul(100) / clock_ticks_per_second().max(1);
    f64::from(u32::try_from(hundredths).unwrap_or(u32::MAX)) / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_counters_of_the_system() {
        assert_eq!(all_ticks("cpu  100 20 3 9000 800 4 5 6 70 80\ncpu0 1 1 1\n"), 138);
        let own = "12 (a) b) (c) S 1 2 3 4 5 6 7 8 9 10 100 20 3 4 15 -5 2 0 1";
        assert_eq!(own_ticks(own), 127);
        assert_eq!((all_ticks(""), own_ticks("")), (0, 0));
    }
}
