pub(crate) mod files;
pub(crate) mod listing;
mod pass;
mod settle;

use std::ffi::OsString;
use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread;

use self::files::ScanDir;

/// What to read of a directory, and how.
#[derive(Clone, Copy, Debug)]
pub struct ScanOptions<'a> {
    /// What a file's name must end in.
    pub suffix: &'a str,
    /// Which of those names to read.
    pub keep: fn(&str) -> bool,
    /// How many bytes of a file to read before the visitor is asked whether it needs more.
    pub first: usize,
    /// How many threads to use in a large directory; `None` for as many as there are processors.
    pub threads: Option<NonZero<usize>>,
}

/// The beginning of a file, or all of it.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'a> {
    /// What was read so far, from the first byte on.
    pub bytes: &'a [u8],
    /// Whether that is known to be the whole file.
    pub whole: bool,
}

/// What a visitor says about a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visit<T> {
    /// The whole file is needed; not an answer to a chunk that is whole.
    More,
    /// All that is needed of this file.
    Done(T),
    /// The file makes no sense, perhaps because a program is rewriting it.
    ///
    /// A file that was written to within the last second is read again until it is `Done`, for
    /// up to 250 ms for all such files together; then the last value is kept.
    Broken(T),
}

/// A file that cannot be read, is not a regular file, or has a name that is not UTF-8.
#[derive(Debug)]
pub struct Unreadable {
    /// The file's name.
    pub name: OsString,
    /// What the system said.
    pub source: io::Error,
}

/// The outcome of a scan.
#[derive(Debug)]
pub struct Scan<T> {
    /// What the visitor made of the files, in no particular order.
    pub values: Vec<T>,
    /// The files that cannot be read, in no particular order.
    pub unreadable: Vec<Unreadable>,
    /// Whether there is no such directory.
    pub missing: bool,
}

/// The directory cannot be listed.
#[derive(Debug, thiserror::Error)]
#[error("cannot list {}", dir.display())]
pub struct ScanError {
    /// The directory.
    pub dir: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

/// The function that a scan calls with the name of each file and what was read of it.
pub type Visitor<'a, T> = dyn Fn(&str, Chunk<'_>) -> Visit<T> + Sync + 'a;

/// Reads the files of one directory, not of those below it.
///
/// A symlink is followed when it leads to a regular file. A file that is deleted during the scan is
/// skipped; one that cannot be read becomes a separate item.
pub fn scan<T: Send>(
    dir: &Path,
    options: &ScanOptions<'_>,
    visit: &Visitor<'_, T>,
) -> Result<Scan<T>, ScanError> {
    let failed = |source| ScanError { dir: dir.to_owned(), source };
    let files = match ScanDir::open(dir) {
        Ok(files) => files,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(Scan { values: Vec::new(), unreadable: Vec::new(), missing: true });
        }
        Err(error) => return Err(failed(error)),
    };
    let threads = options.threads.or_else(|| thread::available_parallelism().ok());
    let threads = threads.map_or(1, NonZero::get);
    let mut pass = pass::read_all(&files, options, threads, visit).map_err(failed)?;
    settle::settle(&files, &mut pass, visit);
    Ok(Scan { values: pass.values, unreadable: pass.unreadable, missing: false })
}
