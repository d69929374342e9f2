//! Which bytes of a text are parts of words, sixty-four at a time.

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, u8x64};

/// The bytes whose kinds fit into the bits of a word.
pub(super) const BLOCK: usize = 64;

/// How many blocks are looked at before their words are passed on.
pub(super) const BLOCKS: usize = 32;

/// The kinds of the bytes of a block, a bit for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kinds {
    /// Letters and digits of ASCII, and everything beyond ASCII.
    pub(super) word: u64,
    /// Capital letters of ASCII.
    pub(super) capital: u64,
    /// Everything beyond ASCII.
    pub(super) other: u64,
}

/// Tells the kinds of bytes, of as many as fit; what is missing in the last block separates.
pub(super) fn kinds<'a>(level: Level, bytes: &[u8], kinds: &'a mut [Kinds; BLOCKS]) -> &'a [Kinds] {
    dispatch!(level, simd => fill(simd, bytes, kinds));
    kinds.get(..bytes.len().div_ceil(BLOCK)).unwrap_or(kinds)
}

#[inline(always)]
fn fill<S: Simd>(simd: S, bytes: &[u8], kinds: &mut [Kinds; BLOCKS]) {
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    let mut kinds = kinds.iter_mut();
    for (block, kinds) in blocks.iter().zip(&mut kinds) {
        *kinds = of_block(simd, block);
    }
    if let Some(kinds) = kinds.next().filter(|_| !rest.is_empty()) {
        let mut last = [0; BLOCK];
        for (to, from) in last.iter_mut().zip(rest) {
            *to = *from;
        }
        *kinds = of_block(simd, &last);
    }
}

#[inline(always)]
fn of_block<S: Simd>(simd: S, block: &[u8; BLOCK]) -> Kinds {
    let splat = |byte| u8x64::splat(simd, byte);
    let bytes = u8x64::from_slice(simd, block);
    let small = bytes | splat(0x20);
    let letter = small.simd_ge(splat(b'a')) & small.simd_le(splat(b'z'));
    let digit = bytes.simd_ge(splat(b'0')) & bytes.simd_le(splat(b'9'));
    let other = bytes.simd_ge(splat(0x80));
    let capital = letter & bytes.simd_lt(splat(b'a'));
    Kinds {
        word: (letter | digit | other).to_bitmask(),
        capital: capital.to_bitmask(),
        other: other.to_bitmask(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_its_kind_at_every_place_and_level() {
        let best = Level::new();
        let mut levels = vec![best, Level::baseline()];
        #[cfg(target_arch = "x86_64")]
        levels.extend(best.as_avx2().map(Level::Avx2));
        for level in levels {
            for byte in 0..=u8::MAX {
                for at in 0..130 {
                    let mut bytes = vec![b' '; at];
                    bytes.push(byte);
                    let mut room = [Kinds { word: 1, capital: 1, other: 1 }; BLOCKS];
                    let found = kinds(level, &bytes, &mut room);
                    let bit = |is: bool| u64::from(is) << (at % BLOCK);
                    let expected = Kinds {
                        word: bit(byte.is_ascii_alphanumeric() || !byte.is_ascii()),
                        capital: bit(byte.is_ascii_uppercase()),
                        other: bit(!byte.is_ascii()),
                    };
                    let (last, before) = found.split_last().unwrap();
                    assert_eq!((found.len(), *last), (at / BLOCK + 1, expected), "{byte} {at}");
                    assert!(before.iter().all(|kinds| *kinds == Kinds::default()));
                }
            }
        }
    }
}
