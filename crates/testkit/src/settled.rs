use std::fs::{self, File};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

static WRITES: AtomicU64 = AtomicU64::new(0);

/// Writes a file in place, with a modification time some seconds ago.
///
/// A file that was written in place within the last second counts as still being written, and every
/// update of it waits.
#[expect(clippy::disallowed_methods, reason = "plays another program")]
pub fn write_settled(path: &Path, content: impl AsRef<[u8]>) {
    fs::write(path, content).expect("the test may write there");
    let file = File::options().write(true).open(path).expect("it was just written");
    let written = file.metadata().and_then(|meta| meta.modified()).unwrap_or(SystemTime::now());
    // Git compares whole seconds, so consecutive writes get different ones.
    let seconds = 3 + WRITES.fetch_add(1, Ordering::Relaxed) % 40;
    file.set_modified(written - Duration::from_secs(seconds)).expect("the test owns the file");
}
