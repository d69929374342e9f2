//! The places of a large map, found on two threads.

use memchr::memmem;

use super::{EntryPositions, Taker};
use crate::both::both;
use crate::json::{Dialect, Reader};
use crate::span::Span;

/// With fewer bytes than this a second thread is not worth its start.
const THREADS_THRESHOLD: usize = 2 * 1024 * 1024;

/// What stands between two entries as programs write them.
const BETWEEN: &[u8] = b"\n    },\n    {\n";
/// Where in it the second entry starts.
const ENTRY: usize = BETWEEN.len() - 2;

/// Reads the list that comes next; none, and nothing is passed over, where it is small or not as programs write it.
pub(super) fn read(reader: &mut Reader<'_>) -> Option<(Span, EntryPositions)> {
    let (bytes, start) = (reader.bytes(), reader.position());
    let rest = bytes.get(start..).filter(|rest| rest.len() > THREADS_THRESHOLD)?;
    let half = rest.len() / 2;
    // No text holds a line feed, so this is never within one. That it stands between two entries of the list, and not
    // deeper, is known once the first half ends there.
    let between = memmem::find(rest.get(half..)?, BETWEEN)?;
    let middle = start + half + between + ENTRY;
    let first = || read_first(bytes, Span::new(start + 1, middle));
    let (first, second) = both(first, || read_second(bytes, middle));
    let (mut places, (end, rest)) = (first?, second?);
    places.append(rest);
    reader.pass_to(end);
    Some((Span::new(start, end), places))
}

/// Reads the entries from the start of the list to the middle.
fn read_first(bytes: &[u8], span: Span) -> Option<EntryPositions> {
    let (mut places, mut taker) = (EntryPositions::default(), Taker::default());
    let mut reader = Reader::new(bytes, span, Dialect::Json);
    reader.elements(|reader| taker.take(reader, &mut places)).ok()?;
    Some(places)
}

/// Reads the entries from the middle to the end of the list, and tells where that is.
fn read_second(bytes: &[u8], middle: usize) -> Option<(usize, EntryPositions)> {
    let (mut places, mut taker) = (EntryPositions::default(), Taker::default());
    let mut reader = Reader::new(bytes, Span::new(middle, bytes.len()), Dialect::Json);
    reader.rest_of_array(|reader| taker.take(reader, &mut places)).ok()?;
    Some((reader.position(), places))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(n: usize) -> String {
        let key = if n % 7 == 3 { "other" } else { "sessionId" };
        format!("    {{\n      \"{key}\": \"s{n}\",\n      \"threadRootPostId\": \"r{n}\"\n    }}")
    }

    fn list(entries: usize) -> String {
        let entries: Vec<_> = (0..entries).map(entry).collect();
        format!("[\n{}\n  ]", entries.join(",\n"))
    }

    /// Reads a list both ways; true where two threads could.
    fn check(text: &str) -> bool {
        let bytes = text.as_bytes();
        let reader = || Reader::new(bytes, Span::new(0, bytes.len()), Dialect::Json);
        let mut both = reader();
        let Some(read) = read(&mut both) else {
            assert_eq!(both.position(), 0);
            return false;
        };
        let (mut places, mut taker) = (EntryPositions::default(), Taker::default());
        let mut one = reader();
        let span = one.array(|reader| taker.take(reader, &mut places));
        assert_eq!(span, Ok(read.0));
        assert_eq!(read.1, places);
        assert_eq!(both.position(), one.position());
        true
    }

    #[test]
    fn two_threads_find_what_one_does() {
        let whole = list(40_000);
        assert!(check(&whole));
        assert!(check(&(whole.clone() + ", 1]")));
        assert!(!check(&list(20)));
        assert!(!check(&whole.replace("    ", "\t")));
    }

    #[test]
    fn what_is_broken_or_nested_is_left_to_one() {
        let whole = list(40_000);
        for at in [10, whole.len() / 3, whole.len() / 2 + 5_000, whole.len() - 3] {
            let (start, end) = whole.split_at(at);
            assert!(!check(&format!("{start}\u{1}{end}")), "{at}");
        }
        assert!(!check(whole.strip_suffix(']').unwrap()));
        // What looks like two entries may stand deeper: here in a list within the first one.
        assert!(!check(&format!("[{whole}]")));
        assert!(!check(&format!("[{{\"a\": {whole}}}]")));
    }
}
