//! A journal keeps every line that was appended, whenever the power is cut.

use std::path::Path;
use std::time::Duration;

use skein_store::{Journal, JournalError, lock};
use skein_testkit::SimFs;

const DIR: &str = "/state";
const FILE: &str = "/state/journal.jsonl";

fn disk() -> SimFs {
    SimFs::new().with_dir(Path::new(DIR)).with_file(Path::new(FILE), b"old\n")
}

/// Starts a journal and appends two lines; returns the number of lines that are promised to survive.
fn run(sim: &SimFs) -> Result<usize, (usize, JournalError)> {
    let guard = lock(sim, Path::new(DIR), Duration::ZERO).unwrap();
    let mut journal =
        Journal::start(sim, &guard, Path::new(FILE), b"new\n").map_err(|error| (0, error))?;
    journal.append(b"one\n").map_err(|error| (1, error))?;
    journal.append(b"two\n").map_err(|error| (2, error))?;
    assert_eq!(journal.size(), 12);
    Ok(3)
}

#[test]
fn a_power_cut_leaves_the_old_journal_or_every_promised_line() {
    let whole = disk();
    assert_eq!(run(&whole).unwrap(), 3);
    // The lock is the first operation.
    for number in 1..=whole.operations() {
        let sim = disk();
        sim.cut_after(number);
        let promised = match run(&sim) {
            Ok(promised) | Err((promised, _)) => promised,
        };
        for files in sim.survivors() {
            let text = String::from_utf8(files[Path::new(FILE)].clone()).unwrap();
            if promised == 0 && text == "old\n" {
                continue;
            }
            let complete: String =
                ["new\n", "one\n", "two\n"].iter().take(promised).copied().collect();
            assert!(text.starts_with(&complete), "{text:?} without {complete:?}");
            assert!("new\none\ntwo\n".starts_with(&text), "{text:?}");
        }
    }
}

#[test]
fn a_journal_that_cannot_be_started_leaves_the_old_one() {
    let whole = disk();
    run(&whole).unwrap();
    for number in 2..=whole.operations() {
        let sim = disk();
        sim.fail_at(number, 28);
        if let Err((0, _)) = run(&sim) {
            let text = &sim.files()[Path::new(FILE)];
            assert!(text == b"old\n" || text == b"new\n");
            assert_eq!(sim.files().len(), 1, "no temporary file is left");
        }
    }
}
