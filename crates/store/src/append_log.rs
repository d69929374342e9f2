use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{Mode, OFlags, open};

use crate::fs::Fs as _;
use crate::lock::lock;
use crate::real::RealFs;
use crate::stage;

/// Appends a line to a log file that is limited to about `limit` bytes.
///
/// Nothing is synced. A full log is renamed to `<name>.1`,
/// replacing the previous one. Its directory must exist. Line breaks inside the line become spaces.
pub fn append_line(path: &Path, line: &str, limit: u64) -> io::Result<()> {
    append(path, line, limit).map(drop)
}

/// Appends a line like [`append_line`], and makes it durable.
pub fn append_line_synced(path: &Path, line: &str, limit: u64) -> io::Result<()> {
    append(path, line, limit)?.sync_data()?;
    // The file can be new.
    RealFs.sync_dir(stage::parent(path))
}

fn append(path: &Path, line: &str, limit: u64) -> io::Result<File> {
    let mut bytes = line.replace(['\n', '\r'], " ").into_bytes();
    bytes.push(b'\n');
    let mut file = open_log(path)?;
    if file.metadata()?.len().saturating_add(len(&bytes)) > limit {
        rotate(path, limit)?;
        file = open_log(path)?;
    }
    // One call, so that lines of several processes do not mix.
    file.write_all(&bytes)?;
    Ok(file)
}

fn open_log(path: &Path) -> io::Result<File> {
    // A link could point to another file, and opening a pipe could block forever.
    let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE;
    let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(open(path, flags, Mode::RUSR | Mode::WUSR)?);
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
}

/// Renames a full log; if several processes find it full, only one does.
fn rotate(path: &Path, limit: u64) -> io::Result<()> {
    let dir = stage::parent(path);
    let Ok(_guard) = lock(&RealFs, dir, Duration::ZERO) else { return Ok(()) };
    // A line longer than the limit must not cause an almost empty log to be renamed.
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
    fn a_log_keeps_only_its_last_lines() {
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
