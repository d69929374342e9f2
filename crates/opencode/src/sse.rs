//! Server-sent events.
//!
//! OpenCode uses one field of the format: `data`. It sends no ids, so that a stream cannot be resumed, and the
//! crates for it are made around resuming.

use crate::OpencodeError;

/// Maximum size of one event. The greatest contain the output of a tool or a file.
const MAX_EVENT: usize = 64 << 20;

/// Splits a stream of bytes into the data of its events.
#[derive(Default)]
pub(crate) struct Parser {
    /// The bytes of a line without its end.
    line: Vec<u8>,
    data: Vec<u8>,
}

impl Parser {
    /// Reads more of the stream and returns the data of the events that it completes.
    pub(crate) fn push(&mut self, chunk: &[u8]) -> Result<Vec<Vec<u8>>, OpencodeError> {
        let mut events = Vec::new();
        for piece in chunk.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            if self.line.len() + self.data.len() > MAX_EVENT {
                return Err(OpencodeError::TooLarge { limit: MAX_EVENT });
            }
            if piece.ends_with(b"\n") {
                let line = std::mem::take(&mut self.line);
                events.extend(self.read_line(line.trim_ascii_end()));
            }
        }
        Ok(events)
    }

    /// Returns the data of the event that this line ends.
    fn read_line(&mut self, line: &[u8]) -> Option<Vec<u8>> {
        if line.is_empty() {
            return (!self.data.is_empty()).then(|| std::mem::take(&mut self.data));
        }
        if let Some(value) = line.strip_prefix(b"data:") {
            if !self.data.is_empty() {
                self.data.push(b'\n');
            }
            self.data.extend_from_slice(value.strip_prefix(b" ").unwrap_or(value));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(stream: &str, expected: &[&str]) {
        // However the bytes arrive, also with half a character at a border.
        for size in [1, 2, 3, 7, 1000] {
            let mut parser = Parser::default();
            let events =
                stream.as_bytes().chunks(size).flat_map(|chunk| parser.push(chunk).unwrap());
            let events: Vec<_> = events.map(|data| String::from_utf8(data).unwrap()).collect();
            assert_eq!(events, expected, "in chunks of {size}");
        }
    }

    #[test]
    fn events_end_with_an_empty_line() {
        check("data: {\"a\":1}\n\ndata: {\"b\":2}\n\n", &["{\"a\":1}", "{\"b\":2}"]);
        check("data: é ✓ 👍\r\n\r\n", &["é ✓ 👍"]);
        check("data: one\ndata:two\n\n", &["one\ntwo"]);
    }

    #[test]
    fn other_fields_comments_and_unfinished_events_are_left_out() {
        check(": hello\nevent: message\nid: 1\ndata: x\n\n\n\n", &["x"]);
        check("data: x\n\ndata: {\"cut", &["x"]);
        check("data: x\n", &[]);
    }

    #[test]
    fn an_event_without_an_end_is_an_error() {
        let mut parser = Parser::default();
        let chunk = vec![b'x'; 1 << 20];
        let results: Vec<_> = (0..65).map(|_| parser.push(&chunk)).collect();
        assert!(matches!(results.last(), Some(Err(OpencodeError::TooLarge { .. }))));
    }
}
