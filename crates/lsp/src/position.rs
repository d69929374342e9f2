//! Columns in the encodings of clients.

use serde::Serialize;

/// The unit in which a client counts columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) enum Encoding {
    #[serde(rename = "utf-8")]
    Utf8,
    /// What a client counts in that names no encoding.
    #[default]
    #[serde(rename = "utf-16")]
    Utf16,
}

impl Encoding {
    /// Returns the number of units of a text.
    pub(crate) fn len(self, text: &str) -> u32 {
        let len = match self {
            Self::Utf8 => text.len(),
            Self::Utf16 => text.encode_utf16().count(),
        };
        u32::try_from(len).unwrap_or(u32::MAX)
    }

    /// Returns the byte of a line at a column. A column in a character is moved to its start, one after the line to its end.
    pub(crate) fn byte(self, line: &str, column: u32) -> usize {
        let mut units = 0;
        for (byte, c) in line.char_indices() {
            let next = units + self.len(c.encode_utf8(&mut [0; 4]));
            if next > column {
                return byte;
            }
            units = next;
        }
        line.len()
    }

    /// Returns the column of a line for one counted in UTF-16 units, as the thread files do.
    pub(crate) fn column(self, line: &str, column: u32) -> u32 {
        let byte = Self::Utf16.byte(line, column);
        self.len(line.get(..byte).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_converted_and_limited() {
        // One, two, three and four bytes in UTF-8; one unit each in UTF-16 except for the last.
        let line = "aß字😀z";
        assert_eq!((Encoding::Utf8.len(line), Encoding::Utf16.len(line)), (11, 6));
        let bytes: Vec<_> = (0..8).map(|column| Encoding::Utf16.byte(line, column)).collect();
        assert_eq!(bytes, [0, 1, 3, 6, 6, 10, 11, 11]);
        let bytes: Vec<_> = (0..13).map(|column| Encoding::Utf8.byte(line, column)).collect();
        assert_eq!(bytes, [0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11]);
        let columns: Vec<_> = (0..8).map(|column| Encoding::Utf8.column(line, column)).collect();
        assert_eq!(columns, [0, 1, 3, 6, 6, 10, 11, 11]);
        assert_eq!(Encoding::Utf16.column(line, 5), 5);
    }
}
