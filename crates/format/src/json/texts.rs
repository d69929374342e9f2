//! Plain texts in an array, passed over one by one or many at once.

use fearless_simd::{Level, dispatch};
use memchr::memmem;

use super::groups::{GROUP, groups};
use super::run::{blank_until, plain_until};
use crate::both::both;

/// After so many plain texts one by one, many more are likely.
const MANY: usize = 64;
/// If there are more bytes than this, another thread takes a share of them,
const LARGE: usize = 2 * 1024 * 1024;
/// unless something turns up in the first so many.
const TRIAL: usize = 256 * 1024;

/// Texts that were passed over, each with its comma.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Texts {
    /// How many bytes they take.
    pub(super) end: usize,
    /// How many of them are not empty.
    pub(super) count: usize,
}

impl Texts {
    fn then(self, more: Self) -> Self {
        Self { end: self.end + more.end, count: self.count + more.count }
    }

    /// Returns what comes after them.
    fn rest(self, bytes: &[u8]) -> &[u8] {
        bytes.get(self.end..).unwrap_or_default()
    }
}

/// Passes over plain texts of an array, each with its comma, up to whatever else comes.
pub(super) fn pass(bytes: &[u8]) -> Texts {
    let (mut texts, mut in_a_row) = (Texts::default(), 0);
    while let Some(one) = pass_one(texts.rest(bytes)) {
        texts = texts.then(one);
        in_a_row += 1;
        if in_a_row == MANY {
            in_a_row = 0;
            texts = texts.then(pass_many(texts.rest(bytes)));
        }
    }
    texts
}

fn pass_one(bytes: &[u8]) -> Option<Texts> {
    let start = blank_until(bytes, 0);
    bytes.get(start).filter(|byte| **byte == b'"')?;
    let end = plain_until(bytes, start + 1);
    bytes.get(end).filter(|byte| **byte == b'"')?;
    let near = bytes.get(end + 1) == Some(&b',');
    let comma = if near { end + 1 } else { blank_until(bytes, end + 1) };
    bytes.get(comma).filter(|byte| **byte == b',')?;
    Some(Texts { end: comma + 1, count: usize::from(end > start + 1) })
}

/// Passes over texts as far as that goes by large steps.
///
/// Each must be followed by its comma at once and then by spaces and line feeds only, as programs write them. A group of
/// bytes with anything else, such as an escape, an empty text or a mistake, stops it.
fn pass_many(bytes: &[u8]) -> Texts {
    let level = Level::new();
    let Some(trial) = bytes.get(..TRIAL).filter(|_| bytes.len() > LARGE) else {
        return pass_at(level, bytes);
    };
    let texts = pass_at(level, trial);
    if texts.end + 2 * GROUP > TRIAL {
        return texts.then(pass_shared(level, texts.rest(bytes)));
    }
    texts
}

/// Passes over one half here and over the other on another thread.
fn pass_shared(level: Level, bytes: &[u8]) -> Texts {
    let (half, rest) = bytes.split_at(bytes.len() / 2);
    let Some(quote) = memmem::find(rest, b"\",") else {
        return pass_at(level, bytes);
    };
    // That this quote closes a text, and opens none, turns out when the first half comes to it.
    let (start, rest) = bytes.split_at(half.len() + quote + 2);
    let (mut texts, others) = both(|| pass_at(level, start), || pass_at(level, rest));
    while let Some(one) = pass_one(texts.rest(start)) {
        texts = texts.then(one);
    }
    if texts.end == start.len() { texts.then(others) } else { texts }
}

fn pass_at(level: Level, bytes: &[u8]) -> Texts {
    let (sound, count) = dispatch!(level, simd => groups(simd, bytes));
    // The comma of the last text may be the first byte behind its group.
    let seen = bytes.get(..=sound).unwrap_or_default();
    match memmem::rfind(seen, b"\",").filter(|_| count > 0) {
        Some(quote) => Texts { end: quote + 2, count },
        None => Texts::default(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Passes over texts one by one, up to where the fast way stopped.
    fn one_by_one(bytes: &[u8], end: usize) -> Option<usize> {
        let (mut rest, mut count) = (bytes.get(..end)?, 0);
        while !rest.is_empty() {
            rest = rest.trim_ascii_start().strip_prefix(b"\"")?;
            let close =
                rest.iter().position(|byte| *byte < b' ' || matches!(byte, b'"' | b'\\'))?;
            rest = rest.get(close..)?.strip_prefix(b"\",")?;
            count += usize::from(close > 0);
        }
        Some(count)
    }

    fn levels() -> Vec<Level> {
        let best = Level::new();
        let mut levels = vec![best, Level::baseline()];
        #[cfg(target_arch = "x86_64")]
        levels.extend(best.as_avx2().map(Level::Avx2));
        levels
    }

    fn check(bytes: &[u8]) -> Texts {
        let texts = pass_many(bytes);
        for level in levels() {
            assert_eq!(pass_at(level, bytes), texts, "{level:?}");
        }
        assert_eq!(one_by_one(bytes, texts.end), Some(texts.count));
        texts
    }

    fn list(between: &str, texts: usize) -> Vec<u8> {
        let texts = (0..texts).map(|n| format!("\"src/part {}/{n}, \u{e9}.rs\"", n % 97));
        (texts.collect::<Vec<_>>().join(between) + "\n]").into_bytes()
    }

    #[test]
    fn nearly_all_of_a_long_list_goes_by_at_once() {
        for between in [",\n    ", ",", ", ", ",\n\n  "] {
            let bytes = list(between, 1_000);
            assert!(check(&bytes).end + 2 * GROUP > bytes.len(), "{between:?}");
        }
        for between in [" ,", ",\r\n", ",\t", ",,", " ", ",x", "\n"] {
            assert_eq!(check(&list(between, 1_000)), Texts::default(), "{between:?}");
        }
    }

    #[test]
    fn a_spoiled_byte_anywhere_is_left_to_the_caller() {
        let whole = list(",\n  ", 400);
        // Around the ends of blocks and groups, where something is carried over.
        for at in (0..150).chain(GROUP - 150..GROUP + 150) {
            for byte in *b"\"\\,\n\x00 x" {
                let mut bytes = whole.clone();
                bytes[at] = byte;
                check(&bytes);
            }
        }
    }

    #[test]
    fn two_threads_find_what_one_does() {
        let texts = 2 * LARGE / 20;
        let whole = list(",\n  ", texts);
        assert!(whole.len() > 2 * LARGE);
        assert_eq!(pass(&whole).count, texts - 1);
        for (at, byte) in [(whole.len() / 2 + 90, b'\\'), (whole.len() / 2 - 90, b'"')] {
            let mut bytes = whole.clone();
            bytes[at] = byte;
            let passed = pass(&bytes);
            assert!(passed.end <= at && at - passed.end < 100, "{passed:?} {at}");
            assert_eq!(one_by_one(&bytes, passed.end), Some(passed.count));
        }
    }

    #[test]
    fn a_text_that_starts_with_a_comma_is_not_taken_for_the_end_of_one() {
        let bytes = "\",a\",\n".repeat(LARGE / 4).into_bytes();
        assert_eq!(pass(&bytes), Texts { end: bytes.len() - 1, count: LARGE / 4 });
    }

    proptest! {
        #[test]
        fn agrees_with_passing_one_by_one(
            parts in prop::collection::vec(
                prop_oneof![
                    20 => "\"[a-z,/ \u{e9}]{0,70}\",\n? {0,3}",
                    1 => "[\", \n\\\\x\t]{1,3}",
                ],
                0..400,
            ),
        ) {
            check(parts.concat().as_bytes());
        }
    }
}
