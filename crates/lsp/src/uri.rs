//! Addresses of files.

use std::path::{Path, PathBuf};

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

/// The characters that have a meaning in an address, or are not allowed there.
const RESERVED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// Returns the path of a file; none for other addresses.
pub(crate) fn to_path(uri: &str) -> Option<PathBuf> {
    let path = uri.strip_prefix("file://")?;
    // Between the slashes there can be the name of this machine.
    let path = path.get(path.find('/')?..)?;
    Some(PathBuf::from(percent_decode_str(path).decode_utf8().ok()?.into_owned()))
}

/// Returns the address of a file. Bytes that are not UTF-8 are replaced.
pub(crate) fn from_path(path: &Path) -> String {
    format!("file://{}", utf8_percent_encode(&path.to_string_lossy(), RESERVED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_survive_the_way_through_an_address() {
        for path in ["/a/b.rs", "/a b/100%.rs", "/ü/#1?.rs", "/a[1]/{x}|y^z`.rs", "/a\\b"] {
            assert_eq!(to_path(&from_path(Path::new(path))), Some(PathBuf::from(path)), "{path}");
        }
        assert_eq!(from_path(Path::new("/a b/ü.rs")), "file:///a%20b/%C3%BC.rs");
        assert_eq!(to_path("file://machine/a.rs"), Some(PathBuf::from("/a.rs")));
        assert_eq!(to_path("file:///a%3A%20b"), Some(PathBuf::from("/a: b")));
        assert_eq!((to_path("untitled:Untitled-1"), to_path("file:///%ff")), (None, None));
    }
}
