use std::io;

/// The maximum size of a document; larger files are not read.
///
/// A sparse file of a gigabyte takes only a megabyte in a repository.
pub const MAX_DOCUMENT_BYTES: u64 = 64 * 1024 * 1024;

/// Returns an error if a file of this length is too large: it is neither read nor written.
pub fn check_len(len: u64) -> io::Result<()> {
    if len <= MAX_DOCUMENT_BYTES {
        return Ok(());
    }
    let message =
        format!("the file has {len} bytes, and more than {MAX_DOCUMENT_BYTES} are not read");
    Err(io::Error::new(io::ErrorKind::FileTooLarge, message))
}
