//! Encodes text for URLs.

use std::fmt::Write as _;

/// Percent-encodes a text for a URL, except slashes.
pub(crate) fn encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            write!(encoded, "%{byte:02X}").unwrap_or_default();
        }
    }
    encoded
}
