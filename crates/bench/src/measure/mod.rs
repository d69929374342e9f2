//! The measurements.

pub(crate) mod growth;
mod list;
mod lsp;
mod mcp;
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
use skein_format::session::Mode;
use skein_format::time::Time;
use skein_model::view::{Listing, ThreadRow};
use skein_model::{Filter, Kind};
use skein_sessions::{MapPath, SessionMap};
use skein_store::Dirs;
use skein_workspace::{Clock, Env, IdGenerator, discover};

use crate::Outcome;
use crate::corpus::{Corpora, Corpus};
use crate::program::Skein;
use crate::table::ResultRow;
use crate::timing::timed;

/// The data that all measurements use.
pub(crate) struct Bench {
    pub(crate) corpora: Corpora,
    /// The sizes of the corpora, the smallest first; at least one.
    pub(crate) sizes: Vec<usize>,
    pub(crate) skein: Skein,
}

impl Bench {
    fn largest(&self) -> usize {
        self.sizes.last().copied().unwrap_or_default()
    }

    /// Returns the corpora of a kind, the smallest first.
    fn all_threads(&self, kind: Kind) -> Outcome<Vec<Corpus>> {
        self.sizes.iter().map(|size| self.corpora.threads(kind, *size)).collect()
    }
}

/// The name of a group, its title, and the function that measures its rows.
type Group = (&'static str, &'static str, fn(&Bench) -> Outcome<Vec<ResultRow>>);

pub(crate) const GROUPS: [Group; 8] = [
    ("list", "Lists", list::rows),
    ("search", "Search", search::rows),
    ("session", "Session map", session::rows),
    ("write", "Writing", write::rows),
    ("work", "One thread, checkpoints, hooks", work::rows),
    ("serve", "Pages", serve::rows),
    ("mcp", "MCP server", mcp::rows),
    ("lsp", "Language server", lsp::rows),
];

/// Returns a time that is later than every time in a corpus.
fn now() -> Time {
    Time::from_millis(1_800_000_000_000)
}

/// The number of files that a thread of the baseline reads at a time.
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
        clock: Clock::new(now),
        ids: IdGenerator::seeded("bench"),
    }
}

/// Lists the threads of a kind, including the discovery of the workspace.
fn list_threads(root: &Path, kind: Kind) -> Listing<Box<ThreadRow>> {
    let env = env(root);
    let filter = Filter { kind: Some(kind), ..Filter::default() };
    skein_catalog::list(&discover(&env), &filter, WorktreeScope::ThisWorktree)
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

/// Returns the time, or an error if the result is not as expected.
fn check(is_expected: bool, message: &str, time: Duration) -> Outcome<Duration> {
    if is_expected { Ok(time) } else { Err(message.into()) }
}

/// Runs `list ROOT`, `load MAP` or `save MAP STAGED`, and prints the peak memory of this process.
pub(crate) fn run_action(args: &[PathBuf]) -> Outcome<()> {
    let args: Vec<&Path> = args.iter().map(PathBuf::as_path).collect();
    match (args.first().and_then(|action| action.to_str()), args.get(1..).unwrap_or_default()) {
        (Some("list"), [root]) => drop(list_threads(root, Kind::Review)),
        (Some("load"), [file]) => {
            SessionMap::load(&MapPath::named(file), Mode::Strict)?.entries();
        }
        (Some("save"), [file, staged]) => drop(session::save_map(file, staged)?),
        _ => return Err("unknown action".into()),
    }
    println!("{}", memory::peak(std::process::id())?);
    Ok(())
}
