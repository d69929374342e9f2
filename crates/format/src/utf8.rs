//! Text out of bytes that may not be any.

use std::borrow::Cow;

/// Decodes bytes; what is not UTF-8 becomes U+FFFD.
///
/// It gives what `String::from_utf8_lossy` gives, which goes byte by byte where this one seldom does.
pub(crate) fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}

/// Does the same, with LF at the end of every line.
pub(crate) fn lossy_lines(bytes: &[u8]) -> Cow<'_, str> {
    let text = lossy(bytes);
    if memchr::memchr(b'\r', bytes).is_some() { text.replace("\r\n", "\n").into() } else { text }
}

/// Returns whether the bytes are UTF-8, passing over ASCII many bytes at a time.
pub(crate) fn is_valid(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    while let Some((run, behind)) = rest.split_first_chunk::<64>() {
        if run.iter().fold(0, |all, byte| all | byte) < 0x80 {
            rest = behind;
            continue;
        }
        match std::str::from_utf8(run) {
            Ok(_) => rest = behind,
            // Only a character that the end of the run cuts is no error.
            Err(error) if error.error_len().is_none() => {
                rest = rest.get(error.valid_up_to()..).unwrap_or_default();
            }
            Err(_) => return false,
        }
    }
    std::str::from_utf8(rest).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_standard_library() {
        let samples: [&[u8]; 7] = [
            b"a",
            "\u{e9}".as_bytes(),
            "\u{4e2d}".as_bytes(),
            "\u{1f600}".as_bytes(),
            b"\xff",
            b"\xe4\xb8",
            b"\xf0",
        ];
        for before in 0..140 {
            for (sample, behind) in samples.iter().flat_map(|one| [(one, 0), (one, 3), (one, 90)]) {
                let bytes = [&vec![b'x'; before], *sample, &vec![b'y'; behind]].concat();
                assert_eq!(is_valid(&bytes), std::str::from_utf8(&bytes).is_ok(), "{bytes:?}");
                assert_eq!(lossy(&bytes), String::from_utf8_lossy(&bytes));
            }
        }
        let long = "\u{e9}\u{4e2d}\u{1f600}a".repeat(50);
        assert!(is_valid(long.as_bytes()) && !is_valid(&long.as_bytes()[1..]));
    }
}
