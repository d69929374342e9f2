//! Reads what a worktree has checked out.

use std::fs;
use std::path::Path;

use crate::object_id::CommitId;
use crate::repo_dirs::RepoDirs;

/// The maximum number of symbolic references in a row, as in git.
const MAX_CHAIN: usize = 5;
/// The maximum length of the file of a reference.
const MAX_REF_LEN: u64 = 4096;
/// Prefixes of references that are private to each worktree.
const OWN: [&str; 3] = ["refs/bisect/", "refs/worktree/", "refs/rewritten/"];

/// The target of `HEAD`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Head {
    /// A branch, which may have no commit yet: its name without `refs/heads/`; bytes that are not UTF-8 are replaced.
    Branch { name: String },
    /// A commit without a branch, as during a rebase.
    Detached { commit: CommitId },
    /// `HEAD` cannot be read or parsed; always with the reftable backend.
    Unknown,
}

/// What a reference contains.
enum RefTarget {
    Commit(CommitId),
    Other(String),
}

impl Head {
    pub(crate) fn read(git_dir: &Path) -> Self {
        Self::from_target(read_ref(&git_dir.join("HEAD")))
    }

    /// Returns the text to show in a list.
    pub fn label(&self) -> String {
        match self {
            Self::Branch { name } => name.clone(),
            Self::Detached { commit } => format!("detached at {}", commit.short()),
            Self::Unknown => "unknown".to_owned(),
        }
    }

    fn from_target(target: Option<RefTarget>) -> Self {
        match target {
            Some(RefTarget::Commit(commit)) => Self::Detached { commit },
            Some(RefTarget::Other(name)) => match name.strip_prefix("refs/heads/") {
                // The reftable backend writes this name for programs that only read the file.
                None | Some(".invalid") => Self::Unknown,
                Some(branch) => Self::Branch { name: branch.to_owned() },
            },
            None => Self::Unknown,
        }
    }
}

impl RepoDirs {
    /// Returns what this worktree has checked out.
    pub fn head(&self) -> Head {
        Head::read(&self.git_dir)
    }

    /// Returns the commit that is checked out, from the files of the repository alone.
    ///
    /// `None` on a branch that has no commit yet, and with the reftable backend, whose files are not read.
    pub fn head_commit(&self) -> Option<CommitId> {
        let mut name = "HEAD".to_owned();
        for _ in 0..=MAX_CHAIN {
            match self.target(&name)? {
                RefTarget::Commit(commit) => return Some(commit),
                RefTarget::Other(next) => name = next,
            }
        }
        None
    }

    fn target(&self, name: &str) -> Option<RefTarget> {
        let is_own = name == "HEAD" || OWN.iter().any(|prefix| name.starts_with(prefix));
        let dir = if is_own { &self.git_dir } else { &self.common_dir };
        read_ref(&dir.join(name)).or_else(|| packed(&self.common_dir.join("packed-refs"), name))
    }
}

fn read_ref(path: &Path) -> Option<RefTarget> {
    // Very old repositories have a symbolic link instead of a line.
    if let Ok(link) = fs::read_link(path) {
        return symbolic(&link.to_string_lossy());
    }
    let meta = fs::metadata(path).ok()?;
    if !meta.is_file() || meta.len() > MAX_REF_LEN {
        return None;
    }
    parse_ref(&String::from_utf8_lossy(&fs::read(path).ok()?))
}

fn parse_ref(content: &str) -> Option<RefTarget> {
    let content = content.trim_ascii_end();
    match content.strip_prefix("ref:") {
        Some(name) => symbolic(name.trim_ascii_start()),
        None => CommitId::parse(content).map(RefTarget::Commit),
    }
}

/// Returns the reference if its name is valid and cannot point outside the repository.
fn symbolic(name: &str) -> Option<RefTarget> {
    let is_plain =
        name.starts_with("refs/") && name.split('/').all(|part| !matches!(part, "" | "." | ".."));
    is_plain.then(|| RefTarget::Other(name.to_owned()))
}

fn packed(path: &Path, name: &str) -> Option<RefTarget> {
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let content = fs::read(path).ok()?;
    content.split(|&byte| byte == b'\n').find_map(|line| {
        let (id, rest) = line.split_at_checked(line.len().checked_sub(name.len())?)?;
        let id = id.strip_suffix(b" ").filter(|_| rest == name.as_bytes())?;
        CommitId::parse(str::from_utf8(id).ok()?).map(RefTarget::Commit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(content: &str, expected: &str) {
        assert_eq!(Head::from_target(parse_ref(content)).label(), expected);
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
