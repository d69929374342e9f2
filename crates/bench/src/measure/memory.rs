//! The memory that something takes, in a process of its own.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use skein_format::session::{Field, Mode};
use skein_format::time::Time;
use skein_sessions::{MapPath, SessionMap};
use skein_store::RealFs;

use super::NOW;
use super::list::list;
use crate::Outcome;
use crate::corpus::{Corpus, Kind};
use crate::figure::Figure;
use crate::options::{PEAK, Peak, shown};

/// Measures the peak of a process that lists the reviews and does nothing else.
pub(super) fn figure(corpus: &Corpus) -> Outcome<Figure> {
    let megabytes = megabytes(&["list".as_ref(), corpus.root.as_os_str()])?;
    let size = shown(corpus.paths.len());
    Ok(Figure::megabytes("memory of a list", size, megabytes).at_most(400.0))
}

/// Returns the peak of a process that does what the words say and nothing else.
#[expect(clippy::disallowed_methods, reason = "the program runs itself, with nothing of git in it")]
pub(super) fn megabytes(what: &[&OsStr]) -> Outcome<f64> {
    let mut command = std::process::Command::new(std::env::current_exe()?);
    let output = command.arg(PEAK).args(what).output()?;
    let kilobytes: f64 = String::from_utf8(output.stdout)?.trim().parse()?;
    Ok(kilobytes / 1024.0)
}

/// Does what is wanted and prints the peak of this process in kilobytes.
pub(crate) fn print_peak(peak: &Peak) -> Outcome<()> {
    let status = match peak {
        Peak::List(root) => {
            let _listing = list(root, Kind::Review);
            status()?
        }
        Peak::Load(file) => {
            let map = SessionMap::load(&MapPath::named(file), Mode::Strict)?;
            let _entries = map.entries();
            status()?
        }
        Peak::Save(file, other) => {
            save(file, other)?;
            status()?
        }
    };
    println!("{}", kilobytes(&status)?);
    Ok(())
}

/// Returns the most memory that a process has had so far, in megabytes.
pub(super) fn peak_of(process: u32) -> Outcome<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))?;
    Ok(f64::from(kilobytes(&status)?) / 1024.0)
}

fn kilobytes(status: &str) -> Outcome<u32> {
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = peak.and_then(|peak| peak.split_whitespace().next());
    Ok(number.ok_or("the system does not tell the peak")?.parse()?)
}

/// Saves one change of a map that another program has written to.
fn save(file: &Path, other: &Path) -> Outcome<()> {
    let mut map = SessionMap::load(&MapPath::named(file), Mode::Strict)?;
    fs::copy(other, file)?;
    let first = map.entries().mappings.first().map(|entry| entry.session_id.clone().into_owned());
    let now = Time::from_millis(NOW);
    map.set(&first.ok_or("the map is empty")?, &[(Field::SessionTitle, "Another title")], now)?;
    map.save(&RealFs, now)?;
    Ok(())
}

fn status() -> Outcome<String> {
    Ok(fs::read_to_string("/proc/self/status")?)
}
