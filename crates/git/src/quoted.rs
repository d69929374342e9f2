//! Quoted paths, as in git's patches.

use std::ffi::OsString;
use std::path::Path;

use crate::platform::path_from_bytes;

/// Parses a quoted path at the start of `text`, and returns it with the rest.
pub(crate) fn unquote(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut path = Vec::new();
    let mut rest = text.strip_prefix(b"\"")?;
    loop {
        rest = match rest {
            [b'"', rest @ ..] => return Some((path, rest)),
            [b'\\', a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', rest @ ..] => {
                path.push((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'));
                rest
            }
            [b'\\', letter, rest @ ..] => {
                path.push(escaped(*letter)?);
                rest
            }
            [byte, rest @ ..] => {
                path.push(*byte);
                rest
            }
            [] => return None,
        }
    }
}

/// Quotes a path for a list of directories, in which only a quoted path may contain the separator.
pub(crate) fn quote_path(path: &Path) -> OsString {
    path_from_bytes(&quote(path.as_os_str().as_encoded_bytes())).into_os_string()
}

/// Returns `path` in quotation marks.
fn quote(path: &[u8]) -> Vec<u8> {
    let mut quoted = vec![b'"'];
    for &byte in path {
        match byte {
            b'"' | b'\\' => quoted.extend([b'\\', byte]),
            b'\n' => quoted.extend(b"\\n"),
            byte => quoted.push(byte),
        }
    }
    quoted.push(b'"');
    quoted
}

fn escaped(letter: u8) -> Option<u8> {
    Some(match letter {
        b'a' => 7,
        b'b' => 8,
        b't' => b'\t',
        b'n' => b'\n',
        b'v' => 11,
        b'f' => 12,
        b'r' => b'\r',
        b'"' | b'\\' => letter,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<(&str, &str)>) {
        let expected = expected.map(|(path, rest)| (path.as_bytes().to_vec(), rest.as_bytes()));
        assert_eq!(unquote(text.as_bytes()), expected);
    }

    #[test]
    fn escapes_are_decoded() {
        check(r#""a/\303\244 \"\\\n\t" b"#, Some(("a/ä \"\\\n\t", " b")));
        check(r#""""#, Some(("", "")));
    }

    #[test]
    fn invalid_quoting_is_rejected() {
        check("a", None);
        check(r#""a"#, None);
        check(r#""\q""#, None);
        check(r#""\777""#, None);
        check(r#""\"#, None);
    }

    #[test]
    fn a_quoted_path_reads_back() {
        let path = b"a \"b\" \\ \n \xff".to_vec();
        assert_eq!(unquote(&quote(&path)), Some((path, b"".as_slice())));
    }
}
