//! Letters and digits of ASCII in bytes, in either case.

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
pub(super) struct AsciiNeedle {
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
    pub(super) fn new(text: String) -> Self {
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
    pub(super) fn is_in(&self, bytes: &[u8]) -> bool {
        dispatch!(self.level, simd => self.is_in_blocks(simd, bytes))
    }

    #[inline(always)]
    fn is_in_blocks<S: Simd>(&self, simd: S, bytes: &[u8]) -> bool {
        let Some(last) = bytes.len().checked_sub(self.text.len()) else { return false };
        let from = |probe: Probe| bytes.get(probe.offset..=probe.offset + last).unwrap_or_default();
        let (firsts, _) = from(self.rare[0]).as_chunks::<BLOCK>();
        let (seconds, _) = from(self.rare[1]).as_chunks::<BLOCK>();
        // No closures here: what is in one is compiled without the instructions of the level.
        let [first, second] = &self.rare;
        let first = u8x64::splat(simd, first.byte);
        let second = u8x64::splat(simd, second.byte);
        let small = u8x64::splat(simd, SMALL);
        for (index, (here, there)) in firsts.iter().zip(seconds).enumerate() {
            let here = u8x64::from_slice(simd, here) | small;
            let there = u8x64::from_slice(simd, there) | small;
            let hits = (here.simd_eq(first) & there.simd_eq(second)).to_bitmask();
            if hits != 0 && self.is_at(bytes, index * BLOCK, hits) {
                return true;
            }
        }
        let rest = bytes.get(firsts.len() * BLOCK..).unwrap_or_default();
        rest.windows(self.text.len()).any(|part| self.is(part))
    }

    /// Returns whether the letters start at one of the bytes from here whose bits are set.
    #[inline(never)]
    fn is_at(&self, bytes: &[u8], from: usize, mut hits: u64) -> bool {
        while hits != 0 {
            let start = from + hits.trailing_zeros() as usize;
            if bytes.get(start..start + self.text.len()).is_some_and(|part| self.is(part)) {
                return true;
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
        }
    }
}
