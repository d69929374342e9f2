use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{Mode, OFlags, open};

use crate::fs::Fs as _;
use crate::lock::lock;
use crate::real::RealFs;
use crate::stage;

/// Adds a line to a journal that never grows beyond twice `limit` bytes.
///
/// A journal tells of what went wrong and nothing depends on it: nothing is synced, and when it is full it takes the
/// name of the one before, `<name>.1`. Its directory must exist. Line ends inside of the line become blanks.
pub fn append_line(path: &Path, line: &str, limit: u64) -> io::Result<()> {
    let mut bytes = line.replace(['\n', '\r'], " ").into_bytes();
    bytes.push(b'\n');
    let mut file = opened(path)?;
    if file.metadata()?.len().saturating_add(len(&bytes)) > limit {
        turn_over(path, limit)?;
        file = opened(path)?;
    }
    // One call, so that lines of several programs do not mix.
    file.write_all(&bytes)
}

fn opened(path: &Path) -> io::Result<File> {
    // A link could point to another file, and opening a pipe could block forever.
    let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE;
    let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(open(path, flags, Mode::RUSR | Mode::WUSR)?);
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
}

/// Makes room; of several programs that find the journal full one does so.
fn turn_over(path: &Path, limit: u64) -> io::Result<()> {
    let dir = stage::parent(path);
    let Ok(_guard) = lock(&RealFs, dir, Duration::ZERO) else { return Ok(()) };
    // A line longer than the limit must not push an empty journal away.
    if path.symlink_metadata()?.len() <= limit / 2 {
        return Ok(());
    }
    let mut older = path.as_os_str().to_owned();
    older.push(".1");
    RealFs.rename(path, &PathBuf::from(older))
}

fn len(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::append_line;

    #[test]
    fn a_journal_keeps_its_last_lines_and_no_more() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        for n in 0..100 {
            append_line(&path, &format!("line\n{n:03}"), 100).unwrap();
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let older = std::fs::read_to_string(folder.path().join("log.1")).unwrap();
        assert!(text.len() <= 100 && older.len() <= 100, "{text}{older}");
        assert!(format!("{older}{text}").ends_with("line 098\nline 099\n"));
        assert_eq!(folder.path().read_dir().unwrap().count(), 2);
    }

    #[test]
    fn a_link_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        std::os::unix::fs::symlink(folder.path().join("target"), &path).unwrap();
        assert!(append_line(&path, "x", 100).is_err());
        assert!(!folder.path().join("target").exists());
    }
}
