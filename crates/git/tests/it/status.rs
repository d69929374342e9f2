use crate::sandbox::{Sandbox, commit, git, repo, strings};

#[test]
fn every_kind_of_change_makes_a_worktree_dirty() {
    let sandbox = Sandbox::new();
    sandbox.file("r/.gitignore", "*.log\n");
    sandbox.file("r/a.txt", "a\n");
    let top = sandbox.repository("r");
    let repo = repo(&top);
    let store = strings(&[".code-review/"]);
    assert!(!repo.is_dirty(&store).unwrap());

    sandbox.file("r/x.log", "ignored\n");
    sandbox.file("r/.code-review/threads/t.md", "excluded\n");
    assert!(!repo.is_dirty(&store).unwrap());
    assert!(repo.is_dirty(&[]).unwrap());

    sandbox.file("r/dir/new file", "untracked\n");
    assert_eq!(repo.status_paths(&store).unwrap(), ["dir/new file"]);
    git(&top, &["add", "--all"]);
    assert!(repo.is_dirty(&store).unwrap());
    commit(&top);
    assert!(!repo.is_dirty(&[]).unwrap());

    sandbox.file("r/.code-review/threads/t.md", "a tracked store, changed\n");
    assert!(!repo.is_dirty(&store).unwrap());
    std::fs::remove_file(top.join("a.txt")).unwrap();
    assert_eq!(repo.status_paths(&store).unwrap(), ["a.txt"]);
}

#[test]
fn ignored_and_tracked_paths_are_recognised() {
    let sandbox = Sandbox::new();
    sandbox.file("r/.gitignore", "*.log\n.code-review\n");
    sandbox.file("r/src/[a].txt", "a\n");
    let repo = repo(&sandbox.repository("r"));
    assert!(repo.is_ignored("x.log").unwrap());
    assert!(repo.is_ignored(".code-review/threads").unwrap());
    assert!(!repo.is_ignored("x.txt").unwrap());
    assert!(!repo.is_ignored(":(glob)**/x.txt").unwrap());
    assert!(repo.is_tracked("src").unwrap());
    assert!(repo.is_tracked("src/[a].txt").unwrap());
    assert!(!repo.is_tracked("src/a.txt").unwrap());
    assert!(!repo.is_tracked("sr").unwrap());
    assert!(!repo.is_tracked("*").unwrap());
    assert!(!repo.is_tracked("../outside").unwrap());
    assert!(!repo.is_ignored("../outside").unwrap());
}
