//! Queries the operating system about files and users.

use std::ffi::OsString;
use std::fs::Metadata;
use std::io;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// Returns the effective user id.
#[must_use]
pub fn current_user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Returns whether the reader of the standard output has closed it.
#[must_use]
pub fn is_output_closed() -> bool {
    let stdout = io::stdout();
    let mut fds = [PollFd::new(&stdout, PollFlags::empty())];
    let polled = poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }));
    let closed = PollFlags::ERR | PollFlags::HUP;
    polled.is_ok() && fds.iter().any(|fd| fd.revents().intersects(closed))
}

/// Returns the user id of the owner of a file.
#[must_use]
pub fn owner(meta: &Metadata) -> u32 {
    meta.uid()
}

/// Returns the device and the inode, which are equal for hard links to one file.
#[must_use]
pub fn file_id(meta: &Metadata) -> (u64, u64) {
    (meta.dev(), meta.ino())
}

/// Returns the number of hard links to a file.
#[must_use]
pub fn link_count(meta: &Metadata) -> u64 {
    meta.nlink()
}

/// Returns when the content or the metadata of a file last changed, in seconds and nanoseconds.
#[must_use]
pub fn change_time(meta: &Metadata) -> (i64, i64) {
    (meta.ctime(), meta.ctime_nsec())
}

/// Returns whether any user may execute the file.
#[must_use]
pub fn is_executable(meta: &Metadata) -> bool {
    meta.mode() & 0o111 != 0
}

/// Returns the bytes of a path.
#[must_use]
pub fn path_bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_bytes()
}

/// Returns the path with these bytes.
#[must_use]
pub fn path_from_bytes(bytes: Vec<u8>) -> PathBuf {
    PathBuf::from(OsString::from_vec(bytes))
}
