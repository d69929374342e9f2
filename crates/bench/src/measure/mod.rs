//! The measurements.

pub(crate) mod growth;
mod list;
pub(crate) mod memory;
mod search;
mod serve;
mod session;
mod work;
mod write;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use skein_catalog::WorktreeScope;
use skein_format::time::Time;
use skein_model::Filter;
use skein_model::view::{Listing, ThreadRow};
use skein_store::Dirs;
use skein_workspace::{Clock, Env, IdGenerator, discover};

use crate::Outcome;
use crate::corpus::{Corpora, ThreadKind};
use crate::program::Skein;
use crate::table::ResultRow;
use crate::timing::timed;

/// What every measurement needs.
pub(crate) struct Bench {
    pub(crate) corpora: Corpora,
    /// The numbers of threads, the smallest first, at least one.
    pub(crate) sizes: Vec<usize>,
    pub(crate) skein: Skein,
}

impl Bench {
    fn largest(&self) -> usize {
        self.sizes.last().copied().unwrap_or_default()
    }
}

/// Rows that are measured together.
pub(crate) struct Group {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) measure: fn(&Bench) -> Outcome<Vec<ResultRow>>,
}

pub(crate) const GROUPS: [Group; 6] = [
    Group { name: "list", title: "Lists", measure: list::rows },
    Group { name: "search", title: "Search", measure: search::rows },
    Group { name: "session", title: "Session map", measure: session::rows },
    Group { name: "write", title: "Writing", measure: write::rows },
    Group { name: "work", title: "One thread, checkpoints, hooks", measure: work::rows },
    Group { name: "serve", title: "Pages", measure: serve::rows },
];

/// Returns a time that is later than every time in a corpus.
fn now() -> Time {
    Time::from_millis(1_800_000_000_000)
}

/// How many files a thread of the baseline takes at a time.
const BATCH: usize = 256;

/// Returns the environment of a user without settings whose current directory is `root`.
fn env(root: &Path) -> Env {
    Env {
        dir: root.to_owned(),
        home: Some(root.to_owned()),
        config_home: None,
        dirs: Dirs::new(root.join("state"), root.join("cache")),
        variables: BTreeMap::new(),
        users: vec![skein_store::current_user()],
        fs: std::sync::Arc::new(skein_store::RealFs),
        deadline_factor: 1,
        clock: Clock::new(now),
        ids: IdGenerator::seeded("bench"),
    }
}

/// Lists the threads of a kind, with discovery.
fn list_threads(root: &Path, kind: ThreadKind) -> Listing<Box<ThreadRow>> {
    let env = env(root);
    let kind = match kind {
        ThreadKind::Review => skein_model::Kind::Review,
        ThreadKind::Checkpoint => skein_model::Kind::Checkpoint,
    };
    let filter = Filter { kind: Some(kind), ..Filter::default() };
    skein_catalog::list(&discover(&env), &env, &filter, WorktreeScope::ThisWorktree)
}

/// Reads all files on all processors, and returns the time.
fn read_all(paths: &[PathBuf]) -> Outcome<Duration> {
    let next = AtomicUsize::new(0);
    let read = || -> io::Result<usize> {
        let (mut buffer, mut bytes) = (Vec::with_capacity(64 * 1024), 0);
        while let Some(batch) = paths.chunks(BATCH).nth(next.fetch_add(1, Ordering::Relaxed)) {
            for path in batch {
                buffer.clear();
                bytes += File::open(path)?.read_to_end(&mut buffer)?;
            }
        }
        Ok(bytes)
    };
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let (time, bytes) = timed(|| {
        thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(read)).collect();
            let panicked = |_| io::Error::other("a thread of the baseline panicked");
            others.into_iter().try_fold(read()?, |sum, other| {
                Ok::<_, io::Error>(sum + other.join().map_err(panicked)??)
            })
        })
    });
    check(bytes? > 0, "the corpus is empty", time)
}

/// Returns the time if the result is as expected.
fn check(is_expected: bool, message: &str, time: Duration) -> Outcome<Duration> {
    if is_expected { Ok(time) } else { Err(message.into()) }
}
