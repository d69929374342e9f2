//! What all scanners have in common.

use crate::cursor::Cursor;

/// Reads a file line by line, and keeps what a line leaves open.
pub(crate) trait LineScanner {
    /// Reads a line, or a part of it, to its end.
    fn line(&mut self, cursor: &mut Cursor<'_>);
}
