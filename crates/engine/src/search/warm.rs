//! Keeps indexes up to date while a program runs for long.

use std::thread;
use std::time::{Duration, Instant};

use skein_store::{Kind, Target, Watch, watch};

use super::build::build;
use super::searcher::Searcher;
use super::worth::WORTH_INDEX;

/// Writes that follow each other more closely are one.
const QUIET: Duration = Duration::from_millis(50);
/// Changes have settled when none has followed for so long.
const CALM: Duration = Duration::from_secs(3);
/// Where changes never cease, an index is brought up to date so often all the same.
const LATEST: Duration = Duration::from_secs(60);
/// The system may lose a report of a change, so that one looks now and then.
const RECHECK: Duration = Duration::from_secs(600);

/// Keeps the indexes of all places up to date, in a thread of its own that ends with the program.
///
/// To make one from nothing takes memory that is not given back, so that `begin` may have that done elsewhere before. A
/// crash in the middle leaves the index as it was.
pub fn keep_warm(searcher: Searcher, begin: impl FnOnce() + Send + 'static) {
    thread::spawn(move || {
        let mut watch = start(&searcher);
        begin();
        loop {
            // What cannot be written today may be tomorrow; until then searches read the files.
            drop(build(&searcher, WORTH_INDEX, &()));
            rest(&mut watch);
        }
    });
}

/// Watches the folders; none where the system grants no watch.
fn start(searcher: &Searcher) -> Option<Watch> {
    let targets = searcher.folders().map(|folder| Target {
        dir: folder.dir.clone(),
        kind: Kind::Review,
        accepts: |name| name.ends_with(".md") || name.ends_with(".json"),
    });
    watch(targets.collect(), QUIET).ok()
}

/// Returns when something has changed and no more follows.
fn rest(watch: &mut Option<Watch>) {
    if !has_changed(watch, RECHECK) {
        return;
    }
    let first = Instant::now();
    while first.elapsed() < LATEST && has_changed(watch, CALM) {}
}

fn has_changed(watch: &mut Option<Watch>, time: Duration) -> bool {
    match watch.as_mut().map(|watch| watch.recv(time)) {
        Some(Ok(changes)) => changes.is_some(),
        Some(Err(_)) => {
            *watch = None;
            false
        }
        None => {
            thread::sleep(time);
            false
        }
    }
}
