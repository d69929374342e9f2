//! The memory of a list, taken in a process of its own.

use std::fs;
use std::path::Path;

use super::list::list;
use crate::Outcome;
use crate::corpus::{Corpus, Kind};
use crate::figure::Figure;
use crate::options::{PEAK, shown};

/// Measures the peak of a process that lists the reviews and does nothing else.
#[expect(clippy::disallowed_methods, reason = "the program runs itself, with nothing of git in it")]
pub(super) fn figure(corpus: &Corpus) -> Outcome<Figure> {
    let mut command = std::process::Command::new(std::env::current_exe()?);
    let output = command.arg(PEAK).arg(&corpus.root).output()?;
    let kilobytes: f64 = String::from_utf8(output.stdout)?.trim().parse()?;
    let size = shown(corpus.paths.len());
    Ok(Figure::megabytes("memory of a list", size, kilobytes / 1024.0).at_most(400.0))
}

/// Lists the reviews below `root` and prints the peak of this process in kilobytes.
pub(crate) fn print_peak(root: &Path) -> Outcome<()> {
    let listing = list(root, Kind::Review);
    let status = fs::read_to_string("/proc/self/status")?;
    drop(listing);
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = peak.and_then(|peak| peak.split_whitespace().next());
    println!("{}", number.ok_or("the system does not tell the peak")?);
    Ok(())
}
