//! Letters and digits of ASCII in bytes, in either case.

use super::edges::Edges;
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, u8x64};

/// The bytes that are looked at between two questions whether something was found.
const BLOCK: usize = 64;

/// The letters and digits from the most frequent to the rarest, in prose, code and metadata together.
const FREQUENT: &[u8] = b"etaoinsrlcdumphgf0123456789bywvkxjqz";

/// The bit that makes a letter of ASCII a small one.
const SMALL: u8 = 0x20;

/// Letters and digits to look for.
#[derive(Clone, Debug)]
pub(crate) struct AsciiNeedle {
    text: String,
    /// The rarest byte of it, and the one that is rarest but for that.
    rare: [Probe; 2],
    level: Level,
}

#[derive(Clone, Copy, Debug, Default)]
struct Probe {
    offset: usize,
    byte: u8,
}

impl AsciiNeedle {
    /// Takes small letters and digits.
    pub(crate) fn new(text: String) -> Self {
        let mut probes: Vec<Probe> =
            text.bytes().enumerate().map(|(offset, byte)| Probe { offset, byte }).collect();
        probes.sort_by_key(|probe| FREQUENT.iter().rposition(|byte| *byte == probe.byte));
        let first = probes.pop().unwrap_or_default();
        // The same letter twice says less than another one.
        let other = probes.iter().rfind(|probe| probe.byte != first.byte);
        let second = other.or(probes.last()).copied().unwrap_or(first);
        Self { text, rare: [first, second], level: Level::new() }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns whether the letters are in the bytes, in either case.
    pub(crate) fn is_in(&self, bytes: &[u8]) -> bool {
        self.is_in_as(bytes, Edges::default())
    }

    /// Returns whether the letters are in the bytes where a word of a text may have its edges.
    pub(super) fn is_in_as(&self, bytes: &[u8], edges: Edges) -> bool {
        let mut place = Vec::new();
        dispatch!(self.level, simd => self.find(simd, bytes, (edges, 1), &mut place));
        !place.is_empty()
    }

    /// Adds every place where the letters are in the bytes, in either case.
    pub(crate) fn places(&self, bytes: &[u8], places: &mut Vec<usize>) {
        dispatch!(self.level, simd => self.find(simd, bytes, (Edges::default(), usize::MAX), places));
    }

    /// Adds the places where the letters are, until there are enough.
    #[inline(always)]
    fn find<S: Simd>(
        &self,
        simd: S,
        bytes: &[u8],
        wanted: (Edges, usize),
        places: &mut Vec<usize>,
    ) {
        let Some(last) = bytes.len().checked_sub(self.text.len()) else { return };
        let from = |probe: Probe| bytes.get(probe.offset..=probe.offset + last).unwrap_or_default();
        let (firsts, first_rest) = from(self.rare[0]).as_chunks::<BLOCK>();
        let (seconds, second_rest) = from(self.rare[1]).as_chunks::<BLOCK>();
        // No closures here: what is in one is compiled without the instructions of the level.
        for (index, (here, there)) in firsts.iter().zip(seconds).enumerate() {
            let hits = self.hits(simd, here, there);
            if hits != 0 && self.add_places(bytes, (index * BLOCK, hits), wanted, places) {
                return;
            }
        }
        let hits = self.hits(simd, &padded(first_rest), &padded(second_rest));
        self.add_places(bytes, (firsts.len() * BLOCK, hits), wanted, places);
    }

    /// Returns at which bytes of a block both of the rare ones are in their places.
    #[inline(always)]
    fn hits<S: Simd>(&self, simd: S, here: &[u8; BLOCK], there: &[u8; BLOCK]) -> u64 {
        let [first, second] = &self.rare;
        let small = u8x64::splat(simd, SMALL);
        let here = u8x64::from_slice(simd, here) | small;
        let there = u8x64::from_slice(simd, there) | small;
        let first = here.simd_eq(u8x64::splat(simd, first.byte));
        (first & there.simd_eq(u8x64::splat(simd, second.byte))).to_bitmask()
    }

    /// Adds the bytes from a place on whose bits are set and at which the letters start; returns whether there are enough.
    #[inline(never)]
    fn add_places(
        &self,
        bytes: &[u8],
        (from, mut hits): (usize, u64),
        (edges, enough): (Edges, usize),
        places: &mut Vec<usize>,
    ) -> bool {
        while hits != 0 {
            let start = from + hits.trailing_zeros() as usize;
            let end = start + self.text.len();
            if bytes.get(start..end).is_some_and(|part| self.is(part))
                && edges.may_be(bytes, start..end)
            {
                places.push(start);
                if places.len() >= enough {
                    return true;
                }
            }
            hits &= hits - 1;
        }
        false
    }

    #[inline]
    fn is(&self, part: &[u8]) -> bool {
        let mut pairs = part.iter().zip(self.text.as_bytes());
        pairs.all(|(byte, wanted)| byte.to_ascii_lowercase() == *wanted)
    }
}

/// Returns the bytes of a block that is not full, with bytes behind them that are no letters.
#[inline(always)]
fn padded(rest: &[u8]) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    if let Some(start) = block.get_mut(..rest.len()) {
        start.copy_from_slice(rest);
    }
    block
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn is_in(needle: &str, bytes: &[u8]) -> bool {
        AsciiNeedle::new(needle.to_owned()).is_in(bytes)
    }

    #[test]
    fn finds_every_place_in_either_case() {
        for length in [3, 63, 64, 65, 200] {
            for at in 0..=length {
                let mut bytes = vec![b'e'; at];
                bytes.extend(b"NeEdle9");
                bytes.resize(length + 7, b'N');
                assert!(is_in("needle9", &bytes), "{at} of {length}");
                assert!(!is_in("needle8", &bytes));
            }
        }
    }

    #[test]
    fn neighbours_of_letters_in_the_table_are_not_taken_for_them() {
        assert!(!is_in("a", b"\x01!"));
        assert!(!is_in("11", b"\x11\x11"));
        assert!(is_in("z", b"Z"));
        assert!(!is_in("abc", b"ab"));
    }

    proptest! {
        #[test]
        fn agrees_with_the_plain_way(needle in "[ab0]{1,4}", bytes in "[abAB0 ]{0,200}") {
            let plain = bytes.to_ascii_lowercase().contains(&needle);
            prop_assert_eq!(is_in(&needle, bytes.as_bytes()), plain);
            let mut places = Vec::new();
            AsciiNeedle::new(needle.clone()).places(bytes.as_bytes(), &mut places);
            let small = bytes.to_ascii_lowercase();
            let plain: Vec<usize> =
                (0..bytes.len()).filter(|at| small.get(*at..).unwrap().starts_with(&needle)).collect();
            prop_assert_eq!(places, plain);
        }
    }
}
