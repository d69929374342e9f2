//! The commits that lines come from.

use std::ops::RangeInclusive;

use skein_git::{CommitId, Repo};

use crate::sandbox::{Sandbox, commit, git, head, repo};

#[track_caller]
fn check(repo: &Repo, lines: RangeInclusive<u32>, expected: &[Option<&CommitId>]) {
    let mut found = repo.blame("x.txt", lines).expect("git finds the lines");
    found.sort();
    let mut expected: Vec<Option<CommitId>> = expected.iter().map(|id| id.cloned()).collect();
    expected.sort();
    assert_eq!(found, expected);
}

#[test]
fn lines_come_from_the_commit_that_changed_them_last() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("a");
    let repo = repo(&top);
    sandbox.file("a/x.txt", "one\ntwo\nthree\n");
    commit(&top);
    let first = head(&repo);
    sandbox.file("a/x.txt", "one\n2\nthree\n");
    commit(&top);
    let second = head(&repo);
    check(&repo, 0..=0, &[Some(&first)]);
    check(&repo, 1..=1, &[Some(&second)]);
    check(&repo, 0..=2, &[Some(&first), Some(&second)]);
    sandbox.file("a/x.txt", "new\none\n2\nthree!\n");
    check(&repo, 0..=0, &[None]);
    check(&repo, 1..=3, &[Some(&first), Some(&second), None]);
    assert_eq!(repo.last_change("x.txt").unwrap().map(|(id, _)| id), Some(second.clone()));
    assert_eq!(repo.last_change("y.txt").unwrap(), None);
    assert!(repo.is_in_history(&first, &second).unwrap());
    assert!(repo.is_in_history(&second, &second).unwrap());
    assert!(!repo.is_in_history(&second, &first).unwrap());
}

#[test]
fn a_file_that_is_not_committed_and_lines_that_do_not_exist_are_errors() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("a");
    let repo = repo(&top);
    sandbox.file("a/new.txt", "one\n");
    assert!(repo.blame("new.txt", 0..=0).is_err());
    sandbox.file("a/x.txt", "one\n");
    commit(&top);
    assert!(repo.blame("x.txt", 5..=6).is_err());
}

#[test]
fn settings_of_the_repository_change_nothing_and_run_nothing() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("a");
    let repo = repo(&top);
    sandbox.file("a/.gitattributes", "*.txt filter=bad diff=bad\n");
    sandbox.file("a/x.txt", "one\n");
    commit(&top);
    let first = head(&repo);
    let touch = format!("touch {}; cat", sandbox.path("ran").display());
    for (key, value) in [
        ("filter.bad.clean", touch.as_str()),
        ("diff.bad.textconv", touch.as_str()),
        ("blame.blankBoundary", "true"),
        ("blame.showEmail", "true"),
    ] {
        git(&top, &["config", key, value]);
    }
    sandbox.file("a/x.txt", "one\ntwo\n");
    check(&repo, 0..=1, &[Some(&first), None]);
    assert!(!sandbox.path("ran").exists());
}
