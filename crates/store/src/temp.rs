use std::ffi::OsStr;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::fs::{EntryKind, Fs};
use crate::retry;

/// The start of the name of every temp file.
pub const TEMP_PREFIX: &str = ".skein-";
const SUFFIX: &str = ".tmp";
const DIGITS: usize = 16;

/// A newer temp file may belong to a running writer.
const STALE_TEMP_AGE: Duration = Duration::from_secs(60);

/// Returns whether `name` is the name of a temp file of this crate.
pub fn is_temp_name(name: &OsStr) -> bool {
    name.to_str().and_then(|name| name.strip_prefix(TEMP_PREFIX)?.strip_suffix(SUFFIX)).is_some_and(
        |digits| {
            digits.len() == DIGITS
                && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        },
    )
}

/// The directory to search for leftovers cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("cannot look for leftover temp files in {}", dir.display())]
pub struct LeftoversError {
    /// The directory that was searched.
    pub dir: PathBuf,
    /// The underlying error.
    pub source: io::Error,
}

/// Lists the temp files in `dir` that a killed writer left behind, in byte order.
///
/// Files modified within the last minute are skipped: their writer may still be running.
pub fn leftovers(fs: &dyn Fs, dir: &Path) -> Result<Vec<PathBuf>, LeftoversError> {
    let failed = |source| LeftoversError { dir: dir.to_owned(), source };
    let mut found = Vec::new();
    for name in fs.list(dir).map_err(failed)? {
        if !is_temp_name(&name) {
            continue;
        }
        let path = dir.join(name);
        match fs.metadata(&path) {
            Ok(meta) if meta.kind == EntryKind::File && retry::age(meta.mtime) > STALE_TEMP_AGE => {
                found.push(path);
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed(error)),
        }
    }
    found.sort();
    Ok(found)
}

/// Returns a random temp path in the directory of `target`.
pub(crate) fn beside(target: &Path) -> PathBuf {
    target.with_file_name(name())
}

/// Returns a random name of a temp file.
pub(crate) fn name() -> String {
    // Each `RandomState` has its own keys, seeded by the system.
    let random = RandomState::new().build_hasher().finish();
    format!("{TEMP_PREFIX}{random:0DIGITS$x}{SUFFIX}")
}

#[cfg(test)]
mod tests {
    use super::{beside, is_temp_name};
    use std::ffi::OsStr;
    use std::path::Path;

    #[test]
    fn temp_names_are_recognised_and_are_next_to_their_target() {
        let temp = beside(Path::new("/store/a.md"));
        assert_eq!(temp.parent(), Some(Path::new("/store")));
        assert!(is_temp_name(temp.file_name().unwrap()));
        assert_ne!(temp, beside(Path::new("/store/a.md")));
    }

    #[test]
    fn other_names_are_not_temp_names() {
        for name in ["a.md", ".skein-.tmp", ".skein-notes.tmp", ".skein-0123456789abcdef.md"] {
            assert!(!is_temp_name(OsStr::new(name)), "{name}");
        }
    }
}
