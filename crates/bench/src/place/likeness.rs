//! How alike two lines are by the longest stretches that they share.

/// How many bytes of a line are compared.
const MAX_LINE_LEN: usize = 300;

/// A line that holds an older one of so many letters and digits goes on from it.
const WORDS: usize = 8;

/// Returns twice the bytes in common stretches over the bytes of both, from 0 to 1.
///
/// The longest common stretch is taken first, then the longest ones left and right of it, and so on.
/// This is the measure of Ratcliff and Obershelp, and not the one that the crate under test uses. Runs of
/// blanks count as one, and an old line that the new one holds whole is at least `held` like it. What
/// cannot reach `least` is 0.
pub(crate) fn likeness(old: &[u8], new: &[u8], least: f64, held: f64) -> f64 {
    let (old, new) = (squeezed(old), squeezed(new));
    if old == new {
        return 1.0;
    }
    let total = (old.len() + new.len()) as f64;
    let holds = letters(&old) >= WORDS && memchr::memmem::find(&new, &old).is_some();
    let floor = if holds { held } else { 0.0 };
    if 2.0 * old.len().min(new.len()) as f64 / total < least {
        return floor;
    }
    floor.max(2.0 * common(&old, &new) as f64 / total)
}

/// Returns the number of letters and digits of a line.
pub(crate) fn letters(line: &[u8]) -> usize {
    line.iter().filter(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii()).count()
}

/// Returns how many bytes are in common stretches.
fn common(one: &[u8], other: &[u8]) -> usize {
    let mut common = 0;
    let mut waiting = vec![(one, other)];
    while let Some((one, other)) = waiting.pop() {
        let (start, other_start, length) = longest(one, other);
        if length == 0 {
            continue;
        }
        common += length;
        let (left, right) = (one.get(..start), one.get(start + length..));
        let (other_left, other_right) =
            (other.get(..other_start), other.get(other_start + length..));
        waiting.extend(left.zip(other_left));
        waiting.extend(right.zip(other_right));
    }
    common
}

/// Returns where the longest common stretch begins in either, and its length.
fn longest(one: &[u8], other: &[u8]) -> (usize, usize, usize) {
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

fn squeezed(line: &[u8]) -> Vec<u8> {
    let words = line.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
    let mut line = words.collect::<Vec<_>>().join(&b' ');
    line.truncate(MAX_LINE_LEN);
    line
}

#[test]
fn counts_common_stretches() {
    let check = |one: &str, other: &str, expected: f64| {
        let found = likeness(one.as_bytes(), other.as_bytes(), 0.0, 0.6);
        assert!((found - expected).abs() < 0.001, "{found}");
    };
    check("  a", "a", 1.0);
    check("abcd", "bcde", 0.75);
    check("private Thread currentThread;", "private volatile Thread currentThread;", 0.866);
    check("ab", "cd", 0.0);
    check("#      matrix:", "matrix:", 0.875);
    check("one two three", "one two three, and so on, and so on", 0.6);
}
