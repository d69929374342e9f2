//! The similarity of two lines by their common substrings.

/// The number of bytes of a line that are compared.
const MAX_LINE_LEN: usize = 300;

/// Minimum number of letters and digits of an old line that counts as contained in a new one.
const MIN_CONTAINED_LETTERS: usize = 8;

/// Returns twice the bytes in common substrings divided by the bytes of both lines, from 0 to 1.
///
/// The longest common substring is found first, then the longest ones left and right of it, and so on: the algorithm of Ratcliff and
/// Obershelp, which the tested crate does not use. Several blanks count as one. If the new line contains the old one, the result is at
/// least `if_contained`. A result that cannot reach `least` is 0.
pub(super) fn similarity(old: &[u8], new: &[u8], least: f64, if_contained: f64) -> f64 {
    let (old, new) = (normalize(old), normalize(new));
    if old == new {
        return 1.0;
    }
    let total = (old.len() + new.len()) as f64;
    let contains =
        letter_count(&old) >= MIN_CONTAINED_LETTERS && memchr::memmem::find(&new, &old).is_some();
    let floor = if contains { if_contained } else { 0.0 };
    if 2.0 * old.len().min(new.len()) as f64 / total < least {
        return floor;
    }
    floor.max(2.0 * common_bytes(&old, &new) as f64 / total)
}

/// Returns the number of letters and digits of a line.
pub(super) fn letter_count(line: &[u8]) -> usize {
    line.iter().filter(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii()).count()
}

/// Returns the number of bytes in common substrings.
fn common_bytes(one: &[u8], other: &[u8]) -> usize {
    let (start, other_start, length) = longest_common(one, other);
    if length == 0 {
        return 0;
    }
    let before = one.get(..start).zip(other.get(..other_start));
    let after = one.get(start + length..).zip(other.get(other_start + length..));
    let rest = before.into_iter().chain(after).map(|(one, other)| common_bytes(one, other));
    length + rest.sum::<usize>()
}

/// Returns the start of the longest common substring in each line, and its length.
fn longest_common(one: &[u8], other: &[u8]) -> (usize, usize, usize) {
    let mut best = (0, 0, 0);
    let mut lengths = vec![0_usize; other.len() + 1];
    for (start, byte) in one.iter().enumerate() {
        let mut diagonal = 0;
        for ((other_start, other_byte), length) in
            other.iter().enumerate().zip(lengths.iter_mut().skip(1))
        {
            let above = *length;
            *length = if byte == other_byte { diagonal + 1 } else { 0 };
            diagonal = above;
            if *length > best.2 {
                best = (start + 1 - *length, other_start + 1 - *length, *length);
            }
        }
    }
    best
}

fn normalize(line: &[u8]) -> Vec<u8> {
    let words = line.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
    let mut line = words.collect::<Vec<_>>().join(&b' ');
    line.truncate(MAX_LINE_LEN);
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_common_substrings() {
        let check = |one: &str, other: &str, expected: f64| {
            let found = similarity(one.as_bytes(), other.as_bytes(), 0.0, 0.6);
            assert!((found - expected).abs() < 0.001, "{found}");
        };
        check("  a", "a", 1.0);
        check("abcd", "bcde", 0.75);
        check("private Thread currentThread;", "private volatile Thread currentThread;", 0.866);
        check("ab", "cd", 0.0);
        check("#      matrix:", "matrix:", 0.875);
        check("one two three", "one two three, and so on, and so on", 0.6);
    }
}
