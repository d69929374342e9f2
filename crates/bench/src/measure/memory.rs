//! Measures peak memory, in a process that does nothing else.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;
use std::process::Stdio;

use skein_format::session::{MappingField, Mode};
use skein_sessions::{MapPath, SessionMap};
use skein_store::RealFs;

use super::{list_threads, now};
use crate::Outcome;
use crate::corpus::ThreadKind;
use crate::program::command;

/// The argument with which this program starts itself.
pub(crate) const PEAK: &str = "peak-memory";

/// Returns the peak of a process in megabytes that runs one of the actions of [`run_action`].
pub(super) fn peak_of_action(args: &[&OsStr]) -> Outcome<f64> {
    let mut command = command(std::env::current_exe()?);
    let output = command.arg(PEAK).args(args).stdout(Stdio::piped()).output()?;
    Ok(String::from_utf8(output.stdout)?.trim().parse()?)
}

/// Returns the peak of a running process in megabytes.
pub(crate) fn peak(process: u32) -> Outcome<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = peak.and_then(|peak| peak.split_whitespace().next());
    Ok(kilobytes.ok_or("the system does not report peak memory")?.parse::<f64>()? / 1024.0)
}

/// Runs `list ROOT`, `load MAP` or `save MAP CHANGED`, and prints the peak memory of this process.
pub(crate) fn run_action(args: &[OsString]) -> Outcome<()> {
    let args: Vec<&Path> = args.iter().map(Path::new).collect();
    let print = || {
        println!("{}", peak(std::process::id())?);
        Ok(())
    };
    match args.as_slice() {
        [action, root] if *action == Path::new("list") => {
            let _listing = list_threads(root, ThreadKind::Review);
            print()
        }
        [action, file] if *action == Path::new("load") => {
            let map = SessionMap::load(&MapPath::named(file), Mode::Strict)?;
            let _entries = map.entries();
            print()
        }
        [action, file, changed] if *action == Path::new("save") => {
            save(file, changed)?;
            print()
        }
        _ => Err("unknown action".into()),
    }
}

/// Saves a change of a map after another program has changed the file.
fn save(file: &Path, changed: &Path) -> Outcome<()> {
    let mut map = SessionMap::load(&MapPath::named(file), Mode::Strict)?;
    fs::copy(changed, file)?;
    let first = map.entries().mappings.first().map(|entry| entry.session_id.clone().into_owned());
    map.set(
        &first.ok_or("the map is empty")?,
        &[(MappingField::SessionTitle, "Another title")],
        now(),
    )?;
    map.save(&RealFs, now())?;
    Ok(())
}
