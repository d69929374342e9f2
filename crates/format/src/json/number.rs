//! Numbers by value: `1`, `1.0` and `10e-1` are equal.

/// Returns the value if it is a non-negative integer that fits.
pub fn as_u32(raw: &[u8]) -> Option<u32> {
    as_u64(raw).and_then(|value| u32::try_from(value).ok())
}

/// Returns the value if it is a non-negative integer; one with a fraction or an exponent may be at most 2^53.
pub fn as_u64(raw: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(raw).ok()?;
    if let Ok(plain) = text.parse::<u64>() {
        return Some(plain);
    }
    let value = text.parse::<f64>().ok()?;
    let whole = (0.0..=9_007_199_254_740_992.0).contains(&value) && value.fract() == 0.0;
    #[expect(clippy::cast_possible_truncation, reason = "checked above")]
    whole.then_some(value as u64)
}

/// Returns the value rounded up, limited to the range of `u64`.
pub(crate) fn ceiling(raw: &[u8]) -> Option<u64> {
    let value = std::str::from_utf8(raw).ok()?.parse::<f64>().ok()?;
    #[expect(clippy::cast_possible_truncation, reason = "the cast stops at the ends")]
    Some(value.ceil() as u64)
}

/// Returns whether the number is 1.
pub fn is_one(raw: &[u8]) -> bool {
    as_u64(raw) == Some(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compares_by_value() {
        for one in ["1", "1.0", "1e0", "10e-1", "0.1E1"] {
            assert!(is_one(one.as_bytes()), "{one}");
        }
        for other in ["2", "-1", "1.5", "1e400", "true", ""] {
            assert!(!is_one(other.as_bytes()), "{other}");
        }
        assert_eq!(as_u32(b"-0"), Some(0));
        assert_eq!(as_u32(b"4294967296"), None);
        assert_eq!(as_u64(b"1e3"), Some(1000));
    }
}
