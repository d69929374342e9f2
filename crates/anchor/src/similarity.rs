//! Measures the similarity of two lines.

use memchr::memmem;

use crate::lines::information;

/// The number of bytes of a line that are compared.
const MAX_LINE_LEN: usize = 512;

/// The minimum similarity of a line to one that contains it.
const MIN_CONTAINED: f32 = 0.65;

/// Minimum [`information`] of a line for that.
const MIN_WEIGHT: usize = 8;

/// A line that is compared with many others.
pub(crate) struct Pattern<'a> {
    text: &'a [u8],
    /// For each byte and each 64 bytes of the text, the positions of that byte.
    masks: Vec<u64>,
    words: usize,
    tokens: Vec<u32>,
}

impl<'a> Pattern<'a> {
    pub(crate) fn new(line: &'a [u8]) -> Self {
        let text = trimmed(line);
        let words = text.len().div_ceil(64).max(1);
        let mut masks = vec![0_u64; 256 * words];
        for (index, byte) in text.iter().enumerate() {
            if let Some(mask) = masks.get_mut(usize::from(*byte) * words + index / 64) {
                *mask |= 1 << (index % 64);
            }
        }
        Self { text, masks, words, tokens: tokens(text) }
    }

    /// Returns the similarity to another line, from 0 to 1. Indentation is ignored.
    pub(crate) fn similarity(&self, other: &[u8]) -> f32 {
        let other = trimmed(other);
        if self.text == other {
            return 1.0;
        }
        if self.text.is_empty() || other.is_empty() {
            return 0.0;
        }
        let total = self.text.len() + other.len();
        let common = 2 * self.text.len().min(other.len());
        // The lengths alone rule out most pairs.
        if common * 10 < total * 2 {
            return 0.0;
        }
        let common = self.common_bytes(other);
        let by_bytes = 2.0 * common as f32 / total as f32;
        let is_contained =
            usize::try_from(common) == Ok(self.text.len()) && self.is_contained(other);
        // Saves the comparison of words; it is at most half of the result.
        if by_bytes < 0.3 && !is_contained {
            return by_bytes / 2.0;
        }
        let by_tokens = share(&self.tokens, &tokens(other));
        let likeness = (by_bytes + by_tokens) / 2.0;
        if is_contained { likeness.max(MIN_CONTAINED) } else { likeness }
    }

    /// Returns whether the other line contains this one.
    fn is_contained(&self, other: &[u8]) -> bool {
        information(self.text) >= MIN_WEIGHT && memmem::find(other, self.text).is_some()
    }

    /// Returns the length of the longest common subsequence.
    ///
    /// This is the bit-parallel algorithm of Hyyrö: a cleared bit is a matched byte of the text.
    fn common_bytes(&self, other: &[u8]) -> u32 {
        let mut state = [u64::MAX; MAX_LINE_LEN / 64];
        for byte in other {
            let from = usize::from(*byte) * self.words;
            let masks = self.masks.get(from..from + self.words).unwrap_or_default();
            let mut carry = false;
            for (word, mask) in state.iter_mut().zip(masks) {
                let matched = *word & mask;
                let (sum, over) = word.overflowing_add(matched);
                let (sum, over_carry) = sum.overflowing_add(u64::from(carry));
                carry = over || over_carry;
                *word = sum | (*word & !mask);
            }
        }
        let used = state.iter().take(self.words);
        used.map(|word| word.count_zeros()).sum()
    }
}

/// Returns the similarity of two lines, from 0 to 1. Indentation is ignored.
pub(crate) fn similarity(one: &[u8], other: &[u8]) -> f32 {
    Pattern::new(one).similarity(other)
}

fn trimmed(line: &[u8]) -> &[u8] {
    let line = line.trim_ascii();
    line.get(..MAX_LINE_LEN).unwrap_or(line)
}

/// Returns the words of a line as sorted numbers.
fn tokens(line: &[u8]) -> Vec<u32> {
    let mut tokens = words(line);
    tokens.sort_unstable();
    tokens
}

/// Returns the length of a word, up to a limit.
pub(crate) fn letters(word: u32) -> u32 {
    word & 15
}

/// Returns the words of a line as numbers: the hash, with the length in the low 4 bits.
///
/// Names are split into their parts: `oldLineNumber` and `old_line_number` are three words.
pub(crate) fn words(line: &[u8]) -> Vec<u32> {
    const SEED: u32 = 0x811c_9dc5;
    let mut tokens = Vec::with_capacity(line.len() / 4);
    let (mut hash, mut length) = (SEED, 0_u32);
    let mut was_lower = false;
    for byte in line {
        let is_word = byte.is_ascii_alphanumeric() || !byte.is_ascii();
        if length > 0 && (!is_word || (was_lower && byte.is_ascii_uppercase())) {
            tokens.push((hash & !15) | length.min(15));
            (hash, length) = (SEED, 0);
        }
        if is_word {
            // The FNV-1a hash.
            hash = (hash ^ u32::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0193);
            length += 1;
        }
        was_lower = !byte.is_ascii_uppercase();
    }
    if length > 0 {
        tokens.push((hash & !15) | length.min(15));
    }
    tokens
}

/// Returns the share of the words, weighted by their length, that two sorted lists have in common.
fn share(one: &[u32], other: &[u32]) -> f32 {
    let weight = |tokens: &[u32]| tokens.iter().map(|token| letters(*token)).sum::<u32>();
    let total = weight(one) + weight(other);
    if total == 0 {
        return 0.0;
    }
    let mut rest = other;
    let mut common = 0;
    for token in one {
        while let [first, tail @ ..] = rest {
            if first > token {
                break;
            }
            rest = tail;
            if first == token {
                common += 2 * letters(*token);
                break;
            }
        }
    }
    common as f32 / total as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(one: &str, other: &str, expected: f32) {
        let found = similarity(one.as_bytes(), other.as_bytes());
        let back = similarity(other.as_bytes(), one.as_bytes());
        assert!((found - expected).abs() < 0.01, "{found}");
        assert!((found - back).abs() < 0.01, "{found} is not {back}");
    }

    #[test]
    fn indentation_does_not_count() {
        check("    let a = b;", "\tlet a = b; ", 1.0);
        check("", "", 1.0);
        check("", "a", 0.0);
    }

    #[test]
    fn words_and_bytes_count_half_each() {
        check("abcd", "abce", 0.375);
        check("one two", "one six", 0.535);
        check("++", "+-", 0.25);
    }

    #[test]
    fn long_lines_span_several_machine_words() {
        let one = "x".repeat(200);
        check(&format!("{one} a"), &format!("{one} b"), 0.96);
    }

    #[test]
    fn names_are_split_into_words() {
        check("oldLineNumber", "old_line_number", 0.893);
    }

    #[test]
    fn a_line_is_similar_to_one_that_contains_it() {
        let score = |one: &str, other: &str| similarity(one.as_bytes(), other.as_bytes());
        assert!(
            score("self.state(a)", "if let Some(now) = self.state(a) && now.is_open() {")
                >= MIN_CONTAINED
        );
        assert!(
            score("a();", "if let Some(now) = self.state(a) && now.is_open() { a(); }")
                < MIN_CONTAINED
        );
    }
}
