use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use rustix::fs::{Mode, OFlags, open};

/// Reads the last `limit` bytes of a regular file; a symlink is an error.
///
/// The file may be growing. If `limit` bytes are returned, the first line may be incomplete.
pub fn read_tail(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    // Without NONBLOCK, opening a pipe would wait for a writer.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOFOLLOW;
    let mut file = File::from(open(path, flags, Mode::empty())?);
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    file.seek(SeekFrom::Start(meta.len().saturating_sub(limit)))?;
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::read_tail;
    use crate::append_log::append_line;

    #[test]
    fn only_the_end_of_a_regular_file_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        append_line(&path, "012345678", 100).unwrap();
        assert_eq!(read_tail(&path, 4).unwrap(), b"678\n");
        assert_eq!(read_tail(&path, 100).unwrap(), b"012345678\n");
        assert!(read_tail(folder.path(), 4).is_err());
        assert!(read_tail(&folder.path().join("gone"), 4).is_err());
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert!(read_tail(&link, 4).is_err());
    }
}
