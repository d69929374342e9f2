//! The baselines of a list: open, read whole and close the same files on as many threads.

use std::fs::File;
use std::io::{self, Read as _};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use rustix::buffer::spare_capacity;
use rustix::fs::{Mode, OFlags, open};

use crate::Outcome;
use crate::timing::timed;

/// How many files a thread takes at a time.
const BATCH: usize = 256;
/// More than any file of a corpus has.
const ROOM: usize = 64 * 1024;

/// A way to read a file into a buffer that was used before.
pub(super) type Read = fn(&Path, &mut Vec<u8>) -> io::Result<usize>;

/// Reads a file the usual way.
pub(super) fn to_end(path: &Path, buffer: &mut Vec<u8>) -> io::Result<usize> {
    File::open(path)?.read_to_end(buffer)
}

/// Reads a file with three calls of the system, the least there is; it asks for no size and no end.
pub(super) fn at_once(path: &Path, buffer: &mut Vec<u8>) -> io::Result<usize> {
    let file = open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
    Ok(rustix::io::read(file, spare_capacity(buffer))?)
}

/// Times the reading of every file.
pub(super) fn timed_read(paths: &[PathBuf], read: Read) -> Outcome<Duration> {
    let (time, bytes) = timed(|| each(paths, read, <[u8]>::len));
    match bytes? {
        0 => Err("there was nothing to read".into()),
        _ => Ok(time),
    }
}

/// Reads every file on all processors, and adds up what `count` says of each.
pub(super) fn each(
    paths: &[PathBuf],
    read: Read,
    count: impl Fn(&[u8]) -> usize + Sync,
) -> io::Result<usize> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        let work = || each_of_share(paths, &next, read, &count);
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut sum = work()?;
        for other in others {
            let died = |_| io::Error::other("a thread of the baseline died");
            sum += other.join().map_err(died)??;
        }
        Ok(sum)
    })
}

fn each_of_share(
    paths: &[PathBuf],
    next: &AtomicUsize,
    read: Read,
    count: impl Fn(&[u8]) -> usize,
) -> io::Result<usize> {
    let mut buffer = Vec::with_capacity(ROOM);
    let mut sum = 0;
    while let Some(batch) = paths.chunks(BATCH).nth(next.fetch_add(1, Ordering::Relaxed)) {
        for path in batch {
            buffer.clear();
            read(path, &mut buffer)?;
            sum += count(&buffer);
        }
    }
    Ok(sum)
}
