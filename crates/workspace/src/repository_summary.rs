//! The state of a repository in words.

/// Says what is checked out, and whether something is not committed: `main at 1a2b3c4, clean`.
///
/// A commit without a branch is a detached one, and a branch without a commit one that has none yet.
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

/// Says whether something is not committed, where that is known.
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
    fn one_state_has_one_name() {
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
