use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::retry::age;

/// The resolution of file times; two writes within it may have equal times.
const STEP: Duration = Duration::from_millis(50);

/// Detects without reading a file whether it was modified.
#[derive(Clone, Copy, Debug)]
pub struct Stamp {
    identity: (u64, u64),
    len: u64,
    written: (i64, i64),
    changed: (i64, i64),
    /// Whether a later write could have the same times.
    fresh: bool,
}

impl Stamp {
    /// Returns the stamp of a file, through symlinks; `None` if it is not a regular file.
    ///
    /// To store it together with the content, take it before reading.
    pub fn from_path(path: &Path) -> Option<Self> {
        let meta = path.metadata().ok().filter(Metadata::is_file)?;
        let changed = (meta.ctime(), meta.ctime_nsec());
        Some(Self {
            identity: (meta.dev(), meta.ino()),
            len: meta.len(),
            written: (meta.mtime(), meta.mtime_nsec()),
            changed,
            fresh: age(time(changed)) < STEP,
        })
    }

    /// Returns whether the file is certainly unchanged since the `earlier` stamp.
    pub fn proves(&self, earlier: &Self) -> bool {
        let all = |stamp: &Self| (stamp.identity, stamp.len, stamp.written, stamp.changed);
        !earlier.fresh && all(self) == all(earlier)
    }
}

pub(crate) fn time((seconds, nanos): (i64, i64)) -> SystemTime {
    let seconds = u64::try_from(seconds).unwrap_or_default();
    let nanos = u32::try_from(nanos).unwrap_or_default();
    SystemTime::UNIX_EPOCH + Duration::new(seconds, nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fresh_stamp_proves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        assert!(Stamp::from_path(&path).is_none());
        assert!(Stamp::from_path(dir.path()).is_none());
        drop(std::fs::File::create_new(&path).unwrap());
        let mut first = Stamp::from_path(&path).unwrap();
        assert!(first.fresh && !Stamp::from_path(&path).unwrap().proves(&first));
        first.fresh = false;
        assert!(Stamp::from_path(&path).unwrap().proves(&first));
        std::fs::File::options().write(true).open(&path).unwrap().set_len(1).unwrap();
        assert!(!Stamp::from_path(&path).unwrap().proves(&first));
    }
}
