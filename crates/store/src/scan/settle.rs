use std::thread;

use super::Visitor;
use super::files::{Buffers, Files};
use super::listing::Entry;
use super::pass::{Outcome, Pass, read_one};
use crate::retry::{RETRY_DELAYS, may_be_in_writing};

/// How much of a file is read at once here, where files are few and broken.
const FIRST: usize = 16 * 1024;

/// Reads again, together and for a limited time, what looks like it is being rewritten.
pub(super) fn settle<T>(files: &Files, pass: &mut Pass<T>, visit: &Visitor<'_, T>) {
    let mut buffers = Buffers::new(FIRST);
    let mut pending = Vec::new();
    for (name, sort, value) in std::mem::take(&mut pass.broken) {
        if is_fresh(files, &name) {
            pending.push((name, sort, value));
        } else {
            pass.values.push(value);
        }
    }
    for nap in RETRY_DELAYS {
        if pending.is_empty() {
            return;
        }
        thread::sleep(nap);
        for (name, sort, _) in std::mem::take(&mut pending) {
            let entry = Entry { name: &name, sort };
            match read_one(files, entry, &mut buffers, visit) {
                Outcome::Broken(value) if is_fresh(files, &name) => {
                    pending.push((name, sort, value));
                }
                Outcome::Broken(value) => pass.values.push(value),
                outcome => pass.take(entry, outcome),
            }
        }
    }
    pass.values.extend(pending.into_iter().map(|(_, _, value)| value));
}

/// Tells whether somebody may be writing to the file; one that cannot be asked is left alone.
fn is_fresh(files: &Files, name: &str) -> bool {
    files.mtime(name).is_ok_and(may_be_in_writing)
}
