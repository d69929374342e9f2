//! Reads the small files in which git keeps one path.

use std::fs;
use std::path::{Path, PathBuf};

use crate::platform::path_from_bytes;

/// Returns the path that `file` holds; `None` when there is no such file or it is empty.
pub(crate) fn read(file: &Path) -> Option<PathBuf> {
    parse(&fs::read(file).ok()?)
}

/// Returns the path in `content`, without the blanks before it and the line end after it.
pub(crate) fn parse(content: &[u8]) -> Option<PathBuf> {
    let mut path = content.trim_ascii_start();
    while let [head @ .., b'\n' | b'\r'] = path {
        path = head;
    }
    (!path.is_empty()).then(|| path_from_bytes(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(content: &[u8], expected: Option<&str>) {
        assert_eq!(parse(content), expected.map(PathBuf::from));
    }

    #[test]
    fn a_path_ends_where_its_line_ends() {
        check(b" ../.git/worktrees/a\n", Some("../.git/worktrees/a"));
        check(b"/a b/.git\r\n", Some("/a b/.git"));
        check(b"/trailing blank \n", Some("/trailing blank "));
    }

    #[test]
    fn blank_content_holds_no_path() {
        check(b"", None);
        check(b" \n", None);
    }
}
