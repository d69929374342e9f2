//! Measures peak memory in a separate process.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use crate::Outcome;
use crate::program::command;

/// The argument with which this program runs itself.
pub(crate) const PEAK: &str = "peak-memory";

/// Returns the peak memory of a process that runs one of the actions of [`super::run_action`], in megabytes.
pub(super) fn peak_of_action(action: &str, files: &[&Path]) -> Outcome<f64> {
    let mut command = command(std::env::current_exe()?);
    let output = command.args([PEAK, action]).args(files).stdout(Stdio::piped()).output()?;
    Ok(String::from_utf8(output.stdout)?.trim().parse()?)
}

/// Returns the peak memory of a running process, in megabytes.
pub(crate) fn peak(process: u32) -> Outcome<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = peak.and_then(|peak| peak.split_whitespace().next());
    Ok(kilobytes.ok_or("the system does not report peak memory")?.parse::<f64>()? / 1024.0)
}
