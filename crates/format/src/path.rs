//! Paths that a thread may refer to.
//!
//! A cloned repository is not trusted. The check here is lexical; the store adds one that does not
//! follow symbolic links out of the workspace.

use std::fmt;

/// A path relative to the workspace, with `/` between its parts, outside of `.git` and of the store.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkspacePath(String);

/// Why a path is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathProblem {
    /// It has no parts, or only blanks.
    #[error("is empty")]
    Empty,
    /// It starts with `/`.
    #[error("is absolute")]
    Absolute,
    /// It contains a part `..`.
    #[error("contains `..`")]
    Upwards,
    /// Its second character is `:`, as in a drive letter.
    #[error("contains a `:` where Windows has a drive or a stream")]
    Colon,
    /// It contains a backslash, which is a separator on Windows.
    #[error("contains a backslash")]
    Backslash,
    /// It contains NUL or another control character.
    #[error("contains a control character")]
    Control,
    /// It is inside of `.git`.
    #[error("is inside `.git`")]
    Git,
    /// It is inside of the store of the threads.
    #[error("is inside the store of the threads")]
    Store,
    /// It ends in a slash, so that it cannot be a file.
    #[error("names a directory")]
    Directory,
    /// It is longer than 4096 bytes.
    #[error("is longer than 4096 bytes")]
    Long,
}

impl WorkspacePath {
    /// Parses a path; `store` is the store's own path in the same form.
    ///
    /// Empty parts and `.` are dropped: `./src//a.rs` is `src/a.rs`.
    pub fn parse(text: &str, store: &str) -> Result<Self, PathProblem> {
        // Some programs trim a path before they open it.
        if text.trim_start().starts_with('/') {
            return Err(PathProblem::Absolute);
        }
        if text.len() > 4096 {
            return Err(PathProblem::Long);
        }
        if text.contains('\\') {
            return Err(PathProblem::Backslash);
        }
        if text.chars().any(char::is_control) {
            return Err(PathProblem::Control);
        }
        let mut path = String::with_capacity(text.len());
        let (mut upwards, mut git) = (false, false);
        for part in text.split('/').filter(|part| !matches!(*part, "" | ".")) {
            upwards |= part == "..";
            git |= is_git(part);
            if !path.is_empty() {
                path.push('/');
            }
            path.push_str(part);
        }
        if path.trim().is_empty() {
            return Err(PathProblem::Empty);
        }
        if path.as_bytes().get(1) == Some(&b':') {
            return Err(PathProblem::Colon);
        }
        if upwards {
            return Err(PathProblem::Upwards);
        }
        if git {
            return Err(PathProblem::Git);
        }
        let path = Self(path);
        if path.is_inside(store) { Err(PathProblem::Store) } else { Ok(path) }
    }

    /// Consumes the path and returns its text.
    pub fn into_string(self) -> String {
        self.0
    }

    /// Returns the path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether the path is the folder or inside of it, ignoring case.
    fn is_inside(&self, folder: &str) -> bool {
        let (folder, mut rest) = (folder.trim_matches('/'), self.0.chars());
        let same = |one: char, other: char| one.to_lowercase().eq(other.to_lowercase());
        !folder.is_empty()
            && folder.chars().all(|one| rest.next().is_some_and(|other| same(one, other)))
            && matches!(rest.next(), None | Some('/'))
    }
}

impl fmt::Display for WorkspacePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns whether a file system may treat the part as `.git`.
///
/// macOS ignores some invisible characters. Windows ignores trailing dots and spaces and a stream
/// name, and has the short form `git~1`.
fn is_git(part: &str) -> bool {
    if part.is_ascii() && !part.starts_with(['.', 'g', 'G']) {
        return false;
    }
    let visible: String = part.chars().filter(|c| !is_ignorable(*c)).collect();
    let stem = visible.split(':').next().unwrap_or_default();
    let stem = stem.trim_end_matches([' ', '.']).to_lowercase();
    stem == ".git" || stem == "git~1"
}

fn is_ignorable(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let got = match WorkspacePath::parse(text, ".code-review") {
            Ok(path) => path.to_string(),
            Err(problem) => problem.to_string(),
        };
        assert_eq!(got, expected, "{text:?}");
    }

    #[test]
    fn accepts_plain_paths() {
        check("src/a.rs", "src/a.rs");
        check("./src//a.rs", "src/a.rs");
        check("~x/..a/b..c/...", "~x/..a/b..c/...");
        check("\u{fc}\u{f1}\u{ed}/\u{4e2d} \u{6587}.ts", "\u{fc}\u{f1}\u{ed}/\u{4e2d} \u{6587}.ts");
        check(".gitignore", ".gitignore");
        check(".github/x", ".github/x");
        check(".code-reviewer/x", ".code-reviewer/x");
    }

    #[test]
    fn refuses_unsafe_paths() {
        check("", "is empty");
        check("./", "is empty");
        check("  ", "is empty");
        check(" /etc/passwd", "is absolute");
        check("/etc/passwd", "is absolute");
        check("../x", "contains `..`");
        check("a/../../x", "contains `..`");
        check("a\\..\\b", "contains a backslash");
        check("C:x", "contains a `:` where Windows has a drive or a stream");
        check("a\0b", "contains a control character");
        check("a\nb", "contains a control character");
        check(".git/hooks/pre-commit", "is inside `.git`");
        check("sub/.GIT/config", "is inside `.git`");
        check(".git. /config", "is inside `.git`");
        check(".g\u{200c}it/config", "is inside `.git`");
        check("GIT~1/config", "is inside `.git`");
        check(".git::$INDEX_ALLOCATION/config", "is inside `.git`");
        check(".code-review/threads/x.md", "is inside the store of the threads");
        check(".Code-Review", "is inside the store of the threads");
        check(&"a/".repeat(3000), "is longer than 4096 bytes");
    }
}
