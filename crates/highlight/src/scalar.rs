//! Classifies values without quotes.

use super::Class;

/// Returns the class of a number or a named constant.
pub(crate) fn scalar_class(text: &[u8]) -> Option<Class> {
    let text = text.trim_ascii();
    let is_constant = CONSTANTS.iter().any(|name| name.as_bytes().eq_ignore_ascii_case(text));
    if is_constant {
        return Some(Class::Constant);
    }
    let digits = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
    let is_number = digits.first().is_some_and(u8::is_ascii_digit)
        && digits.iter().all(|&byte| {
            byte.is_ascii_hexdigit()
                || matches!(byte, b'.' | b'_' | b'-' | b':' | b'x' | b'o' | b'T' | b'Z' | b'+')
        })
        && !digits.iter().all(u8::is_ascii_alphabetic);
    is_number.then_some(Class::Number)
}

const CONSTANTS: &[&str] = &["true", "false", "null", "yes", "no", "on", "off", "~"];
