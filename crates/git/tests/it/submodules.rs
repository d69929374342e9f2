use std::fs;

use crate::sandbox::{Sandbox, commit, git, repo};

/// A repository with a submodule in `lib/sum`, which is clean.
fn with_submodule(sandbox: &Sandbox) -> std::path::PathBuf {
    sandbox.file("r/a.txt", "a\n");
    let top = sandbox.repository("r");
    sandbox.file("r/lib/sum/b.txt", "b\n");
    sandbox.repository("r/lib/sum");
    sandbox.file("r/.gitmodules", "[submodule \"sum\"]\n\tpath = lib/sum\n\turl = ../sum\n");
    commit(&top);
    top
}

#[test]
fn changes_inside_a_submodule_make_the_outer_worktree_dirty() {
    let sandbox = Sandbox::new();
    let top = with_submodule(&sandbox);
    let repo = repo(&top);
    let paths: Vec<String> = repo.submodules().unwrap().into_iter().map(|one| one.path).collect();
    assert_eq!(paths, ["lib/sum"]);
    assert!(!repo.is_dirty(&[]).unwrap());
    assert_eq!(repo.status_paths(&[]).unwrap(), [""; 0]);
    sandbox.file("r/lib/sum/b.txt", "changed\n");
    assert!(repo.is_dirty(&[]).unwrap());
    assert_eq!(repo.changed_submodules().unwrap(), ["lib/sum"]);
    assert_eq!(repo.status_paths(&[]).unwrap(), ["lib/sum"]);
    sandbox.file("r/lib/sum/b.txt", "b\n");
    sandbox.file("r/lib/sum/untracked.txt", "c\n");
    assert_eq!(repo.status_paths(&[]).unwrap(), ["lib/sum"]);
    // Once it is committed there, the outer repository has another commit of it, which is reported once.
    commit(&top.join("lib/sum"));
    assert_eq!(repo.changed_submodules().unwrap(), [""; 0]);
    assert_eq!(repo.status_paths(&[]).unwrap(), ["lib/sum"]);
    commit(&top);
    assert!(!repo.is_dirty(&[]).unwrap());
}

#[test]
fn only_a_checked_out_directory_of_the_worktree_is_a_submodule() {
    let sandbox = Sandbox::new();
    let top = with_submodule(&sandbox);
    sandbox.repository("outside");
    sandbox.file("outside/new.txt", "n\n");
    std::os::unix::fs::symlink(sandbox.path("outside"), top.join("link")).unwrap();
    fs::create_dir_all(top.join("empty")).unwrap();
    let outside = sandbox.path("outside").display().to_string();
    let listed = ["../outside", "link", "empty", "missing", "", ".git", &outside];
    let text: String =
        listed.iter().map(|path| format!("[submodule \"{path}\"]\n\tpath = {path}\n")).collect();
    sandbox.file("r/.gitmodules", &text);
    commit(&top);
    assert_eq!(repo(&top).submodules().unwrap(), []);
    fs::remove_file(top.join(".gitmodules")).unwrap();
    assert_eq!(repo(&top).submodules().unwrap(), []);
    git(&top, &["status", "--short"]);
}
