//! The interface of all scanners.

use crate::cursor::Cursor;

/// Reads a file line by line, and keeps the constructs that a line leaves open.
pub(crate) trait LineScanner {
    /// Reads a line, or a part of it.
    fn line(&mut self, cursor: &mut Cursor<'_>);
}
