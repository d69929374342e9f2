use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Mode, OFlags, open, openat};
use rustix::io::Errno;

/// Why a file of the workspace was not opened.
#[derive(Debug, thiserror::Error)]
pub enum SafeOpenError {
    /// The path is outside the workspace, as written or through a symlink.
    #[error("is outside the workspace: {}", path.display())]
    Outside {
        /// The path below the workspace.
        path: PathBuf,
    },
    /// There is no such file.
    #[error("no such file: {}", path.display())]
    NotFound {
        /// The path below the workspace.
        path: PathBuf,
    },
    /// The path is a directory, a device, a pipe or a socket.
    #[error("not a regular file: {}", path.display())]
    NotAFile {
        /// The path below the workspace.
        path: PathBuf,
    },
    /// The file is larger than the limit of the caller.
    #[error("larger than {limit} bytes: {}", path.display())]
    TooLarge {
        /// The path below the workspace.
        path: PathBuf,
        /// The limit in bytes.
        limit: u64,
    },
    /// The file exists and cannot be read.
    #[error("cannot read {}", path.display())]
    Io {
        /// The path below the workspace.
        path: PathBuf,
        /// The underlying error.
        source: io::Error,
    },
}

/// Reads a file of the workspace at `root`, if it has at most `limit` bytes.
///
/// The file is opened as by [`open_inside`].
pub fn read_inside(root: &Path, relative: &str, limit: u64) -> Result<Vec<u8>, SafeOpenError> {
    let path = || PathBuf::from(relative);
    let file = open_inside(root, relative)?;
    let failed = |source| SafeOpenError::Io { path: path(), source };
    if file.metadata().map_err(failed)?.len() > limit {
        return Err(SafeOpenError::TooLarge { path: path(), limit });
    }
    let mut bytes = Vec::new();
    // The file may grow while it is read.
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(failed)?;
    if u64::try_from(bytes.len()).is_ok_and(|len| len > limit) {
        return Err(SafeOpenError::TooLarge { path: path(), limit });
    }
    Ok(bytes)
}

/// Opens a regular file of the workspace at `root` for reading, and never one outside of it.
///
/// Symlinks are followed if they stay inside, even if a directory is concurrently replaced by a
/// symlink. Pipes and devices are refused without blocking.
pub fn open_inside(root: &Path, relative: &str) -> Result<File, SafeOpenError> {
    let path = || PathBuf::from(relative);
    if !is_lexically_inside(relative) {
        return Err(SafeOpenError::Outside { path: path() });
    }
    let file = match beneath::open_file(root, relative) {
        Ok(Some(fd)) => File::from(fd),
        Ok(None) => walk(root, relative)?,
        Err(errno) => return Err(refusal(relative, errno)),
    };
    let meta = file.metadata().map_err(|source| SafeOpenError::Io { path: path(), source })?;
    if meta.is_file() { Ok(file) } else { Err(SafeOpenError::NotAFile { path: path() }) }
}

const READ: OFlags =
    OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

fn is_lexically_inside(relative: &str) -> bool {
    let path = Path::new(relative);
    !relative.is_empty()
        && !relative.contains('\0')
        && path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

/// Resolves every symlink, then opens the result component by component without following any.
fn walk(root: &Path, relative: &str) -> Result<File, SafeOpenError> {
    let failed = |error: io::Error| match error.raw_os_error().map(Errno::from_raw_os_error) {
        Some(errno) => refusal(relative, errno),
        None => SafeOpenError::Io { path: PathBuf::from(relative), source: error },
    };
    let root = fs::canonicalize(root).map_err(failed)?;
    let resolved = fs::canonicalize(root.join(relative)).map_err(failed)?;
    let inside = resolved
        .strip_prefix(&root)
        .map_err(|_| SafeOpenError::Outside { path: PathBuf::from(relative) })?;
    descend(&root, inside).map(File::from).map_err(|errno| refusal(relative, errno))
}

fn descend(root: &Path, inside: &Path) -> Result<OwnedFd, Errno> {
    let directory = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::DIRECTORY;
    let mut at = open(root, directory, Mode::empty())?;
    let mut parts = inside.components().peekable();
    while let Some(part) = parts.next() {
        let flags = if parts.peek().is_some() { directory } else { READ };
        at = openat(at.as_fd(), part.as_os_str(), flags | OFlags::NOFOLLOW, Mode::empty())?;
    }
    Ok(at)
}

fn refusal(relative: &str, errno: Errno) -> SafeOpenError {
    let path = PathBuf::from(relative);
    match errno {
        Errno::NOENT | Errno::NOTDIR => SafeOpenError::NotFound { path },
        // The errors of opening a socket, or a device without a driver.
        Errno::NXIO | Errno::NODEV => SafeOpenError::NotAFile { path },
        Errno::XDEV => SafeOpenError::Outside { path },
        _ => SafeOpenError::Io { path, source: errno.into() },
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
mod beneath {
    use std::os::fd::OwnedFd;
    use std::path::Path;

    use rustix::fs::{Mode, OFlags, ResolveFlags, open, openat2};
    use rustix::io::Errno;

    /// Lets the kernel keep the path inside; `None` if it cannot decide or does not support it.
    pub(super) fn open_file(root: &Path, relative: &str) -> Result<Option<OwnedFd>, Errno> {
        let directory = OFlags::PATH | OFlags::CLOEXEC | OFlags::DIRECTORY;
        let root = open(root, directory, Mode::empty())?;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        match openat2(root, relative, super::READ, Mode::empty(), resolve) {
            Ok(fd) => Ok(Some(fd)),
            // XDEV may also be an absolute symlink, whose target may be inside; AGAIN a concurrent
            // rename; the others an old kernel or a sandbox without this call.
            Err(Errno::XDEV | Errno::AGAIN | Errno::NOSYS | Errno::PERM) => Ok(None),
            Err(errno) => Err(errno),
        }
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
mod beneath {
    use std::os::fd::OwnedFd;
    use std::path::Path;

    use rustix::io::Errno;

    pub(super) fn open_file(_root: &Path, _relative: &str) -> Result<Option<OwnedFd>, Errno> {
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::{SafeOpenError, walk};
    use std::os::unix::fs::symlink;

    /// The fallback must give the same results as `openat2`.
    #[test]
    fn the_portable_walk_stays_inside() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        std::fs::create_dir_all(root.join("src")).unwrap();
        std::fs::File::create_new(root.join("src/a.rs")).unwrap();
        std::fs::File::create_new(dir.path().join("secret")).unwrap();
        symlink("src/a.rs", root.join("inside")).unwrap();
        symlink("../secret", root.join("outside")).unwrap();
        assert!(walk(&root, "src/a.rs").is_ok());
        assert!(walk(&root, "inside").is_ok());
        assert!(matches!(walk(&root, "outside"), Err(SafeOpenError::Outside { .. })));
        assert!(matches!(walk(&root, "src/b.rs"), Err(SafeOpenError::NotFound { .. })));
    }
}
