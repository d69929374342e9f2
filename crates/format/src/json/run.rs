//! Runs of bytes that a reader passes over several at a time.

/// Returns the offset of the first byte at or after `at` that is no white space.
pub(super) fn blank_until(bytes: &[u8], mut at: usize) -> usize {
    const SPACES: u64 = u64::from_le_bytes(*b"        ");
    loop {
        // A line end is mostly followed by an indent, which goes by up to eight spaces at once.
        if let Some(chunk) = bytes.get(at..at + 8) {
            let word = chunk.try_into().map(u64::from_le_bytes).unwrap_or(0);
            at += (word ^ SPACES).trailing_zeros() as usize / 8;
        }
        if !matches!(bytes.get(at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            return at;
        }
        at += 1;
    }
}

/// Returns the offset of the first quote, backslash or control character at or after `at`.
pub(crate) fn plain_until(bytes: &[u8], mut at: usize) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    let zero = |word: u64| word.wrapping_sub(ONES) & !word & HIGHS;
    while let Some(chunk) = bytes.get(at..at + 8) {
        let word = chunk.try_into().map(u64::from_le_bytes).unwrap_or(0);
        let quote = zero(word ^ (ONES * u64::from(b'"')));
        let slash = zero(word ^ (ONES * u64::from(b'\\')));
        let control = word.wrapping_sub(ONES * 0x20) & !word & HIGHS;
        let found = quote | slash | control;
        if found != 0 {
            // A borrow can mark a byte above a true hit, never below one: the lowest mark is exact.
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while bytes.get(at).is_some_and(|byte| *byte >= 0x20 && *byte != b'"' && *byte != b'\\') {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_ends_where_it_ends() {
        for (len, byte) in (0..150).flat_map(|len| b"\"\\\n\x1f".map(|byte| (len, byte))) {
            let mut text = "\u{e9}x\x7f".repeat(50).into_bytes();
            text[len] = byte;
            assert_eq!(plain_until(&text, 0), len);
            assert_eq!(plain_until(&text[..=len], 0), len);
            assert_eq!(plain_until(&text[..len], 0), len);
        }
    }

    #[test]
    fn white_space_ends_where_it_ends() {
        let text = "  \n        \t\r\n  \n                  x".repeat(3);
        for from in 0..text.len() {
            let rest = text.get(from..).unwrap();
            let blank = rest.len() - rest.trim_ascii_start().len();
            assert_eq!(blank_until(text.as_bytes(), from), from + blank);
        }
        assert_eq!(blank_until(b"    ", 1), 4);
    }
}
