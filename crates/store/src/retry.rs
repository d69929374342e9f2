//! Delays for reading a file that may be incomplete.

use std::time::{Duration, SystemTime};

/// The delays between reads of a file that is being rewritten; together 250 ms.
pub(crate) const RETRY_DELAYS: [Duration; 7] = [
    Duration::from_millis(10),
    Duration::from_millis(20),
    Duration::from_millis(30),
    Duration::from_millis(40),
    Duration::from_millis(50),
    Duration::from_millis(50),
    Duration::from_millis(50),
];

/// A file that has not changed for this long is not being written by another program.
pub(crate) const QUIESCENT_AFTER: Duration = Duration::from_secs(1);

/// Returns whether a program may still be writing a file with this modification time.
pub(crate) fn may_be_in_writing(mtime: SystemTime) -> bool {
    age(mtime) < QUIESCENT_AFTER
}

/// Returns the time since `mtime`; zero if it is in the future.
#[expect(
    clippy::disallowed_methods,
    reason = "file times come from the machine's clock, so only that clock tells how old they are"
)]
pub(crate) fn age(mtime: SystemTime) -> Duration {
    SystemTime::now().duration_since(mtime).unwrap_or(Duration::ZERO)
}

#[cfg(test)]
mod tests {
    use super::RETRY_DELAYS;
    use std::time::Duration;

    #[test]
    fn delays_add_up_to_250_ms() {
        assert_eq!(RETRY_DELAYS.iter().sum::<Duration>(), Duration::from_millis(250));
    }
}
