//! Plain texts in an array, sixty-four bytes at a time.
//!
//! Lists of paths are long, and text by text they would take longer to check than to read from the disk. What a quote, a comma
//! or a space is becomes one bit of a word each, and a few operations on such words check all texts of a block at once.

use fearless_simd::prelude::*;
use fearless_simd::u8x64;

/// The bytes whose kinds fit into the bits of a word.
const BLOCK: usize = 64;
/// The bytes that are checked before anybody asks whether they were sound.
pub(super) const GROUP: usize = 32 * BLOCK;

/// Returns how far the bytes are sound, and how many texts end there.
#[inline(always)]
pub(super) fn groups<S: Simd>(simd: S, bytes: &[u8]) -> (usize, usize) {
    let mut state = State::default();
    let (mut sound, mut count) = (0, 0);
    while let Some(group) = bytes.get(sound..=sound + GROUP) {
        match state.pass(simd, group) {
            Some(texts) => count += texts,
            None => break,
        }
        sound += GROUP;
    }
    (sound, count)
}

/// What is known at the end of a block, as the lowest bit of a word.
#[derive(Default)]
struct State {
    /// Whether a text is open.
    inside: u64,
    /// Whether the last byte closed one.
    closed: u64,
}

impl State {
    /// Checks a group, and the byte behind it for a comma; returns how many texts end in it.
    #[inline(always)]
    fn pass<S: Simd>(&mut self, simd: S, group: &[u8]) -> Option<usize> {
        let [quote, comma, newline, space, slash] =
            b"\",\n \\".map(|byte| u8x64::splat(simd, byte));
        let (mut wrong, mut count) = (0, 0);
        // The lowest values of all blocks: a zero tells that a byte was what it was compared with.
        let (mut least, mut lowest) = (space, space);
        let (here, _) = group.as_chunks::<BLOCK>();
        let (next, _) = group.get(1..)?.as_chunks::<BLOCK>();
        for (here, next) in here.iter().zip(next) {
            let [here, next] = [here, next].map(|bytes| u8x64::from_slice(simd, bytes));
            let feeds = here.simd_eq(newline);
            lowest = lowest.min(feeds.select(space, here));
            // An escape, or an empty text, which counts for nothing.
            least = least.min(here ^ slash).min((here ^ quote) | (next ^ quote));
            let kinds = Kinds {
                quotes: here.simd_eq(quote).to_bitmask(),
                before_comma: next.simd_eq(comma).to_bitmask(),
                feeds: feeds.to_bitmask(),
                spaces: here.simd_eq(space).to_bitmask(),
            };
            wrong |= self.check(&kinds);
            count += (kinds.quotes & kinds.before_comma).count_ones() as usize;
        }
        let odd = least.simd_eq(u8x64::splat(simd, 0)) | lowest.simd_lt(space);
        (wrong | odd.to_bitmask() == 0).then_some(count)
    }

    /// Checks a block without escapes and without empty texts; returns bits where it has mistakes.
    #[inline(always)]
    fn check(&mut self, kinds: &Kinds) -> u64 {
        let Kinds { quotes, before_comma, feeds, spaces } = kinds;
        // A quote with a comma behind it should close a text. If so, the difference has the bits of every text set, its
        // first quote included; and it is so if just those quotes are where the bits end.
        let closing = quotes & before_comma;
        let inside = closing.wrapping_sub(quotes & !before_comma).wrapping_sub(self.inside);
        let wrong = closing ^ ((inside << 1 | self.inside) & !inside);
        // There is no line feed in a text; behind each there is one comma; all else outside is white space.
        let wrong = wrong | !((inside ^ feeds) | quotes | spaces) ^ (closing << 1 | self.closed);
        *self = Self { inside: inside >> 63, closed: closing >> 63 };
        wrong
    }
}

/// Which bytes of a block are what; the first byte is the lowest bit.
struct Kinds {
    quotes: u64,
    /// Those that a comma follows.
    before_comma: u64,
    /// Line feeds.
    feeds: u64,
    spaces: u64,
}
