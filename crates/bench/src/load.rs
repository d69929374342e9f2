//! How busy the machine is.

use std::fs;

use crate::Outcome;

/// Above this the figures say more about the neighbours than about Skein.
pub(crate) const HIGHEST: f64 = 3.0;

/// Returns the load average of the last minute.
pub(crate) fn average() -> Outcome<f64> {
    let text = fs::read_to_string("/proc/loadavg")?;
    let first = text.split_whitespace().next().unwrap_or_default();
    Ok(first.parse()?)
}
