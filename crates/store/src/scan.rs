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

/// Which files of a directory to read, and how.
#[derive(Clone, Copy)]
pub struct ScanOptions<'a> {
    /// The required suffix of the file names.
    pub suffix: &'a str,
    /// Which of those names to read.
    pub keep: &'a (dyn Fn(&str) -> bool + Sync),
    /// The number of bytes to read before the visitor is asked whether it needs more.
    pub first: usize,
    /// The number of threads for a large directory; `None` for the number of processors.
    pub threads: Option<NonZero<usize>>,
}

/// The beginning of a file, or all of it.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'a> {
    /// The bytes read so far, from the start of the file.
    pub bytes: &'a [u8],
    /// Whether this is known to be the whole file.
    pub whole: bool,
}

/// The response of a visitor to a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visit<T> {
    /// The whole file is needed; not valid for a chunk that is whole.
    More,
    /// The result for this file.
    Done(T),
    /// The file is invalid, perhaps because another program is rewriting it.
    ///
    /// A file that was modified within the last second is read again until it is `Done`, for up to
    /// 250 ms for all such files together; then the last value is used.
    Broken(T),
}

/// A file that cannot be read, is not a regular file, or has a name that is not UTF-8.
#[derive(Debug)]
pub struct Unreadable {
    /// The file's name.
    pub name: OsString,
    /// The underlying error.
    pub source: io::Error,
}

/// The outcome of a scan.
#[derive(Debug)]
pub struct Scan<T> {
    /// The results of the visitor, in no particular order.
    pub values: Vec<T>,
    /// The files that cannot be read, in no particular order.
    pub unreadable: Vec<Unreadable>,
    /// Whether the directory does not exist.
    pub missing: bool,
}

/// The directory cannot be listed.
#[derive(Debug, thiserror::Error)]
#[error("cannot list {}", dir.display())]
pub struct ScanError {
    /// The directory.
    pub dir: PathBuf,
    /// The underlying error.
    pub source: io::Error,
}

/// The function that a scan calls with the name of each file and the bytes read.
pub type Visitor<'a, T> = dyn Fn(&str, Chunk<'_>) -> Visit<T> + Sync + 'a;

/// Reads the files of one directory, without subdirectories.
///
/// A symlink to a regular file is followed. A file that is deleted during the scan is skipped; one
/// that cannot be read is listed separately.
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
