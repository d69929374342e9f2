//! Follows `HEAD` to its commit without starting git.

use std::fs;
use std::path::Path;

use crate::commit_id::CommitId;
use crate::layout::Layout;

/// How many references may stand for one another; git itself allows as many.
const MAX_CHAIN: usize = 5;
/// No file that holds one reference is longer.
const MAX_REF_LEN: u64 = 4096;

/// What a reference says.
enum Target {
    Commit(CommitId),
    Other(String),
}

impl Layout {
    /// Returns the commit that is checked out, from the files of the repository alone.
    ///
    /// `None` on a branch that has no commit yet, and where the files do not say: with the reftable backend they
    /// never do.
    #[must_use]
    pub fn head_commit(&self) -> Option<CommitId> {
        let mut name = "HEAD".to_owned();
        for _ in 0..=MAX_CHAIN {
            match self.target(&name)? {
                Target::Commit(commit) => return Some(commit),
                Target::Other(next) => name = next,
            }
        }
        None
    }

    fn target(&self, name: &str) -> Option<Target> {
        let own = name == "HEAD" || OWN.iter().any(|prefix| name.starts_with(prefix));
        let dir = if own { &self.git_dir } else { &self.common_dir };
        loose(&dir.join(name)).or_else(|| packed(&self.common_dir.join("packed-refs"), name))
    }
}

/// The references that each worktree has for itself.
const OWN: [&str; 3] = ["refs/bisect/", "refs/worktree/", "refs/rewritten/"];

fn loose(path: &Path) -> Option<Target> {
    // Very old repositories have a symbolic link where others have a line.
    if let Ok(link) = fs::read_link(path) {
        return symbolic(link.to_str()?);
    }
    let meta = fs::metadata(path).ok()?;
    if !meta.is_file() || meta.len() > MAX_REF_LEN {
        return None;
    }
    let content = fs::read_to_string(path).ok()?;
    let content = content.trim_ascii_end();
    match content.strip_prefix("ref:") {
        Some(name) => symbolic(name.trim_ascii_start()),
        None => CommitId::parse(content).map(Target::Commit),
    }
}

/// Takes the name of a reference, which must not lead out of the repository.
fn symbolic(name: &str) -> Option<Target> {
    let plain =
        name.starts_with("refs/") && name.split('/').all(|part| !matches!(part, "" | "." | ".."));
    plain.then(|| Target::Other(name.to_owned()))
}

fn packed(path: &Path, name: &str) -> Option<Target> {
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let content = fs::read(path).ok()?;
    content.split(|&byte| byte == b'\n').find_map(|line| {
        let (id, rest) = line.split_at_checked(line.len().checked_sub(name.len())?)?;
        let id = id.strip_suffix(b" ").filter(|_| rest == name.as_bytes())?;
        CommitId::parse(str::from_utf8(id).ok()?).map(Target::Commit)
    })
}
