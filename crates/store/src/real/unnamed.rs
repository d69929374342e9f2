//! Creates an unnamed file to find out whether a sandbox allows creating files.

use std::path::Path;

/// Returns whether creating a file in a directory is refused, although its permissions allow it.
///
/// Some sandboxes refuse only the creation itself. An unnamed file leaves nothing behind and
/// triggers no watcher.
#[cfg(target_os = "linux")]
pub(super) fn is_refused(dir: &Path) -> bool {
    use rustix::fs::{Mode, OFlags, open};
    use rustix::io::Errno;
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let created = open(dir, flags, Mode::RUSR | Mode::WUSR);
    // Any other error means that the file system does not support unnamed files.
    matches!(created, Err(Errno::ACCESS | Errno::PERM | Errno::ROFS))
}

/// On other systems the permissions are sufficient.
#[cfg(not(target_os = "linux"))]
pub(super) fn is_refused(_dir: &Path) -> bool {
    false
}
