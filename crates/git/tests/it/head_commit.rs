//! The commit that is checked out, without starting git.

use std::fs;
use std::path::Path;

use skein_git::RepoDirs;

use crate::sandbox::{Sandbox, commit, git, layout, write};

/// Checks that the commit in the files is the one that git reports.
#[track_caller]
fn check(start: &Path) {
    let expected = git(start, &["rev-parse", "HEAD"]);
    assert_eq!(layout(start).head_commit().expect("a commit is checked out").as_str(), expected);
}

#[test]
fn a_branch_is_followed_to_its_commit_loose_or_packed() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("a");
    check(&top);
    git(&top, &["checkout", "--quiet", "-b", "topic/deep/er"]);
    sandbox.file("a/x", "1");
    commit(&top);
    check(&top);
    git(&top, &["pack-refs", "--all"]);
    assert!(!top.join(".git/refs/heads/topic/deep/er").exists());
    check(&top);
    sandbox.file("a/x", "2");
    commit(&top);
    check(&top);
    git(&top, &["checkout", "--quiet", "main"]);
    check(&top);
}

#[test]
fn a_detached_head_is_its_commit() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("a");
    git(&top, &["checkout", "--quiet", "--detach"]);
    check(&top);
}

#[test]
fn a_linked_worktree_has_its_own_head_and_shares_the_branches() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("a");
    let other = sandbox.path("b");
    git(&top, &["worktree", "add", "--quiet", "-b", "other", other.to_str().unwrap()]);
    sandbox.file("b/x", "1");
    commit(&other);
    check(&other);
    git(&top, &["pack-refs", "--all"]);
    check(&other);
    check(&top);
    assert_ne!(layout(&other).head_commit(), layout(&top).head_commit());
}

#[test]
fn a_submodule_and_a_bare_repository_have_a_head_commit() {
    let sandbox = Sandbox::new();
    let inner = sandbox.repository("inner");
    let outer = sandbox.repository("outer");
    git(&outer, &["submodule", "--quiet", "add", inner.to_str().unwrap(), "sub"]);
    check(&outer.join("sub"));
    let bare = sandbox.path("bare.git");
    git(&outer, &["clone", "--quiet", "--bare", inner.to_str().unwrap(), bare.to_str().unwrap()]);
    check(&bare);
}

#[test]
fn a_symbolic_reference_is_followed() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("a");
    git(&top, &["symbolic-ref", "refs/heads/alias", "refs/heads/main"]);
    git(&top, &["symbolic-ref", "HEAD", "refs/heads/alias"]);
    check(&top);
    git(&top, &["symbolic-ref", "HEAD", "refs/heads/main"]);
    let head = top.join(".git/HEAD");
    fs::remove_file(&head).unwrap();
    std::os::unix::fs::symlink("refs/heads/main", &head).unwrap();
    check(&top);
}

#[test]
fn a_head_without_a_commit_is_none() {
    let sandbox = Sandbox::new();
    let fresh = sandbox.dir("fresh");
    git(&fresh, &["init", "--quiet"]);
    assert_eq!(layout(&fresh).head_commit(), None);
    let top = sandbox.repository("a");
    for content in
        ["ref: refs/heads/.invalid\n", "", "ref: ../../secret", "ref: refs/../../x", "0123"]
    {
        write(&top.join(".git/HEAD"), content);
        assert_eq!(layout(&top).head_commit(), None, "{content}");
    }
    // A cycle of symbolic references has no commit.
    write(&top.join(".git/HEAD"), "ref: refs/heads/a\n");
    write(&top.join(".git/refs/heads/a"), "ref: refs/heads/b\n");
    write(&top.join(".git/refs/heads/b"), "ref: refs/heads/a\n");
    assert_eq!(layout(&top).head_commit(), None);
}

#[test]
fn with_the_reftable_backend_the_git_program_is_needed() {
    let sandbox = Sandbox::new();
    let top = sandbox.dir("a");
    // Only some versions of git support it.
    let made = skein_git::run(&top, ["init", "--quiet", "--ref-format=reftable"]);
    if made.is_err() {
        return;
    }
    sandbox.file("a/x", "1");
    let made = commit(&top);
    let layout: RepoDirs = layout(&top);
    assert_eq!(layout.head_commit(), None);
    let repo = skein_git::Repo::new(&layout).unwrap();
    assert_eq!(repo.head_commit().unwrap(), Some(made));
    assert!(repo.head_branch().unwrap().is_some());
}
