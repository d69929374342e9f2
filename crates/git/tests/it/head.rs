use std::fs;

use skein_git::{CommitId, Head, init};

use crate::sandbox::{Sandbox, commit, git, layout};

fn branch(name: &str) -> Head {
    Head::Branch { name: name.to_owned() }
}

#[test]
fn a_branch_without_a_commit_has_its_name() {
    let sandbox = Sandbox::new();
    let top = sandbox.dir("r");
    init(&top, "trunk").unwrap();
    assert_eq!(layout(&top).head(), branch("trunk"));
    commit(&top);
    assert_eq!(layout(&top).head(), branch("trunk"));
}

#[test]
fn a_detached_head_names_the_commit() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("r");
    git(&top, &["checkout", "--quiet", "--detach"]);
    let commit = CommitId::parse(&git(&top, &["rev-parse", "HEAD"])).unwrap();
    assert_eq!(layout(&top).head(), Head::Detached { commit });
}

#[test]
fn sha256_ids_are_accepted() {
    let sandbox = Sandbox::new();
    let top = sandbox.dir("r");
    git(&top, &["init", "--quiet", "--object-format=sha256"]);
    let commit = commit(&top);
    assert_eq!(commit.as_str().len(), 64);
    git(&top, &["checkout", "--quiet", "--detach"]);
    assert_eq!(layout(&top).head(), Head::Detached { commit });
}

#[test]
fn a_head_that_disappears_is_unknown() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("r");
    let layout = layout(&top);
    fs::remove_file(top.join(".git/HEAD")).unwrap();
    assert_eq!(layout.head(), Head::Unknown);
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_to_a_branch_is_that_branch() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("r");
    let head = top.join(".git/HEAD");
    fs::remove_file(&head).unwrap();
    std::os::unix::fs::symlink("refs/heads/unborn", head).unwrap();
    assert_eq!(layout(&top).head(), branch("unborn"));
}
