use std::io;

/// The size above which a file is not a document, so that reading it would only cost memory and time.
///
/// A sparse file of a gigabyte takes a megabyte in a repository.
pub const MAX_DOCUMENT_BYTES: u64 = 64 * 1024 * 1024;

/// Refuses a file of this length if it is too large to be read.
pub(crate) fn check_len(len: u64) -> io::Result<()> {
    if len <= MAX_DOCUMENT_BYTES {
        return Ok(());
    }
    let message =
        format!("the file has {len} bytes, and more than {MAX_DOCUMENT_BYTES} are not read");
    Err(io::Error::new(io::ErrorKind::FileTooLarge, message))
}
