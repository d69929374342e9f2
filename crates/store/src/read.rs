use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::SystemTime;

use rustix::fs::{Mode, OFlags, open};

use crate::fs::{EntryKind, Fs};
use crate::limit::check_len;
use crate::retry::{RETRY_DELAYS, may_be_in_writing};
use crate::revision::Revision;
use crate::stage;

/// The content of a document at one time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The content of the file.
    pub bytes: Vec<u8>,
    /// The revision of those bytes, to pass to a later replacement.
    pub revision: Revision,
}

/// Why a document cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// There is no such file.
    #[error("no such file: {}", path.display())]
    NotFound {
        /// The file that was requested.
        path: PathBuf,
        /// The underlying error.
        source: io::Error,
    },
    /// The path is a directory, a device, a pipe or a socket.
    #[error("not a regular file: {}", path.display())]
    NotAFile {
        /// The path that was requested.
        path: PathBuf,
    },
    /// The file exists and cannot be read.
    #[error("cannot read {}", path.display())]
    Io {
        /// The file that was requested.
        path: PathBuf,
        /// The underlying error.
        source: io::Error,
    },
}

impl ReadError {
    /// Returns why the file cannot be read, without its path.
    pub fn reason(&self) -> String {
        match self {
            Self::NotFound { source, .. } | Self::Io { source, .. } => source.to_string(),
            Self::NotAFile { .. } => "not a regular file".to_owned(),
        }
    }
}

/// Reads a document once, even if it is being written.
pub fn read(path: &Path) -> Result<Snapshot, ReadError> {
    Ok(snapshot(load(path)?.0))
}

/// Reads a document that another program may be rewriting in place.
///
/// A document that is empty or not `usable` is read again for up to 250 ms, unless it has not
/// changed for a second. The last content is returned even if it is not usable.
pub fn read_stable(path: &Path, usable: &dyn Fn(&[u8]) -> bool) -> Result<Snapshot, ReadError> {
    let (mut bytes, mut mtime) = load(path)?;
    for delay in RETRY_DELAYS {
        if !may_be_in_writing(mtime) || (!bytes.is_empty() && usable(&bytes)) {
            break;
        }
        thread::sleep(delay);
        (bytes, mtime) = load(path)?;
    }
    Ok(snapshot(bytes))
}

/// Reads a document through `fs` like [`read_stable`], and returns the result of `make`.
///
/// For documents that are too large to be parsed twice only to check whether they are usable.
pub fn read_settled<T>(
    fs: &dyn Fs,
    path: &Path,
    make: &dyn Fn(Vec<u8>) -> T,
    usable: &dyn Fn(&T) -> bool,
) -> Result<T, ReadError> {
    let (bytes, mut mtime) = load_through(fs, path)?;
    let mut made = make(bytes);
    for delay in RETRY_DELAYS {
        if usable(&made) || !may_be_in_writing(mtime) {
            break;
        }
        thread::sleep(delay);
        let bytes;
        (bytes, mtime) = load_through(fs, path)?;
        made = make(bytes);
    }
    Ok(made)
}

fn load_through(fs: &dyn Fs, path: &Path) -> Result<(Vec<u8>, SystemTime), ReadError> {
    let (target, meta) = stage::follow(fs, path).map_err(|source| failed(path, source))?;
    if meta.kind != EntryKind::File {
        return Err(ReadError::NotAFile { path: path.to_owned() });
    }
    check_len(meta.len).map_err(|source| failed(path, source))?;
    Ok((fs.read(&target).map_err(|source| failed(path, source))?, meta.mtime))
}

fn load(path: &Path) -> Result<(Vec<u8>, SystemTime), ReadError> {
    let failed = |source| failed(path, source);
    // Without NONBLOCK, opening a pipe would wait for a writer.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let mut file =
        File::from(open(path, flags, Mode::empty()).map_err(|errno| failed(errno.into()))?);
    let meta = file.metadata().map_err(failed)?;
    if !meta.is_file() {
        return Err(ReadError::NotAFile { path: path.to_owned() });
    }
    check_len(meta.len()).map_err(failed)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(failed)?;
    Ok((bytes, meta.modified().map_err(failed)?))
}

fn snapshot(bytes: Vec<u8>) -> Snapshot {
    let revision = Revision::from_bytes(&bytes);
    Snapshot { bytes, revision }
}

fn failed(path: &Path, source: io::Error) -> ReadError {
    let path = path.to_owned();
    if source.kind() == io::ErrorKind::NotFound {
        ReadError::NotFound { path, source }
    } else {
        ReadError::Io { path, source }
    }
}
