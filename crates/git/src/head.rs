//! What a worktree has checked out.

use std::fs;
use std::path::Path;

use crate::commit_id::CommitId;

/// What `HEAD` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Head {
    /// A branch, which may have no commit yet.
    Branch {
        /// The name without `refs/heads/`; bytes that are not UTF-8 are replaced.
        name: String,
    },
    /// A commit without a branch, as during a rebase.
    Detached {
        /// The commit.
        commit: CommitId,
    },
    /// `HEAD` cannot be read, or does not say; with the reftable backend it never does.
    Unknown,
}

impl Head {
    pub(crate) fn read(git_dir: &Path) -> Self {
        let path = git_dir.join("HEAD");
        // Very old repositories have a symbolic link here.
        if let Ok(target) = fs::read_link(&path) {
            return Self::from_ref(&target.to_string_lossy());
        }
        match fs::read(path) {
            Ok(content) => Self::parse(&String::from_utf8_lossy(&content)),
            Err(_) => Self::Unknown,
        }
    }

    /// Returns the words that stand for it in a list.
    #[must_use]
    pub fn label(&self) -> String {
        match self {
            Self::Branch { name } => name.clone(),
            Self::Detached { commit } => format!("detached at {}", commit.short()),
            Self::Unknown => "unknown".to_owned(),
        }
    }

    fn parse(content: &str) -> Self {
        let content = content.trim_ascii_end();
        if let Some(name) = content.strip_prefix("ref:") {
            return Self::from_ref(name.trim_ascii_start());
        }
        match CommitId::parse(content) {
            Some(commit) => Self::Detached { commit },
            None => Self::Unknown,
        }
    }

    fn from_ref(name: &str) -> Self {
        match name.strip_prefix("refs/heads/") {
            // The reftable backend leaves this name for programs that only read the file.
            None | Some("" | ".invalid") => Self::Unknown,
            Some(branch) => Self::Branch { name: branch.to_owned() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(content: &str, expected: &str) {
        assert_eq!(Head::parse(content).label(), expected);
    }

    #[test]
    fn a_branch_is_named_by_its_ref() {
        check("ref: refs/heads/main\n", "main");
        check("ref:\trefs/heads/topic/ä\r\n", "topic/ä");
    }

    #[test]
    fn a_bare_id_is_detached() {
        check("0123456789abcdef0123456789abcdef01234567\n", "detached at 0123456");
    }

    #[test]
    fn anything_else_is_unknown() {
        check("ref: refs/heads/.invalid\n", "unknown");
        check("ref: refs/remotes/origin/main\n", "unknown");
        check("", "unknown");
        check("0123456\n", "unknown");
    }
}
