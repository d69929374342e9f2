use std::thread;

use super::Visitor;
use super::files::{Buffers, ScanDir, ScanEntry};
use super::pass::{FileOutcome, Pass, read_one};
use crate::retry::{RETRY_DELAYS, may_be_in_writing};

/// The number of bytes read at once.
const FIRST: usize = 16 * 1024;

/// Retries all files that may be being rewritten, for a limited time.
pub(super) fn settle<T>(files: &ScanDir, pass: &mut Pass<T>, visit: &Visitor<'_, T>) {
    let mut buffers = Buffers::new(FIRST);
    let mut pending = Vec::new();
    for (name, kind, value) in std::mem::take(&mut pass.broken) {
        if is_fresh(files, &name) {
            pending.push((name, kind, value));
        } else {
            pass.values.push(value);
        }
    }
    for delay in RETRY_DELAYS {
        if pending.is_empty() {
            return;
        }
        thread::sleep(delay);
        for (name, kind, _) in std::mem::take(&mut pending) {
            let entry = ScanEntry { name: &name, kind };
            match read_one(files, entry, &mut buffers, visit) {
                FileOutcome::Broken(value) if is_fresh(files, &name) => {
                    pending.push((name, kind, value));
                }
                FileOutcome::Broken(value) => pass.values.push(value),
                outcome => pass.take(entry, outcome),
            }
        }
    }
    pass.values.extend(pending.into_iter().map(|(_, _, value)| value));
}

/// Returns whether another program may be writing the file; false if its modification time is
/// unknown.
fn is_fresh(files: &ScanDir, name: &str) -> bool {
    files.mtime(name).is_ok_and(may_be_in_writing)
}
