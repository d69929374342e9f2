//! Reads the latest entries of the reflog of `HEAD`.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};

use crate::object_id::CommitId;
use crate::repo_dirs::RepoDirs;

/// The number of bytes read from the end of the reflog: more than its longest line, and about a hundred lines of usual length.
const TAIL: u64 = 16 * 1024;

/// A movement of `HEAD`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeadMove {
    /// The commit that `HEAD` moved to.
    pub to: CommitId,
    /// The time, in seconds since 1970.
    pub at: i64,
    /// Whether a commit was made, as opposed to a checkout.
    pub is_commit: bool,
    /// The subject of the commit that was made; not known of a merge.
    pub subject: Option<String>,
}

impl RepoDirs {
    /// Returns the last movement of `HEAD` of this worktree, without running git.
    ///
    /// `None` if there is no reflog.
    pub fn last_movement(&self) -> Option<HeadMove> {
        self.latest_movements()?.pop()
    }

    /// Returns the latest movements of `HEAD` of this worktree, oldest first, without running git.
    ///
    /// `None` if there is no reflog.
    pub fn latest_movements(&self) -> Option<Vec<HeadMove>> {
        let mut file = File::open(self.git_dir.join("logs").join("HEAD")).ok()?;
        let meta = file.metadata().ok().filter(|meta| meta.is_file())?;
        let start = meta.len().saturating_sub(TAIL);
        file.seek(SeekFrom::Start(start)).ok()?;
        let mut bytes = Vec::new();
        file.take(TAIL).read_to_end(&mut bytes).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        // The first line may be the end of one.
        let partial = usize::from(start > 0);
        Some(text.trim_end().split('\n').skip(partial).filter_map(parse).collect())
    }
}

/// Parses `<old> <new> <name> <<mail>> <seconds> <zone>\t<message>`.
fn parse(line: &str) -> Option<HeadMove> {
    let (who, what) = line.split_once('\t').unwrap_or((line, ""));
    let to = CommitId::parse(who.split(' ').nth(1)?)?;
    let at = who.rsplit(' ').nth(1)?.parse().ok()?;
    let is_one = ["commit:", "commit (", "revert:"].iter().any(|word| what.starts_with(word));
    let is_commit = is_one || is_merge(what);
    let subject = what.split_once(": ").filter(|_| is_one).map(|(_, subject)| subject.to_owned());
    Some(HeadMove { to, at, is_commit, subject })
}

/// Returns whether `git merge` or `git pull` made a commit, as opposed to a fast-forward.
fn is_merge(what: &str) -> bool {
    let is_by_merging = ["merge ", "pull ", "pull:"].iter().any(|word| what.starts_with(word));
    is_by_merging && what.contains(": Merge made by the '")
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[track_caller]
    fn check(rest: &str, expected: &str) {
        let line = format!("{} {} {rest}", "0".repeat(40), "1".repeat(40));
        let got = parse(&line).map_or("none".to_owned(), |movement| {
            format!("{} {} {}", movement.to.short(), movement.at, movement.is_commit)
        });
        assert_eq!(got, expected);
    }

    #[test]
    fn a_commit_is_distinguished_from_a_checkout() {
        check("Ada L <a@b> 1769178652 +0100\tcommit: x", "1111111 1769178652 true");
        check("Ada <a@b> 1769178652 +0100\tcommit (amend): x", "1111111 1769178652 true");
        check("Ada <a@b> 1769178652 +0100\tcommit (initial): x", "1111111 1769178652 true");
        check(
            "Ada <a@b> 1769178652 +0100\tcheckout: moving from a to b",
            "1111111 1769178652 false",
        );
        check("Ada <a@b> 1769178652 +0100\trebase (pick): x", "1111111 1769178652 false");
        check("Ada <a@b> 1769178652 +0100\trevert: Revert x", "1111111 1769178652 true");
        check("Ada <a@b> 1769178652 +0100\tcherry-pick: x", "1111111 1769178652 false");
        check("Ada <a@b> 1769178652 +0100", "1111111 1769178652 false");
        check("nonsense", "none");
    }

    #[test]
    fn the_subject_of_a_commit_is_known_without_git() {
        let subject = |what: &str| {
            let line = format!("{} {} A <a@b> 1 +0100\t{what}", "0".repeat(40), "1".repeat(40));
            parse(&line).unwrap().subject
        };
        assert_eq!(subject("commit: fix: it").as_deref(), Some("fix: it"));
        assert_eq!(subject("commit (amend): x").as_deref(), Some("x"));
        assert_eq!(subject("merge f: Merge made by the 'ort' strategy."), None);
        assert_eq!(
            subject("commit (merge): Merge branch 'f'").as_deref(),
            Some("Merge branch 'f'")
        );
    }

    #[test]
    fn a_merge_makes_a_commit_unless_it_fast_forwards() {
        let who = "Ada <a@b> 1769178652 +0100";
        let made = "Merge made by the 'ort' strategy.";
        check(&format!("{who}\tmerge f: {made}"), "1111111 1769178652 true");
        check(&format!("{who}\tpull --no-edit o main: {made}"), "1111111 1769178652 true");
        check(&format!("{who}\tpull: {made}"), "1111111 1769178652 true");
        check(&format!("{who}\tmerge f: Fast-forward"), "1111111 1769178652 false");
        check(&format!("{who}\trebase (pick): x: {made}"), "1111111 1769178652 false");
    }
}
