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

/// Below this many files a second thread costs more than it saves.
const THREADS_THRESHOLD: usize = 1000;

/// The coarsest steps in which a file system counts time; two writes within one may look like one.
const STEP: Duration = Duration::from_secs(2);

/// Shows without reading a file whether it was written since.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Trace {
    /// When it was last written to, in nanoseconds.
    pub modified: i64,
    /// When anything about it was last changed, in nanoseconds; no program can set this one.
    pub changed: i64,
    /// Its length.
    pub size: u64,
    /// Its number in the file system.
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

    /// Returns whether no write can follow that would leave the same trace.
    pub fn is_settled(&self) -> bool {
        let parts = (self.changed / SECOND, self.changed % SECOND);
        age(time(parts)) > STEP
    }
}

const SECOND: i64 = 1_000_000_000;

fn nanos(seconds: i64, nanos: i64) -> i64 {
    seconds.saturating_mul(SECOND).saturating_add(nanos)
}

/// The files of a directory, in its own order, which stays the same while none comes or goes.
#[derive(Debug, Default)]
pub struct DirListing {
    names: String,
    files: Vec<(usize, Option<Trace>)>,
    /// Names that are not UTF-8.
    pub not_utf8: Vec<OsString>,
}

impl DirListing {
    /// Returns how many files there are.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Gives each file's name and its trace; none for anything but a regular file, and for files that cannot be examined.
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

/// Looks at the files of one directory without reading them; a missing one has none.
///
/// Two threads ask the system while the directory is still being listed.
pub fn list_files(dir: &Path, options: &ScanOptions<'_>) -> Result<DirListing, ScanError> {
    let failed = |source| ScanError { dir: dir.to_owned(), source };
    let files = match ScanDir::open(dir) {
        Ok(files) => files,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(DirListing::default()),
        Err(error) => return Err(failed(error)),
    };
    let threads = options.threads.or_else(|| thread::available_parallelism().ok());
    look_at_all(&files, options, threads.map_or(1, NonZero::get)).map_err(failed)
}

/// The results of a batch of names, with its position among the others.
struct Looked {
    number: usize,
    batch: ScanBatch,
    traces: Vec<Look>,
}

enum Look {
    At(Option<Trace>),
    Vanished,
}

fn look_at_all(
    files: &ScanDir,
    options: &ScanOptions<'_>,
    threads: usize,
) -> io::Result<DirListing> {
    let (send, receive) = channel();
    let receive = Mutex::new(receive);
    let work = || look_at_batches(files, &receive);
    thread::scope(|scope| {
        let mut others = Vec::new();
        let mut number = 0;
        let not_utf8 = listing::list(files, options, |batch| {
            // The receiver outlives the sender, so that a batch always arrives.
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

fn look_at_batches(files: &ScanDir, batches: &Mutex<Receiver<(usize, ScanBatch)>>) -> Vec<Looked> {
    let mut all = Vec::new();
    loop {
        let batch = batches.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((number, batch)) = batch else {
            return all;
        };
        let traces = batch.entries().map(|entry| look(files, entry.name, entry.kind)).collect();
        all.push(Looked { number, batch, traces });
    }
}

fn look(files: &ScanDir, name: &str, kind: EntryType) -> Look {
    if kind == EntryType::Special {
        return Look::At(None);
    }
    match statat(files.fd(), name, AtFlags::empty()) {
        Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile => {
            Look::At(Some(Trace::from_stat(&stat)))
        }
        Ok(_) => Look::At(None),
        Err(_) if kind == EntryType::Unknown => Look::At(None),
        Err(error) if error == rustix::io::Errno::NOENT => Look::Vanished,
        Err(_) => Look::At(None),
    }
}

fn in_order(mut all: Vec<Looked>, not_utf8: Vec<OsString>) -> DirListing {
    all.sort_unstable_by_key(|looked| looked.number);
    let mut walk = DirListing { not_utf8, ..DirListing::default() };
    walk.files.reserve(all.len() * BATCH);
    for looked in &all {
        for (entry, look) in looked.batch.entries().zip(&looked.traces) {
            if let Look::At(trace) = look {
                walk.push(entry.name, *trace);
            }
        }
    }
    walk
}
