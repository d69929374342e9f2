//! Compares `INDEX.md` and `recent.md` with the checkpoints.

use std::collections::BTreeSet;
use std::path::Path;

use skein_format::checkpoint::is_thread_file;
use skein_format::diagnostic::Code;
use skein_format::id::CheckpointId;
use skein_workspace::CheckpointStore;

use super::{CheckReport, Repair};

/// The start of the header row of a generated table.
const HEAD: &str = "| Thread |";

/// Compares the tables with the checkpoints, if there are tables.
pub(super) fn examine(checkpoints: &CheckpointStore, report: &mut CheckReport) {
    let dir = checkpoints.threads();
    let index = dir.join("INDEX.md");
    let mut is_stale = false;
    for path in [&index, &dir.join("recent.md")] {
        if path.symlink_metadata().is_ok() && !path.is_file() {
            let message = "this is not a file, so the table cannot be written".to_owned();
            report.find(Code::TablesBlocked, path, message);
            return;
        }
    }
    let Some(there) = names(&dir).filter(|_| index.exists()) else { return };
    if let Some(listed) = listed(&index) {
        // Hooks do not update the tables; the next checkpoint that is saved manually does.
        let is_automatic =
            |name: &&String| CheckpointId::parse(name).is_some_and(|id| id.looks_automatic());
        let missing = there.difference(&listed).filter(|name| !is_automatic(name)).count();
        let gone = listed.difference(&there).count();
        if missing + gone > 0 {
            let message = format!("missing in the table: {missing}, gone from the store: {gone}");
            report.find(Code::TablesStale, &index, message);
            is_stale = true;
        }
    }
    let recent = dir.join("recent.md");
    let gone = listed(&recent).map_or(0, |listed| listed.difference(&there).count());
    if gone > 0 {
        report.find(Code::TablesStale, &recent, format!("gone from the store: {gone}"));
        is_stale = true;
    }
    if is_stale {
        report.repairs.push(Repair::WriteTables { checkpoints: checkpoints.clone() });
    }
}

/// Returns the names of the checkpoints; none if they cannot be listed.
fn names(dir: &Path) -> Option<BTreeSet<String>> {
    let entries = dir.read_dir().ok()?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let stem = |name: String| Some(name.strip_suffix(".json")?.to_owned());
    Some(names.filter(|name| is_thread_file(name)).filter_map(stem).collect())
}

/// Returns the names in a table; `None` if the file is not a generated table.
fn listed(path: &Path) -> Option<BTreeSet<String>> {
    let bytes = skein_store::read(path).ok()?.bytes;
    let text = String::from_utf8_lossy(&bytes);
    if !text.contains(HEAD) {
        return None;
    }
    let name = |line: &str| Some(line.strip_prefix('|')?.split('|').next()?.trim().to_owned());
    let names = text.lines().filter_map(name);
    Some(names.filter(|name| is_thread_file(&format!("{name}.json"))).collect())
}
