//! A file without a name, to find out whether a sandbox lets files be created.

use std::path::Path;

/// Returns whether creating a file in a directory is refused, although its permissions allow it.
///
/// Some sandboxes refuse only when a file is created. A file without a name leaves nothing behind and wakes no watcher.
#[cfg(target_os = "linux")]
pub(super) fn is_refused(dir: &Path) -> bool {
    use rustix::fs::{Mode, OFlags, open};
    use rustix::io::Errno;
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let created = open(dir, flags, Mode::RUSR | Mode::WUSR);
    // Any other error means that the file system has no such files.
    matches!(created, Err(Errno::ACCESS | Errno::PERM | Errno::ROFS))
}

/// Elsewhere the permissions say it all.
#[cfg(not(target_os = "linux"))]
pub(super) fn is_refused(_dir: &Path) -> bool {
    false
}
