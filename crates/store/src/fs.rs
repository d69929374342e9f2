use std::any::Any;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The file system operations behind every write path.
///
/// Each method is one step that a power cut may fall before or after. [`RealFs`](crate::RealFs)
/// passes them to the system; a test may pass them to a simulation that forgets what was not
/// synced.
pub trait Fs: Send + Sync {
    /// Reads a whole file, through symlinks.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// Returns whether a file holds these bytes and no others, through symlinks.
    fn holds(&self, path: &Path, bytes: &[u8]) -> io::Result<bool> {
        Ok(self.read(path)? == bytes)
    }

    /// Describes the entry itself; a symlink is not followed.
    fn metadata(&self, path: &Path) -> io::Result<Meta>;

    /// Returns the path without symlinks; fails with `NotFound` when the last one dangles.
    fn canonicalize(&self, path: &Path) -> io::Result<PathBuf>;

    /// Lists the names in a directory, in no particular order.
    fn list(&self, dir: &Path) -> io::Result<Vec<OsString>>;

    /// Creates an empty file that must not exist, with `mode` less the umask.
    fn create(&self, path: &Path, mode: u32) -> io::Result<Box<dyn NewFile>>;

    /// Moves `from` to `to`, and replaces what is there.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Moves `from` to `to`; fails with `AlreadyExists` when something is there.
    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Exchanges two names in one step; fails with `Unsupported` where the system cannot.
    fn exchange(&self, a: &Path, b: &Path) -> io::Result<()>;

    /// Removes the name of a file.
    fn unlink(&self, path: &Path) -> io::Result<()>;

    /// Creates one directory, with `mode` less the umask.
    fn make_dir(&self, path: &Path, mode: u32) -> io::Result<()>;

    /// Makes the entries of a directory durable.
    fn sync_dir(&self, dir: &Path) -> io::Result<()>;

    /// Returns whether files can be created in a directory, or in the nearest existing one above it.
    ///
    /// Nothing is changed to find out.
    fn can_write(&self, _dir: &Path) -> bool {
        true
    }

    /// Takes the exclusive lock of a directory, or fails with `WouldBlock` when another holds it.
    fn try_lock(&self, dir: &Path) -> io::Result<Held>;
}

impl fmt::Debug for dyn Fs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fs")
    }
}

/// A file that was just created and is not yet in its final place.
pub trait NewFile {
    /// Gives the file the mode of `like`, and its owner and group as far as the system permits.
    fn adopt(&mut self, like: &Meta) -> io::Result<()>;

    /// Appends all of `bytes`.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Dates the data back by the smallest step, so that it is older than the last change of the file.
    ///
    /// A file that is written in place has equal times, which tells the two apart.
    fn date_back(&mut self) -> io::Result<()>;

    /// Sets when the data was last written.
    fn set_modified(&mut self, mtime: SystemTime) -> io::Result<()>;

    /// Makes the file's data durable; its name is another matter.
    fn sync(&mut self) -> io::Result<()>;
}

/// Holds a lock until it is dropped.
pub type Held = Box<dyn Any + Send + Sync>;

/// What is known about a directory entry.
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
    /// When the data was last written.
    pub mtime: SystemTime,
    /// When the data, the name or the mode was last changed.
    pub ctime: SystemTime,
}

/// The kinds of directory entries that a write path tells apart.
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
