use std::ffi::OsString;
use std::io;
use std::num::NonZero;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::fs::{AtFlags, FileType, Stat, statat};

use crate::retry::age;
use crate::scan::files::{EntryType, ScanDir};
use crate::scan::listing::{self, BATCH, ScanBatch};
use crate::scan::{ScanError, ScanOptions};
use crate::stamp::time;

/// With fewer files, threads cost more than they save.
const THREADS_THRESHOLD: usize = 1000;

/// The coarsest resolution of file times; two writes within it may have equal times.
const STEP: Duration = Duration::from_secs(2);

/// Detects without reading a file whether it was modified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Trace {
    /// The modification time, in nanoseconds since 1970.
    pub modified: i64,
    /// The change time, in nanoseconds since 1970; programs cannot set it.
    pub changed: i64,
    /// Its length.
    pub size: u64,
    /// Its inode number.
    pub inode: u64,
}

impl Trace {
    fn from_stat(stat: &Stat) -> Self {
        Self {
            modified: nanos(stat.st_mtime, stat.st_mtime_nsec.try_into().unwrap_or_default()),
            changed: nanos(stat.st_ctime, stat.st_ctime_nsec.try_into().unwrap_or_default()),
            size: u64::try_from(stat.st_size).unwrap_or_default(),
            inode: stat.st_ino,
        }
    }

    /// Returns whether no later write can have the same trace.
    pub fn is_settled(&self) -> bool {
        let parts = (self.changed / SECOND, self.changed % SECOND);
        age(time(parts)) > STEP
    }
}

const SECOND: i64 = 1_000_000_000;

fn nanos(seconds: i64, nanos: i64) -> i64 {
    seconds.saturating_mul(SECOND).saturating_add(nanos)
}

/// The files of a directory, in directory order, which does not change while no file is added or
/// removed.
#[derive(Debug, Default)]
pub struct DirListing {
    names: String,
    files: Vec<(usize, Option<Trace>)>,
    /// Names that are not UTF-8.
    pub not_utf8: Vec<OsString>,
}

impl DirListing {
    /// Returns the number of files.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Returns whether there are no files.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns the name of each file and its trace; `None` for anything but a regular file, and for
    /// files whose metadata cannot be read.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Option<Trace>)> {
        let mut start = 0;
        self.files.iter().map(move |&(end, trace)| {
            let name = self.names.get(start..end).unwrap_or_default();
            start = end;
            (name, trace)
        })
    }

    fn push(&mut self, name: &str, trace: Option<Trace>) {
        self.names.push_str(name);
        self.files.push((self.names.len(), trace));
    }
}

/// Lists the files of one directory with their metadata; empty if it does not exist.
///
/// In a large directory, other threads read metadata while this one lists.
pub fn list_files(dir: &Path, options: &ScanOptions<'_>) -> Result<DirListing, ScanError> {
    let failed = |source| ScanError { dir: dir.to_owned(), source };
    let files = match ScanDir::open(dir) {
        Ok(files) => files,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(DirListing::default()),
        Err(error) => return Err(failed(error)),
    };
    let threads = options.threads.or_else(|| thread::available_parallelism().ok());
    stat_all(&files, options, threads.map_or(1, NonZero::get)).map_err(failed)
}

/// The results for a batch of names, with its number.
struct BatchResult {
    number: usize,
    batch: ScanBatch,
    traces: Vec<StatResult>,
}

enum StatResult {
    At(Option<Trace>),
    Vanished,
}

fn stat_all(files: &ScanDir, options: &ScanOptions<'_>, threads: usize) -> io::Result<DirListing> {
    let (send, receive) = channel();
    let receive = Mutex::new(receive);
    let work = || stat_batches(files, &receive);
    thread::scope(|scope| {
        let mut others = Vec::new();
        let mut number = 0;
        let not_utf8 = listing::list(files, options, |batch| {
            // The receiver outlives the sender, so sending cannot fail.
            drop(send.send((number, batch)));
            number += 1;
            if number * BATCH > THREADS_THRESHOLD && others.is_empty() {
                others.extend((1..threads).map(|_| scope.spawn(work)));
            }
        });
        drop(send);
        let mut all = work();
        for other in others {
            all.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        let not_utf8 = not_utf8?.into_iter().map(|file| file.name).collect();
        Ok(in_order(all, not_utf8))
    })
}

fn stat_batches(
    files: &ScanDir,
    batches: &Mutex<Receiver<(usize, ScanBatch)>>,
) -> Vec<BatchResult> {
    let mut all = Vec::new();
    loop {
        let batch = batches.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((number, batch)) = batch else {
            return all;
        };
        let traces =
            batch.entries().map(|entry| stat_file(files, entry.name, entry.kind)).collect();
        all.push(BatchResult { number, batch, traces });
    }
}

fn stat_file(files: &ScanDir, name: &str, kind: EntryType) -> StatResult {
    if kind == EntryType::Special {
        return StatResult::At(None);
    }
    match statat(files.fd(), name, AtFlags::empty()) {
        Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile => {
            StatResult::At(Some(Trace::from_stat(&stat)))
        }
        Ok(_) => StatResult::At(None),
        Err(_) if kind == EntryType::Unknown => StatResult::At(None),
        Err(error) if error == rustix::io::Errno::NOENT => StatResult::Vanished,
        Err(_) => StatResult::At(None),
    }
}

fn in_order(mut all: Vec<BatchResult>, not_utf8: Vec<OsString>) -> DirListing {
    all.sort_unstable_by_key(|result| result.number);
    let mut walk = DirListing { not_utf8, ..DirListing::default() };
    walk.files.reserve(all.len() * BATCH);
    for result in &all {
        for (entry, stat) in result.batch.entries().zip(&result.traces) {
            if let StatResult::At(trace) = stat {
                walk.push(entry.name, *trace);
            }
        }
    }
    walk
}
