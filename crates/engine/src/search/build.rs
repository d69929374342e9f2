//! Brings an index up to date.

use std::collections::HashMap;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde::Serialize;
use skein_index::{DocId, Index, IndexError, Record, Snapshot, Stamp, Writer};
use skein_store::{Trace, Walk, walk};

use super::facts::Facts;
use super::folder::{Folder, stamp};
use super::fresh::slots;
use super::searcher::Searcher;
use super::thread::Thread;
use super::values::{Value, values};
use crate::progress::Progress;

/// How much memory the threads that write an index may use together, before they write a part of it.
const MEMORY: usize = 128 * 1024 * 1024;

/// What became of the index of a folder.
#[derive(Debug, Serialize)]
pub struct Built {
    /// The folder of the threads.
    pub folder: PathBuf,
    /// How many threads it has.
    pub threads: usize,
    /// How many of them were read.
    pub read: usize,
    /// What was done: `built`, `updated`, `unchanged`, `small` (too few threads for an index), `busy` (another program
    /// writes it).
    pub action: &'static str,
}

/// Brings the indexes of all places up to date.
///
/// A place with fewer threads than `least` gets none; [`super::WORTH_INDEX`] is what pays. Whoever writes to one already is left
/// to it.
pub fn build(
    searcher: &Searcher,
    least: usize,
    progress: &dyn Progress,
) -> Vec<Result<Built, IndexError>> {
    let build = |folder| match build_one(folder, least, progress) {
        Err(error) if error.is_damage() => {
            Index::discard(&folder.cache);
            build_one(folder, least, progress)
        }
        built => built,
    };
    searcher.folders().map(build).collect()
}

fn build_one(folder: &Folder, least: usize, progress: &dyn Progress) -> Result<Built, IndexError> {
    let walk = walk(&folder.dir, &folder.options()).unwrap_or_default();
    let done =
        |read, action| Built { folder: folder.dir.clone(), threads: walk.len(), read, action };
    if walk.len() < least {
        return Ok(done(0, "small"));
    }
    let writer = match Writer::open(&folder.cache, MEMORY) {
        Err(IndexError::Locked { .. }) => return Ok(done(0, "busy")),
        writer => writer?,
    };
    let base = writer.base().cloned();
    if let Some(base) = base.as_ref().filter(|base| !base.is_empty()) {
        drop(base.facts(0)?);
    }
    let kept = match &base {
        Some(base) => slots(&walk, base),
        None => vec![None; walk.len()],
    };
    let same = kept.iter().flatten().count();
    if base.as_ref().is_some_and(|base| same == walk.len() && same == base.len() as usize) {
        return Ok(done(0, "unchanged"));
    }
    let new = Adding { folder, writer: &writer, progress }.add_all(&walk, &kept)?;
    let action = if base.is_some() { "updated" } else { "built" };
    let read = new.len();
    writer.commit(records(&walk, &kept, base.as_deref(), &new))?;
    Ok(done(read, action))
}

/// A thread that was added to an index.
struct New {
    stamp: Option<Stamp>,
    time: i64,
    facts: Facts,
    doc: DocId,
}

/// What an index keeps of each file, in the order of the directory.
fn records<'a>(
    walk: &'a Walk,
    kept: &'a [Option<u32>],
    base: Option<&'a Snapshot>,
    new: &'a HashMap<usize, New>,
) -> impl Iterator<Item = Record<'a>> {
    let record = move |(number, ((name, _), slot)): (usize, ((&'a str, _), &Option<u32>))| {
        if let (Some(slot), Some(base)) = (*slot, base) {
            let (stamp, time) = (base.stamp(slot), base.time(slot));
            let facts = base.facts(slot).map(Iterator::collect).unwrap_or_default();
            return Some(Record { name, stamp, time, facts, doc: base.doc(slot) });
        }
        let New { stamp, time, facts, doc } = new.get(&number)?;
        Some(Record { name, stamp: *stamp, time: *time, facts: facts.texts().collect(), doc: *doc })
    };
    walk.iter().zip(kept).enumerate().filter_map(record)
}

/// Adds threads to an index, on all processors.
struct Adding<'a> {
    folder: &'a Folder,
    writer: &'a Writer,
    progress: &'a dyn Progress,
}

impl Adding<'_> {
    /// Reads and adds what is not in the index; what it gives is by the place in the directory.
    fn add_all(
        &self,
        walk: &Walk,
        kept: &[Option<u32>],
    ) -> Result<HashMap<usize, New>, IndexError> {
        let files = walk.iter().zip(kept).enumerate();
        let files: Vec<_> = files
            .filter_map(|(number, ((name, trace), slot))| match (slot, trace) {
                (None, Some(trace)) => Some((number, name, trace)),
                _ => None,
            })
            .collect();
        let next = AtomicUsize::new(0);
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        thread::scope(|scope| {
            let workers: Vec<_> =
                (0..threads).map(|_| scope.spawn(|| self.add_some(&files, &next))).collect();
            let mut all = HashMap::with_capacity(files.len());
            for worker in workers {
                let added = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                all.extend(added?);
            }
            Ok(all)
        })
    }

    fn add_some(
        &self,
        files: &[(usize, &str, Trace)],
        next: &AtomicUsize,
    ) -> Result<Vec<(usize, New)>, IndexError> {
        let mut all = Vec::new();
        while let Some((number, name, trace)) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            let add = |thread: &Thread<'_>| {
                Ok::<_, IndexError>(New {
                    stamp: trace.is_settled().then(|| stamp(*trace)),
                    time: thread.time(),
                    facts: Facts::of(thread),
                    doc: self.writer.add(values(thread).iter().map(Value::text))?,
                })
            };
            let bytes = self.folder.bytes(name);
            if let Some(new) = self.folder.with_thread(name, bytes.as_deref(), add) {
                all.push((*number, new?));
            }
            self.progress.step(next.load(Ordering::Relaxed).min(files.len()), files.len());
        }
        Ok(all)
    }
}
