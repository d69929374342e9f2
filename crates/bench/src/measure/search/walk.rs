//! The baseline of a look whether anything changed: the names in a directory and the state of each file, on two threads.

use std::ffi::CString;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::fs::{AtFlags, Mode, OFlags, RawDir, StatxFlags, open, statx};

use crate::Outcome;
use crate::timing::timed;

/// How many names are handed over at a time.
const BATCH: usize = 512;
/// What is asked of a file: when its content and its state changed, how large it is, and which one it is.
const WANTED: StatxFlags =
    StatxFlags::MTIME.union(StatxFlags::CTIME).union(StatxFlags::SIZE).union(StatxFlags::INO);

/// Times a look at every file of a directory, of which there must be so many.
pub(super) fn timed_walk(dir: &Path, files: usize) -> Outcome<Duration> {
    let (time, found) = timed(|| walk(dir));
    match found? == files {
        true => Ok(time),
        false => Err(format!("{} does not hold {files} files", dir.display()).into()),
    }
}

/// One thread lists the names while the other one looks at the files; what is left when all are listed, both look at.
fn walk(dir: &Path) -> Outcome<usize> {
    let dir = open(dir, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    let dir = dir.as_fd();
    let (sender, receiver) = channel();
    let receiver = Mutex::new(receiver);
    thread::scope(|scope| {
        let other = scope.spawn(|| look(dir, &receiver));
        let mut buffer = [MaybeUninit::uninit(); 64 * 1024];
        let mut names = RawDir::new(dir, &mut buffer);
        let mut batch = Vec::with_capacity(BATCH);
        while let Some(entry) = names.next() {
            let entry = entry?;
            if entry.file_name().to_bytes().starts_with(b".") {
                continue;
            }
            batch.push(entry.file_name().to_owned());
            if batch.len() == BATCH {
                sender.send(std::mem::replace(&mut batch, Vec::with_capacity(BATCH)))?;
            }
        }
        sender.send(batch)?;
        drop(sender);
        let own = look(dir, &receiver)?;
        let others = other.join().map_err(|_| "a thread of the baseline died")?;
        Ok(own + others?)
    })
}

fn look(dir: BorrowedFd<'_>, names: &Mutex<Receiver<Vec<CString>>>) -> rustix::io::Result<usize> {
    let mut files = 0;
    // The lock is not held while files are looked at.
    let next = || names.lock().unwrap_or_else(PoisonError::into_inner).recv();
    while let Ok(batch) = next() {
        for name in &batch {
            statx(dir, name, AtFlags::SYMLINK_NOFOLLOW, WANTED)?;
        }
        files += batch.len();
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::put;

    #[test]
    fn every_file_is_seen() {
        let dir = tempfile::tempdir().unwrap();
        for number in 0..2_000 {
            put(&dir.path().join(format!("{number}.md")), b"").unwrap();
        }
        assert_eq!(walk(dir.path()).unwrap(), 2_000);
        assert!(timed_walk(dir.path(), 1_999).is_err());
        assert!(walk(&dir.path().join("none")).is_err());
    }
}
