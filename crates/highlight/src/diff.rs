//! Patches.

use super::Class;
use super::cursor::Cursor;
use super::scan::LineScanner;

/// Reads a patch.
pub(crate) struct DiffScanner;

/// The header lines of a file.
const HEADERS: &[&str] = &[
    "diff ",
    "index ",
    "--- ",
    "+++ ",
    "new file",
    "deleted file",
    "old mode",
    "new mode",
    "rename ",
    "similarity ",
    "copy ",
    "Binary ",
];

impl LineScanner for DiffScanner {
    fn line(&mut self, cursor: &mut Cursor<'_>) {
        if HEADERS.iter().any(|header| cursor.sees(header)) {
            return cursor.take_all(Class::Keyword);
        }
        match cursor.byte() {
            b'@' => {
                // The section heading follows the second `@@`.
                let length = cursor.rest().windows(3).position(|three| three == b" @@");
                cursor.take(length.map_or(cursor.end(), |at| at + 3), Class::Meta);
            }
            b'+' => cursor.take_all(Class::String),
            b'-' => cursor.take_all(Class::Constant),
            b'#' | b'\\' => cursor.take_all(Class::Comment),
            _ => {}
        }
        cursor.skip_all();
    }
}
