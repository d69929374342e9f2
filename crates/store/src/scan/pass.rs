use std::io;
use std::panic;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ScopedJoinHandle};

use super::files::{Buffers, EntryType, ScanDir, ScanEntry};
use super::listing::{self, BATCH, ScanBatch};
use super::{Chunk, ScanOptions, Unreadable, Visit, Visitor};

/// With fewer files, threads cost more than they save.
const THREADS_THRESHOLD: usize = 1000;

/// The result for one file.
pub(super) enum FileOutcome<T> {
    Done(T),
    Broken(T),
    Failed(io::Error),
    Vanished,
}

/// The results for many files.
pub(super) struct Pass<T> {
    pub(super) values: Vec<T>,
    pub(super) broken: Vec<(String, EntryType, T)>,
    pub(super) unreadable: Vec<Unreadable>,
}

impl<T> Pass<T> {
    fn new() -> Self {
        Self { values: Vec::new(), broken: Vec::new(), unreadable: Vec::new() }
    }

    pub(super) fn take(&mut self, entry: ScanEntry<'_>, outcome: FileOutcome<T>) {
        match outcome {
            FileOutcome::Done(value) => self.values.push(value),
            FileOutcome::Broken(value) => {
                self.broken.push((entry.name.to_owned(), entry.kind, value));
            }
            FileOutcome::Failed(source) => {
                self.unreadable.push(Unreadable { name: entry.name.into(), source });
            }
            FileOutcome::Vanished => {}
        }
    }

    fn add(&mut self, mut more: Self) {
        self.values.append(&mut more.values);
        self.broken.append(&mut more.broken);
        self.unreadable.append(&mut more.unreadable);
    }
}

/// Reads every file of the directory once.
///
/// Other threads start to read while this one lists the directory; then it reads too.
pub(super) fn read_all<T: Send>(
    files: &ScanDir,
    options: &ScanOptions<'_>,
    threads: usize,
    visit: &Visitor<'_, T>,
) -> io::Result<Pass<T>> {
    let (send, receive) = channel();
    let receive = Mutex::new(receive);
    let work = || read_batches(files, options.first, &receive, visit);
    thread::scope(|scope| {
        let mut others = Vec::new();
        let mut listed = 0;
        let unreadable = listing::list(files, options, |batch| {
            listed += BATCH;
            // The receiver outlives the sender, so sending cannot fail.
            drop(send.send(batch));
            if listed > THREADS_THRESHOLD && others.is_empty() {
                others.extend((1..threads).map(|_| scope.spawn(work)));
            }
        });
        drop(send);
        let mut all = work();
        for other in others {
            all.add(joined(other));
        }
        all.unreadable.extend(unreadable?);
        Ok(all)
    })
}

fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| panic::resume_unwind(panic))
}

/// Reads one batch after another until there are no more.
fn read_batches<T>(
    files: &ScanDir,
    first: usize,
    batches: &Mutex<Receiver<ScanBatch>>,
    visit: &Visitor<'_, T>,
) -> Pass<T> {
    let mut buffers = Buffers::new(first);
    let mut pass = Pass::new();
    loop {
        let batch = batches.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(batch) = batch else {
            return pass;
        };
        for entry in batch.entries() {
            let outcome = read_one(files, entry, &mut buffers, visit);
            pass.take(entry, outcome);
        }
    }
}

/// Reads as much of one file as the visitor needs.
pub(super) fn read_one<T>(
    files: &ScanDir,
    entry: ScanEntry<'_>,
    buffers: &mut Buffers,
    visit: &Visitor<'_, T>,
) -> FileOutcome<T> {
    match try_read(files, entry, buffers, visit) {
        Ok(Visit::Done(value)) => FileOutcome::Done(value),
        Ok(Visit::Broken(value)) => FileOutcome::Broken(value),
        Ok(Visit::More) => FileOutcome::Failed(io::ErrorKind::UnexpectedEof.into()),
        Err(error) if error.kind() == io::ErrorKind::NotFound && !files.has(entry) => {
            FileOutcome::Vanished
        }
        Err(error) => FileOutcome::Failed(error),
    }
}

fn try_read<T>(
    files: &ScanDir,
    entry: ScanEntry<'_>,
    buffers: &mut Buffers,
    visit: &Visitor<'_, T>,
) -> io::Result<Visit<T>> {
    let file = files.open_file(entry)?;
    let (bytes, whole) = buffers.read_head(&file)?;
    match visit(entry.name, Chunk { bytes, whole }) {
        Visit::More if !whole => {
            let bytes = buffers.read_rest(&file)?;
            Ok(visit(entry.name, Chunk { bytes, whole: true }))
        }
        visited => Ok(visited),
    }
}
