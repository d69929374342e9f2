//! Reads what is not indexed.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use skein_index::{Found, Matcher};
use skein_store::{Chunk, ScanError, Visit, scan};

use super::facts::{Around, Facts};
use super::folder::{Folder, id};
use super::query::Query;
use super::thread::Thread;
use super::values::{Value, values};
use crate::discover::Workspace;
use crate::filter::Filter;
use crate::kind::Kind;
use crate::progress::Progress;
use crate::settings::Settings;
use crate::work::States;

/// Below this many files a second thread costs more than it saves.
const WORTH_THREADS: usize = 64;

/// A thread that matches, and was read for it.
#[derive(Debug)]
pub(super) struct Scanned {
    pub(super) name: String,
    pub(super) found: Found,
    /// When it was last changed, in milliseconds.
    pub(super) time: i64,
    /// Why nothing is known of it but its name.
    pub(super) unreadable: Option<String>,
}

/// A query, made ready to judge many threads.
pub(super) struct Judge<'a> {
    query: &'a Query,
    matcher: Matcher,
    /// What the filter asks of the head of the facts.
    of_head: Filter,
    /// What became of the checkpoints of each workspace.
    states: Vec<(Arc<Workspace>, States)>,
}

impl<'a> Judge<'a> {
    pub(super) fn new(query: &'a Query, states: Vec<(Arc<Workspace>, States)>) -> Self {
        let (matcher, of_head) = (Matcher::new(&query.clauses), query.filter.of_head());
        Self { query, matcher, of_head, states }
    }

    /// Returns what became of the checkpoints of a folder; none where their files say all.
    pub(super) fn states(&self, folder: &Folder) -> Option<&States> {
        let own = |(workspace, _): &&(Arc<Workspace>, States)| {
            Arc::ptr_eq(workspace, &folder.workspace) && folder.kind() == Kind::Checkpoint
        };
        let (_, states) = self.states.iter().find(own)?;
        (!states.is_empty()).then_some(states)
    }

    pub(super) fn matcher(&self) -> &Matcher {
        &self.matcher
    }

    /// Returns false where a look at the bytes tells that the thread cannot match.
    pub(super) fn may_match(&self, id: &str, bytes: &[u8]) -> bool {
        self.matcher.may_match_any(&[bytes, id.as_bytes()])
    }

    /// Returns what was found in a thread; none where it does not match.
    pub(super) fn judge(&self, values: &[Value<'_>]) -> Option<Found> {
        self.matcher.judge(values.iter().map(Value::text))
    }

    /// Returns whether a thread with these facts is meant, that was last changed at a time.
    pub(super) fn passes<'t>(
        &self,
        facts: &(impl Iterator<Item = Cow<'t, str>> + Clone),
        time: i64,
        around: Around<'_>,
    ) -> bool {
        let pass = |filter: &Filter| Facts::pass(facts.clone(), time, filter, around);
        pass(&self.query.filter) && !self.query.except.iter().any(pass)
    }

    /// Returns whether a thread with these facts passes as far as their head tells.
    pub(super) fn head_passes<'t>(
        &self,
        facts: impl Iterator<Item = Cow<'t, str>>,
        settings: &Settings,
    ) -> bool {
        Facts::pass(facts, 0, &self.of_head, Around { settings, states: None })
    }

    /// Returns whether the filters ask for more than the head of the facts tells.
    pub(super) fn asks_more(&self) -> bool {
        self.query.filter != self.of_head || !self.query.except.is_empty()
    }

    /// Returns whether the filters ask for more than a kind.
    pub(super) fn asks(&self) -> bool {
        self.query.filter.asks() || !self.query.except.is_empty()
    }

    /// Judges a thread that was read.
    pub(super) fn scanned(
        &self,
        name: &str,
        thread: &Thread<'_>,
        around: Around<'_>,
    ) -> Option<Scanned> {
        let passes = || self.passes(&Facts::of(thread).texts(), thread.time(), around);
        let meant = !self.asks() || (thread.is_readable() && passes());
        let found = meant.then(|| self.judge(&values(thread))).flatten()?;
        let (name, time) = (name.to_owned(), thread.time());
        Some(Scanned { name, found, time, unreadable: None })
    }
}

/// What a scan of a whole folder gave.
pub(super) struct Scan {
    pub(super) matches: Vec<Scanned>,
    /// How many threads there are.
    pub(super) threads: usize,
}

/// Reads every thread of a folder.
pub(super) fn scan_all(
    folder: &Folder,
    judge: &Judge<'_>,
    progress: &dyn Progress,
) -> Result<Scan, ScanError> {
    let states = judge.states(folder);
    let (done, is_heard) = (AtomicUsize::new(0), progress.is_heard());
    let visit = |name: &str, chunk: Chunk<'_>| {
        if !chunk.whole {
            return Visit::More;
        }
        if is_heard {
            progress.step(done.fetch_add(1, Ordering::Relaxed), 0);
        }
        if !judge.may_match(id(name), chunk.bytes) {
            let whole = folder.looks_whole(chunk.bytes);
            return if whole { Visit::Done(None) } else { Visit::Broken(None) };
        }
        let thread = folder.thread(name, chunk.bytes);
        let scanned = judge.scanned(name, &thread, Around::new(folder, states, name));
        // Most files do not match, and something small is kept of each.
        let scanned = scanned.filter(|_| !folder.hides(name)).map(Box::new);
        if thread.is_usable() { Visit::Done(scanned) } else { Visit::Broken(scanned) }
    };
    let scan = scan(&folder.dir, &folder.options(), &visit)?;
    let threads = scan.values.len() + scan.unreadable.len();
    let mut matches: Vec<_> = scan.values.into_iter().flatten().map(|scanned| *scanned).collect();
    for file in scan.unreadable {
        matches.extend(unreadable(folder, &file.name, file.source.to_string(), judge));
    }
    Ok(Scan { matches, threads })
}

/// Judges files with names that no command can take.
pub(super) fn scan_odd(folder: &Folder, names: &[OsString], judge: &Judge<'_>) -> Vec<Scanned> {
    let why = || io::Error::from(io::ErrorKind::InvalidFilename).to_string();
    names.iter().filter_map(|name| unreadable(folder, name, why(), judge)).collect()
}

/// Judges a file by its name alone.
fn unreadable(folder: &Folder, name: &OsStr, why: String, judge: &Judge<'_>) -> Option<Scanned> {
    let name = name.to_string_lossy();
    let around = Around::new(folder, None, &name);
    let mut scanned = judge.scanned(&name, &folder.unknown(&name), around)?;
    scanned.unreadable = Some(why);
    Some(scanned)
}

/// Reads some threads of a folder.
pub(super) fn scan_some(folder: &Folder, names: &[String], judge: &Judge<'_>) -> Vec<Scanned> {
    let threads = match names.len() {
        0..WORTH_THREADS => 1,
        _ => thread::available_parallelism().map_or(1, NonZero::get),
    };
    let each = names.len().div_ceil(threads).max(1);
    thread::scope(|scope| {
        let parts: Vec<_> = names.chunks(each).collect();
        let others = parts.get(1..).unwrap_or_default();
        let others: Vec<_> =
            others.iter().map(|part| scope.spawn(|| read_each(folder, part, judge))).collect();
        let mut all = parts.first().map(|part| read_each(folder, part, judge)).unwrap_or_default();
        for other in others {
            all.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        all
    })
}

fn read_each(folder: &Folder, names: &[String], judge: &Judge<'_>) -> Vec<Scanned> {
    let states = judge.states(folder);
    let judged = |name: &String| {
        let id = id(name);
        let bytes = folder.bytes(name);
        let is_other = |bytes: &Vec<u8>| !judge.may_match(id, bytes) && folder.looks_whole(bytes);
        if bytes.as_ref().is_some_and(is_other) {
            return None;
        }
        let around = Around::new(folder, states, name);
        let judge = |thread: &Thread<'_>| judge.scanned(name, thread, around);
        folder.with_thread(name, bytes.as_deref(), judge)?.filter(|_| !folder.hides(name))
    };
    names.iter().filter_map(judged).collect()
}
