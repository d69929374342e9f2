use std::fs;
use std::path::Path;

use skein_git::Worktree;

use crate::sandbox::{Sandbox, git, layout, write};

/// Checks the worktrees seen from `start`, each as `<folder> <head>`, the main one with a star.
#[track_caller]
fn check(sandbox: &Sandbox, start: &Path, expected: &[&str]) {
    let shown: Vec<_> =
        layout(start).worktrees().iter().map(|worktree| show(sandbox, worktree)).collect();
    assert_eq!(shown, expected);
}

fn show(sandbox: &Sandbox, worktree: &Worktree) -> String {
    let root = sandbox.path("");
    let folder = worktree.top.strip_prefix(root).unwrap_or(&worktree.top);
    let star = if worktree.is_main { " *" } else { "" };
    format!("{} {}{star}", folder.display(), worktree.head.label())
}

#[test]
fn all_checkouts_are_seen_from_each_of_them() {
    let sandbox = Sandbox::new();
    let main = sandbox.repository("r");
    git(&main, &["worktree", "add", "--quiet", "../z"]);
    git(&main, &["worktree", "add", "--quiet", "-b", "topic/x", "../a"]);
    git(&main, &["worktree", "add", "--quiet", "--detach", "../d"]);
    let commit = git(&main, &["rev-parse", "--short=7", "HEAD"]);
    let detached = format!("d detached at {commit}");
    let expected = ["r main *", "a topic/x", &detached, "z z"];
    check(&sandbox, &main, &expected);
    check(&sandbox, &sandbox.path("a"), &expected);
}

#[test]
fn a_worktree_that_is_gone_is_left_out() {
    let sandbox = Sandbox::new();
    let main = sandbox.repository("r");
    git(&main, &["worktree", "add", "--quiet", "../a"]);
    git(&main, &["worktree", "add", "--quiet", "../b"]);
    fs::remove_dir_all(sandbox.path("a")).unwrap();
    fs::remove_file(sandbox.path("b/.git")).unwrap();
    check(&sandbox, &main, &["r main *"]);
}

#[test]
fn a_relative_registration_is_followed() {
    let sandbox = Sandbox::new();
    let main = sandbox.repository("r");
    git(&main, &["worktree", "add", "--quiet", "../a"]);
    let registration = sandbox.path("r/.git/worktrees/a/gitdir");
    write(&registration, "../../../../a/.git\n");
    check(&sandbox, &main, &["r main *", "a a"]);
}

#[test]
fn a_bare_repository_has_only_linked_worktrees() {
    let sandbox = Sandbox::new();
    let origin = sandbox.repository("origin");
    git(&origin, &["clone", "--quiet", "--bare", ".", "../bare"]);
    let bare = sandbox.path("bare");
    check(&sandbox, &bare, &[]);
    git(&bare, &["worktree", "add", "--quiet", "../a"]);
    check(&sandbox, &bare, &["a a"]);
}

/// Checks which folder of the sandbox vouches for the files in `start`.
#[track_caller]
fn check_vouched(sandbox: &Sandbox, start: &str, expected: &str) {
    let top = layout(&sandbox.path(start)).vouched_top();
    assert_eq!(top, Some(sandbox.path(expected)), "{start}");
}

#[test]
fn a_linked_worktree_belongs_to_the_checkout_that_registers_it() {
    let sandbox = Sandbox::new();
    let main = sandbox.repository("r");
    git(&main, &["worktree", "add", "--quiet", "../a"]);
    check_vouched(&sandbox, "r", "r");
    check_vouched(&sandbox, "r/.git", "r");
    check_vouched(&sandbox, "a", "r");
    write(&sandbox.path("r/.git/worktrees/a/gitdir"), "../../../../a/.git\n");
    check_vouched(&sandbox, "a", "r");
}

#[test]
fn a_folder_that_only_claims_to_belong_to_a_repository_does_not_belong_to_it() {
    let sandbox = Sandbox::new();
    let main = sandbox.repository("r");
    git(&main, &["worktree", "add", "--quiet", "../a"]);
    sandbox.file("file/.git", "gitdir: ../r/.git/worktrees/a\n");
    check_vouched(&sandbox, "file", "file");
    sandbox.file("whole/.git", "gitdir: ../r/.git\n");
    check_vouched(&sandbox, "whole", "whole");
    sandbox.file("folder/.git/HEAD", "ref: refs/heads/main\n");
    sandbox.file("folder/.git/commondir", "../../r/.git\n");
    let named = sandbox.path("folder/.git").display().to_string();
    sandbox.file("folder/.git/gitdir", &named);
    check_vouched(&sandbox, "folder", "folder");
    sandbox.repository("set");
    git(&sandbox.path("set"), &["config", "core.worktree", "../../r"]);
    check_vouched(&sandbox, "set", "set");
}
