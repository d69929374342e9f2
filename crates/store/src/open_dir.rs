use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use rustix::fs::{
    AtFlags, Dir, FileType, FlockOperation, Mode, OFlags, flock, open, openat, unlinkat,
};
use rustix::io::Errno;

use crate::fs::LockHandle;
use crate::limit::{MAX_DOCUMENT_BYTES, check_len};
use crate::lock::{LockError, retry};
use crate::read::ReadError;
use crate::remove::RemoveError;
use crate::revision::Revision;

/// A directory that another party can write, held by a handle.
///
/// Every path is relative to the handle and is opened component by component. No symlink is
/// followed, also not one that concurrently replaces a directory.
#[derive(Debug)]
pub struct OpenDir {
    handle: File,
    path: PathBuf,
}

const DIRECTORY: OFlags =
    OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW);
/// Pipes and devices are opened without blocking.
const READ: OFlags = OFlags::RDONLY
    .union(OFlags::CLOEXEC)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::NOFOLLOW);

impl OpenDir {
    /// Opens a directory that is not a symlink; its parents may be.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        // With a slash or a dot at the end of the path, the system follows a link in spite of the flag.
        let path: PathBuf = path.components().collect();
        let handle =
            open(&path, DIRECTORY, Mode::empty()).map_err(|errno| refusal(&path, errno))?;
        Ok(Self { handle: handle.into(), path })
    }

    /// Returns the path with which it was opened, for messages and watches.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the handle.
    pub(crate) fn as_fd(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }

    /// Makes the entries of the directory durable.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.handle.sync_all()
    }

    /// Returns the metadata of the directory.
    pub fn metadata(&self) -> io::Result<std::fs::Metadata> {
        self.handle.metadata()
    }

    /// Opens a directory below.
    pub fn dir(&self, below: impl AsRef<Path>) -> Result<Self, ReadError> {
        let below = below.as_ref();
        let path = self.path.join(below);
        let failed = |errno| refusal(&path, errno);
        let mut at = self.reopen().map_err(failed)?;
        for part in below.components() {
            at = openat(&at, plain(part).map_err(failed)?, DIRECTORY, Mode::empty())
                .map_err(failed)?;
        }
        Ok(Self { handle: at.into(), path })
    }

    /// Returns the names in it that are UTF-8, in no particular order.
    pub fn names(&self) -> Result<Vec<String>, ReadError> {
        let failed = |errno| refusal(&self.path, errno);
        let entries = Dir::read_from(&self.handle).map_err(failed)?;
        let mut names = Vec::new();
        for entry in entries {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name().to_str();
            names.extend(name.ok().filter(|name| !matches!(*name, "." | "..")).map(str::to_owned));
        }
        Ok(names)
    }

    /// Reads a regular file below, if it is not too large for a document.
    pub fn read(&self, below: impl AsRef<Path>) -> Result<Vec<u8>, ReadError> {
        let (parent, name) = self.parent(below.as_ref())?;
        read_entry(&parent, &name, &self.path.join(&below))
    }

    /// Removes a file below, if it still has these bytes.
    ///
    /// The caller holds the lock of the directory; a program that ignores it can lose what it
    /// writes at the same moment.
    pub fn remove(&self, below: impl AsRef<Path>, bytes: &[u8]) -> Result<(), RemoveError> {
        let path = self.path.join(&below);
        let failed = |source| RemoveError::Failed { path: path.clone(), kept: None, source };
        // The file is removed from the directory in which it was read, also if another one has its name by then.
        let (parent, name) =
            self.parent(below.as_ref()).map_err(|error| failed(io::Error::other(error)))?;
        let found = read_entry(&parent, &name, &path);
        let found = found.map_err(|error| failed(io::Error::other(error)))?;
        if found != bytes {
            let found = Some(Revision::from_bytes(&found));
            return Err(RemoveError::Conflict { path, found, kept: None });
        }
        unlinkat(&parent, &*name, AtFlags::empty()).map_err(|errno| failed(errno.into()))
    }

    /// Removes a directory below, if it is empty.
    pub fn remove_dir(&self, below: impl AsRef<Path>) -> Result<(), ReadError> {
        let path = self.path.join(&below);
        let (parent, name) = self.parent(below.as_ref())?;
        unlinkat(&parent, &*name, AtFlags::REMOVEDIR).map_err(|errno| refusal(&path, errno))
    }

    /// Takes the lock of the directory, the same as [`lock`](crate::lock()), and retries for about
    /// `timeout`.
    pub fn lock(&self, timeout: Duration) -> Result<LockHandle, LockError> {
        retry(&self.path, timeout, || {
            // A lock belongs to one opening of the directory.
            let handle = File::from(self.reopen()?);
            flock(&handle, FlockOperation::NonBlockingLockExclusive)?;
            Ok(Box::new(handle) as LockHandle)
        })
    }

    /// Returns whether there is a regular file below.
    pub fn has_file(&self, below: impl AsRef<Path>) -> bool {
        let is_file = |(parent, name): (OwnedFd, String)| {
            let stat = rustix::fs::statat(&parent, &*name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
            Some(FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile)
        };
        self.parent(below.as_ref()).ok().and_then(is_file).unwrap_or(false)
    }

    /// Opens the directory of a path below, and returns it with the last name.
    fn parent(&self, below: &Path) -> Result<(OwnedFd, String), ReadError> {
        let failed = |errno| refusal(&self.path.join(below), errno);
        let name = below.components().next_back().ok_or(Errno::INVAL).and_then(plain);
        let name = name.map_err(failed)?.to_owned();
        let parent = self.dir(below.parent().unwrap_or(Path::new("")))?;
        Ok((parent.handle.into(), name))
    }

    fn reopen(&self) -> Result<OwnedFd, Errno> {
        openat(self.handle.as_fd(), ".", DIRECTORY, Mode::empty())
    }
}

/// Reads a regular file of a directory; `path` is for messages.
fn read_entry(parent: &OwnedFd, name: &str, path: &Path) -> Result<Vec<u8>, ReadError> {
    let path = path.to_owned();
    let failed = |source| ReadError::Io { path: path.clone(), source };
    let file = match openat(parent, name, READ, Mode::empty()) {
        Ok(file) => File::from(file),
        // The errors of opening a socket, or a device without a driver.
        Err(Errno::NXIO | Errno::NODEV) => return Err(ReadError::NotAFile { path }),
        Err(errno) => return Err(refusal(&path, errno)),
    };
    let meta = file.metadata().map_err(failed)?;
    if !meta.is_file() {
        return Err(ReadError::NotAFile { path });
    }
    check_len(meta.len()).map_err(failed)?;
    let mut bytes = Vec::new();
    // The file may grow while it is read. A part of it must not be taken for the whole.
    file.take(MAX_DOCUMENT_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    check_len(u64::try_from(bytes.len()).unwrap_or(u64::MAX)).map_err(failed)?;
    Ok(bytes)
}

/// Returns the name of a component that does not leave the directory.
fn plain(part: Component<'_>) -> Result<&str, Errno> {
    match part {
        Component::Normal(name) => name.to_str().ok_or(Errno::INVAL),
        _ => Err(Errno::INVAL),
    }
}

fn refusal(path: &Path, errno: Errno) -> ReadError {
    let path = path.to_owned();
    match errno {
        Errno::NOENT => ReadError::NotFound { path, source: errno.into() },
        errno => ReadError::Io { path, source: errno.into() },
    }
}
