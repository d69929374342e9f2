//! A large file, read on two threads.

use std::fs::File;
use std::io;
use std::ops::RangeInclusive;
use std::os::unix::fs::FileExt as _;
use std::thread::{self, ScopedJoinHandle};

/// The sizes for which that is quicker, and which a file with holes may safely claim.
pub(super) const PARALLEL_SIZES: RangeInclusive<u64> = 4 * 1024 * 1024..=1024 * 1024 * 1024;

/// Reads a file of about `len` bytes from its start to its end.
pub(super) fn read(file: &File, len: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(len).map_err(io::Error::other)?];
    let half = bytes.len() / 2;
    let (first, second) = bytes.split_at_mut(half);
    let (first, second) = thread::scope(|scope| {
        let rest = || fill(file, second, half);
        let other = thread::Builder::new().spawn_scoped(scope, rest)?;
        let first = fill(file, first, 0)?;
        let died = |_| io::Error::other("a thread that reads a file died");
        Ok::<_, io::Error>((first, ScopedJoinHandle::join(other).map_err(died)??))
    })?;
    // A file that was cut meanwhile ends where the first half did.
    let read = if first < half { first } else { half + second };
    bytes.truncate(read);
    if u64::try_from(read).is_ok_and(|read| read == len) {
        read_on(file, &mut bytes)?;
    }
    Ok(bytes)
}

/// Reads into `bytes` from an offset until they are full or the file ends, and returns how many there are.
fn fill(file: &File, bytes: &mut [u8], offset: usize) -> io::Result<usize> {
    let mut done = 0;
    while let Some(rest) = bytes.get_mut(done..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, u64::try_from(offset + done).map_err(io::Error::other)?) {
            Ok(0) => break,
            Ok(read) => done += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}

/// Reads what has come to the end of the file meanwhile.
fn read_on(file: &File, bytes: &mut Vec<u8>) -> io::Result<()> {
    let mut piece = [0; 4096];
    loop {
        let read = fill(file, &mut piece, bytes.len())?;
        bytes.extend_from_slice(piece.get(..read).unwrap_or_default());
        if read < piece.len() {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn a_file_is_read_whole_whatever_its_size_was_said_to_be() {
        let mut file = tempfile::tempfile().unwrap();
        let bytes: Vec<u8> = (0..100_000_u32).flat_map(u32::to_le_bytes).collect();
        file.write_all(&bytes).unwrap();
        let len = u64::try_from(bytes.len()).unwrap();
        for said in [len, len - 1, len - 200_001, len + 1, len + 7_000, len * 3, 1] {
            assert!(read(&file, said).unwrap() == bytes, "{said}");
        }
    }
}
