//! Reads the two settings of a repository on which its layout depends.

use std::fs;
use std::path::{Path, PathBuf};

use crate::platform::path_from_bytes;

/// `core.bare` and `core.worktree` of the main checkout.
///
/// Included files and continued lines are not followed: git writes these settings itself, as plain
/// lines.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Core {
    pub(crate) bare: bool,
    pub(crate) worktree: Option<PathBuf>,
}

impl Core {
    pub(crate) fn read(common_dir: &Path) -> Self {
        let mut core = Self::default();
        // With `extensions.worktreeConfig` git moves both settings to the second file.
        for name in ["config", "config.worktree"] {
            if let Ok(content) = fs::read(common_dir.join(name)) {
                core.apply(&content);
            }
        }
        core
    }

    fn apply(&mut self, content: &[u8]) {
        let mut in_core = false;
        for line in content.split(|&byte| byte == b'\n') {
            let mut line = line.trim_ascii();
            if let Some(header) = line.strip_prefix(b"[") {
                let end = header.iter().position(|&byte| byte == b']');
                let (name, rest) = header.split_at(end.unwrap_or(header.len()));
                in_core = name.trim_ascii().eq_ignore_ascii_case(b"core");
                line = rest.strip_prefix(b"]").unwrap_or(rest).trim_ascii();
            }
            if in_core {
                self.apply_line(line);
            }
        }
    }

    fn apply_line(&mut self, line: &[u8]) {
        let equals = line.iter().position(|&byte| byte == b'=');
        let (key, rest) = line.split_at(equals.unwrap_or(line.len()));
        let value = rest.strip_prefix(b"=").map(unquote);
        match key.trim_ascii().to_ascii_lowercase().as_slice() {
            b"bare" => self.bare = value.is_none_or(|value| is_true(&value)),
            b"worktree" => self.worktree = value.map(|value| path_from_bytes(&value)),
            _ => {}
        }
    }
}

/// Returns a value without its quotes, escapes and comment.
fn unquote(raw: &[u8]) -> Vec<u8> {
    let mut value = Vec::new();
    // The length without trailing whitespace that is not quoted.
    let mut kept = 0;
    let mut quoted = false;
    let mut bytes = raw.trim_ascii().iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => quoted = !quoted,
            b'#' | b';' if !quoted => break,
            b'\\' => value.extend(bytes.next()),
            _ => value.push(byte),
        }
        if quoted || !byte.is_ascii_whitespace() {
            kept = value.len();
        }
    }
    value.truncate(kept);
    value
}

fn is_true(value: &[u8]) -> bool {
    !["", "false", "no", "off", "0"].iter().any(|word| value.eq_ignore_ascii_case(word.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(content: &str, bare: bool, worktree: Option<&str>) {
        let mut core = Core::default();
        core.apply(content.as_bytes());
        let worktree = worktree.map(PathBuf::from);
        assert_eq!(core, Core { bare, worktree });
    }

    #[test]
    fn settings_are_read_from_their_section_only() {
        check("[core]\n\tbare = true\n", true, None);
        check("[Core] Bare\r\n[other]\nworktree = /x\nbare = no\n", true, None);
        check("[core \"sub\"]\nbare = true\n", false, None);
        check("bare = true\n", false, None);
    }

    #[test]
    fn the_last_value_is_used() {
        check("[core]\nbare = true\nbare = FALSE ; not so\n", false, None);
    }

    #[test]
    fn values_lose_quotes_escapes_and_comments() {
        check("[core]\nworktree = ../../../a b # c\n", false, Some("../../../a b"));
        check("[core]\nworktree = \" a#\\\\b \" ; c\n", false, Some(" a#\\b "));
    }
}
