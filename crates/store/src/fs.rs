use std::any::Any;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The file system operations of every write path.
///
/// Each method is one step; a power cut may happen before or after it. [`RealFs`](crate::RealFs)
/// uses the operating system; a test may use a simulation that loses data that was not synced.
pub trait Fs: Send + Sync {
    /// Reads a whole file, through symlinks.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// Returns whether a file contains exactly these bytes, through symlinks.
    fn holds(&self, path: &Path, bytes: &[u8]) -> io::Result<bool> {
        Ok(self.read(path)? == bytes)
    }

    /// Describes the entry itself; a symlink is not followed.
    fn metadata(&self, path: &Path) -> io::Result<Meta>;

    /// Returns the path without symlinks; fails with `NotFound` when the last one dangles.
    fn canonicalize(&self, path: &Path) -> io::Result<PathBuf>;

    /// Lists the names in a directory, in no particular order.
    fn list(&self, dir: &Path) -> io::Result<Vec<OsString>>;

    /// Creates an empty file that must not exist, with `mode` minus the umask.
    fn create(&self, path: &Path, mode: u32) -> io::Result<Box<dyn NewFile>>;

    /// Moves `from` to `to`, and replaces an existing entry.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Moves `from` to `to`; fails with `AlreadyExists` if there is an entry.
    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Exchanges two names atomically; fails with `Unsupported` if the system cannot.
    fn exchange(&self, a: &Path, b: &Path) -> io::Result<()>;

    /// Removes the name of a file.
    fn unlink(&self, path: &Path) -> io::Result<()>;

    /// Creates one directory, with `mode` minus the umask.
    fn make_dir(&self, path: &Path, mode: u32) -> io::Result<()>;

    /// Makes the entries of a directory durable.
    fn sync_dir(&self, dir: &Path) -> io::Result<()>;

    /// Returns whether files can be created in a directory, or in its nearest existing ancestor.
    ///
    /// This check has no side effects.
    fn can_write(&self, _dir: &Path) -> bool {
        true
    }

    /// Returns this file system with the entries of the directory `below` a root reached through a
    /// handle, so that no symlink that replaces the directory is followed.
    ///
    /// Fails if there is a symlink in `below`. `None` if this file system has no handles.
    fn holding(&self, _root: &Path, _below: &Path) -> io::Result<Option<Box<dyn Fs>>> {
        Ok(None)
    }

    /// Takes the exclusive lock of a directory; fails with `WouldBlock` if another process holds
    /// it.
    fn try_lock(&self, dir: &Path) -> io::Result<LockHandle>;
}

impl fmt::Debug for dyn Fs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fs")
    }
}

/// A created file that is not yet at its final path.
pub trait NewFile: Send {
    /// Sets the mode of `like`, and its owner and group as far as permitted.
    fn adopt(&mut self, like: &Meta) -> io::Result<()>;

    /// Appends all of `bytes`.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Sets the modification time back by the smallest step, so that it is earlier than the change
    /// time.
    ///
    /// For a file that is written in place the two are equal.
    fn date_back(&mut self) -> io::Result<()>;

    /// Sets the modification time.
    fn set_modified(&mut self, mtime: SystemTime) -> io::Result<()>;

    /// Makes the file's data durable, but not its name.
    fn sync(&mut self) -> io::Result<()>;
}

/// Holds a lock until it is dropped.
pub type LockHandle = Box<dyn Any + Send + Sync>;

/// The metadata of a directory entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meta {
    /// The kind of the entry itself.
    pub kind: EntryKind,
    /// The permission bits, set-id and sticky bits included.
    pub mode: u32,
    /// The owner.
    pub uid: u32,
    /// The group.
    pub gid: u32,
    /// The length in bytes.
    pub len: u64,
    /// The inode number.
    pub inode: u64,
    /// The time of the last change of the data.
    pub mtime: SystemTime,
    /// The time of the last change of the data, the name or the mode.
    pub ctime: SystemTime,
}

/// The kinds of directory entries that a write path distinguishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// A symbolic link.
    Symlink,
    /// A device, pipe or socket.
    Other,
}
