mod held_dir;
mod unnamed;

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, FileType, OpenOptions, Permissions};
use std::io::{self, Read, Write as _};
use std::os::unix::fs::{
    DirBuilderExt as _, FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _,
    PermissionsExt as _, fchown,
};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::{Access, CWD, FlockOperation, OFlags, access, flock};
use rustix::process::{Resource, getrlimit};
use tracing::debug;

use crate::fs::{EntryKind, Fs, LockHandle, Meta, NewFile};
use crate::open_dir::OpenDir;
use crate::platform::{change_time, file_id};
use crate::stamp;
use held_dir::HeldDirFs;

/// The file system of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealFs;

impl Fs for RealFs {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let mut file = open_file(path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn holds(&self, path: &Path, bytes: &[u8]) -> io::Result<bool> {
        let file = open_file(path)?;
        let len = file.metadata()?.len();
        if u64::try_from(bytes.len()).is_ok_and(|expected| expected != len) {
            return Ok(false);
        }
        is_rest(file, bytes)
    }

    fn metadata(&self, path: &Path) -> io::Result<Meta> {
        Ok(Meta::from(&fs::symlink_metadata(path)?))
    }

    fn canonicalize(&self, path: &Path) -> io::Result<PathBuf> {
        fs::canonicalize(path)
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<OsString>> {
        fs::read_dir(dir)?.map(|entry| Ok(entry?.file_name())).collect()
    }

    fn create(&self, path: &Path, mode: u32) -> io::Result<Box<dyn NewFile>> {
        let file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path);
        Ok(Box::new(RealFile(logged("create", path, file)?)))
    }

    #[expect(clippy::disallowed_methods, reason = "the write paths are built from this one rename")]
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        logged("replace", to, fs::rename(from, to))
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        let renamed = match rename::no_replace((CWD, from), (CWD, to)) {
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                fs::hard_link(from, to).and_then(|()| fs::remove_file(from))
            }
            done => done,
        };
        logged("rename to", to, renamed)
    }

    fn exchange(&self, a: &Path, b: &Path) -> io::Result<()> {
        logged("exchange", b, rename::exchange((CWD, a), (CWD, b)))
    }

    fn unlink(&self, path: &Path) -> io::Result<()> {
        logged("remove", path, fs::remove_file(path))
    }

    fn can_write(&self, dir: &Path) -> bool {
        let Some(dir) = dir.ancestors().find(|dir| dir.is_dir()) else { return false };
        let permitted = access(dir, Access::WRITE_OK | Access::EXEC_OK).is_ok();
        permitted && !unnamed::is_refused(dir)
    }

    fn make_dir(&self, path: &Path, mode: u32) -> io::Result<()> {
        logged("create directory", path, DirBuilder::new().mode(mode).create(path))
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        logged("sync directory", dir, File::open(dir).and_then(|dir| dir.sync_all()))
    }

    fn holding(&self, root: &Path, below: &Path) -> io::Result<Option<Box<dyn Fs>>> {
        let dir = OpenDir::open(root).and_then(|root| root.dir(below)).map_err(io::Error::other)?;
        Ok(Some(Box::new(HeldDirFs::new(dir))))
    }

    fn try_lock(&self, dir: &Path) -> io::Result<LockHandle> {
        Ok(Box::new(logged("lock", dir, lock_dir(dir))?))
    }
}

/// Opens a regular file for reading.
///
/// Another program may have put a pipe in its place since it was looked at; opening one waits for its writer.
fn open_file(path: &Path) -> io::Result<File> {
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let flags = i32::try_from(flags.bits()).expect("the flags of a system call are an int");
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let kind = file.metadata()?.file_type();
    // Reading a directory fails with an error of its own.
    if kind.is_file() || kind.is_dir() { Ok(file) } else { Err(not_a_file(path)) }
}

fn not_a_file(path: &Path) -> io::Error {
    let message = format!("not a regular file: {}", path.display());
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

fn lock_dir(dir: &Path) -> io::Result<File> {
    let held = File::open(dir)?;
    flock(&held, FlockOperation::NonBlockingLockExclusive)?;
    let (ours, named) = (held.metadata()?, fs::metadata(dir)?);
    // The directory may have been replaced while waiting; a lock on a directory without a name
    // protects nothing.
    if file_id(&ours) != file_id(&named) {
        return Err(io::ErrorKind::WouldBlock.into());
    }
    Ok(held)
}

/// Logs an operation that changes something: the path, but never the content.
fn logged<T>(operation: &str, path: &Path, result: io::Result<T>) -> io::Result<T> {
    match &result {
        Ok(_) => debug!("{operation} {}", path.display()),
        Err(error) => debug!("{operation} {} failed: {error}", path.display()),
    }
    result
}

/// The size of the pieces that are compared; one that fits the CPU cache is several times faster
/// than a second copy.
const PIECE: usize = 128 * 1024;

/// Returns whether the rest of the file equals the bytes.
fn is_rest(mut file: impl Read, mut bytes: &[u8]) -> io::Result<bool> {
    let mut piece = vec![0; PIECE.min(bytes.len() + 1)];
    loop {
        let read = match file.read(&mut piece) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        if read == 0 {
            return Ok(bytes.is_empty());
        }
        match piece.get(..read).and_then(|piece| bytes.strip_prefix(piece)) {
            Some(rest) => bytes = rest,
            None => return Ok(false),
        }
    }
}

/// A file created by [`RealFs`].
pub(crate) struct RealFile(pub(crate) File);

impl NewFile for RealFile {
    fn adopt(&mut self, like: &Meta) -> io::Result<()> {
        let ours = self.0.metadata()?;
        if (ours.uid(), ours.gid()) != (like.uid, like.gid) {
            // Only root can change the owner, but any user can set one of their own groups.
            permitted(fchown(&self.0, None, Some(like.gid)))?;
            permitted(fchown(&self.0, Some(like.uid), None))?;
        }
        // Last, because changing the owner clears the set-id bits.
        self.0.set_permissions(Permissions::from_mode(like.mode))
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        stay_below_limit(&self.0, bytes.len())?;
        self.0.write_all(bytes)
    }

    fn date_back(&mut self) -> io::Result<()> {
        let written = self.0.metadata()?.modified()?;
        match written.checked_sub(Duration::from_nanos(1)) {
            Some(earlier) => self.0.set_modified(earlier),
            None => Ok(()),
        }
    }

    fn set_modified(&mut self, mtime: SystemTime) -> io::Result<()> {
        self.0.set_modified(mtime)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.0.sync_all()
    }
}

/// Ignores a permission error: a file with another owner is better than none.
fn permitted(change: io::Result<()>) -> io::Result<()> {
    match change {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        done => done,
    }
}

impl From<&fs::Metadata> for Meta {
    fn from(meta: &fs::Metadata) -> Self {
        Self {
            kind: EntryKind::from(meta.file_type()),
            mode: meta.mode() & 0o7777,
            uid: meta.uid(),
            gid: meta.gid(),
            len: meta.len(),
            inode: meta.ino(),
            // Without modification times, every file counts as old.
            mtime: meta.modified().unwrap_or(std::time::UNIX_EPOCH),
            ctime: stamp::time(change_time(meta)),
        }
    }
}

impl From<FileType> for EntryKind {
    fn from(kind: FileType) -> Self {
        if kind.is_symlink() {
            Self::Symlink
        } else if kind.is_dir() {
            Self::Dir
        } else if kind.is_fifo()
            || kind.is_socket()
            || kind.is_block_device()
            || kind.is_char_device()
        {
            Self::Other
        } else {
            Self::File
        }
    }
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
pub(crate) mod rename {
    use std::io;
    use std::os::fd::BorrowedFd;
    use std::path::Path;

    use rustix::fs::{RenameFlags, renameat_with};
    use rustix::io::Errno;

    /// A path, and the directory that it is relative to.
    type Entry<'a> = (BorrowedFd<'a>, &'a Path);

    pub(crate) fn no_replace(from: Entry<'_>, to: Entry<'_>) -> io::Result<()> {
        rename(from, to, RenameFlags::NOREPLACE)
    }

    pub(crate) fn exchange(a: Entry<'_>, b: Entry<'_>) -> io::Result<()> {
        rename(a, b, RenameFlags::EXCHANGE)
    }

    fn rename(from: Entry<'_>, to: Entry<'_>, flags: RenameFlags) -> io::Result<()> {
        renameat_with(from.0, from.1, to.0, to.1, flags).map_err(|errno| {
            // A file system that does not support the flag reports it as invalid; for two plain
            // names of one directory there is no other cause.
            let unknown = [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP, Errno::OPNOTSUPP];
            if unknown.contains(&errno) { io::ErrorKind::Unsupported.into() } else { errno.into() }
        })
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
pub(crate) mod rename {
    use std::io;
    use std::os::fd::BorrowedFd;
    use std::path::Path;

    type Entry<'a> = (BorrowedFd<'a>, &'a Path);

    pub(crate) fn no_replace(_from: Entry<'_>, _to: Entry<'_>) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn exchange(_a: Entry<'_>, _b: Entry<'_>) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Returns an error if the write exceeds the user's file size limit: the system would kill the
/// process before it can clean up.
fn stay_below_limit(file: &File, more: usize) -> io::Result<()> {
    let limit = getrlimit(Resource::Fsize).current;
    let size = file.metadata()?.len().saturating_add(u64::try_from(more).unwrap_or(u64::MAX));
    match limit {
        Some(limit) if size > limit => Err(io::Error::from(io::ErrorKind::FileTooLarge)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::{PIECE, is_rest};

    #[test]
    fn bytes_are_compared_with_the_whole_file() {
        let long: Vec<u8> = (0..=255).cycle().take(2 * PIECE + 7).collect();
        let check = |file: &[u8], bytes: &[u8]| is_rest(file, bytes).unwrap();
        for bytes in [&long[..], &long[..PIECE], &long[..1], &[]] {
            assert!(check(bytes, bytes));
            assert!(!check(&[bytes, b"x"].concat(), bytes));
            assert!(!check(bytes, &[bytes, b"x"].concat()));
        }
        let mut other = long.clone();
        other[PIECE] ^= 1;
        assert!(!check(&long, &other));
    }
}
