//! Describes the state of a repository in words.

use skein_model::Sensitive;
use skein_model::view::GitSummary;

/// Returns the branch, the commit and whether there are uncommitted changes: `main at 1a2b3c4, clean`.
///
/// Without a branch HEAD is detached; without a commit the branch has none yet.
pub fn state(branch: Option<&str>, commit: Option<&str>, dirty: Option<bool>) -> String {
    let known = |word: &&str| !word.trim().is_empty();
    let branch = branch.filter(known).filter(|branch| *branch != "HEAD");
    let place = match (branch, commit.filter(known)) {
        (Some(branch), Some(commit)) => format!("{branch} at {commit}"),
        (Some(branch), None) => format!("{branch}, no commit yet"),
        (None, Some(commit)) => format!("detached at {commit}"),
        (None, None) => "unknown".to_owned(),
    };
    format!("{place}{}", changes(dirty))
}

/// Returns the state of a repository in a checkpoint, if the branch or the commit is known.
pub fn of_git(git: &GitSummary) -> Option<String> {
    let branch = git.branch.as_ref().map(Sensitive::redacted);
    let commit = git.current_commit.as_deref();
    let is_known = branch.is_some() || commit.is_some();
    is_known.then(|| state(branch.as_deref(), commit, git.dirty))
}

/// Returns the words for uncommitted changes; empty if unknown.
pub fn changes(dirty: Option<bool>) -> &'static str {
    match dirty {
        Some(true) => ", with uncommitted changes",
        Some(false) => ", clean",
        None => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn describes_the_branch_the_commit_and_uncommitted_changes() {
        let check = |branch: Option<&str>, commit: Option<&str>, dirty, expected: &str| {
            assert_eq!(state(branch, commit, dirty), expected);
        };
        check(Some("main"), Some("1a2b3c4"), Some(false), "main at 1a2b3c4, clean");
        check(Some("main"), Some("1a2b3c4"), None, "main at 1a2b3c4");
        check(Some("main"), None, Some(true), "main, no commit yet, with uncommitted changes");
        check(None, Some("1a2b3c4"), Some(false), "detached at 1a2b3c4, clean");
        check(Some("HEAD"), Some("1a2b3c4"), None, "detached at 1a2b3c4");
        check(Some(""), Some("1a2b3c4"), None, "detached at 1a2b3c4");
        check(None, None, None, "unknown");
    }
}
