use crate::sandbox::{Sandbox, git, repo};

#[test]
fn hooks_are_shared_by_worktrees_unless_core_hooks_path_is_set() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("r");
    git(&top, &["worktree", "add", "--quiet", "../tree"]);
    let linked = repo(&sandbox.path("tree"));
    assert_eq!(linked.own_hooks_dir(), top.join(".git/hooks"));
    assert_eq!(linked.hooks_dir().unwrap(), top.join(".git/hooks"));

    git(&top, &["config", "core.hooksPath", ".husky"]);
    assert_eq!(linked.hooks_dir().unwrap(), sandbox.path("tree/.husky"));
    assert_eq!(repo(&top).hooks_dir().unwrap(), top.join(".husky"));
}
