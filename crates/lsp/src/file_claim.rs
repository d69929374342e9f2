//! Which server sends a comment file.

use std::fs::File;
use std::path::{Path, PathBuf};

/// The lock of a comment file. It ends with the process that holds it.
///
/// It is on a file next to the comment file, because editors replace a file that they save.
#[derive(Debug)]
pub(crate) struct FileClaim {
    path: PathBuf,
    _lock: File,
}

impl FileClaim {
    /// Takes the lock of a comment file; none if another server holds it, or if it cannot be taken.
    pub(crate) fn take(comment_file: &Path) -> Option<Self> {
        // The start of the name differs from that of a comment file.
        let name = comment_file.file_name()?.to_str()?;
        let path = comment_file.with_file_name(format!(".{name}.lock"));
        let lock = File::options().create(true).append(true).open(&path).ok()?;
        lock.try_lock().ok()?;
        let claim = Self { path, _lock: lock };
        if !comment_file.exists() {
            // The server that sent it has removed it.
            claim.remove();
            return None;
        }
        Some(claim)
    }

    /// Removes the lock of a comment file that was removed.
    pub(crate) fn remove(self) {
        // An empty file that is left is used by the next lock.
        drop(std::fs::remove_file(&self.path));
    }
}

#[cfg(test)]
mod tests {
    use skein_fixtures::Fixture;

    use super::*;

    #[test]
    fn one_server_at_a_time_has_a_file() {
        let fixture = Fixture::new();
        let file = fixture.file("comment-1.md", "");
        let first = FileClaim::take(&file);
        assert!(first.is_some() && FileClaim::take(&file).is_none());
        drop(first);
        let second = FileClaim::take(&file);
        assert!(second.is_some());
        std::fs::remove_file(&file).unwrap();
        drop(second);
        assert!(FileClaim::take(&file).is_none());
        assert_eq!(std::fs::read_dir(fixture.path("")).unwrap().count(), 0);
    }
}
