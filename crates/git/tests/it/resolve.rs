use skein_git::{CommitId, Repo, init};

use crate::sandbox::{Sandbox, commit, git, head, layout, repo};

#[test]
fn a_commit_is_resolved_from_any_of_its_names() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("r");
    let first = head(&repo(&top));
    sandbox.file("r/a", "a\n");
    let second = commit(&top);
    git(&top, &["-c", "user.name=A", "-c", "user.email=a@b", "tag", "-a", "-m", "x", "v1"]);
    let repo = repo(&top);
    for name in ["HEAD", "main", "v1", second.as_str(), second.short(), "@", "refs/heads/main"] {
        assert_eq!(repo.resolve(name).unwrap().as_ref(), Some(&second), "{name}");
    }
    assert_eq!(repo.resolve("HEAD~1").unwrap(), Some(first));
}

#[test]
fn a_name_without_a_commit_gives_none_and_is_never_parsed_as_an_option() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("r");
    sandbox.file("r/a", "a\n");
    commit(&top);
    let repo = repo(&top);
    for name in
        ["", "gone", "--all", "-h", "--git-dir", "HEAD:a", "HEAD..HEAD", "^HEAD", "a\0b", "\n"]
    {
        assert_eq!(repo.resolve(name).unwrap(), None, "{name}");
    }
}

#[test]
fn a_branch_without_a_commit_has_no_head_commit() {
    let sandbox = Sandbox::new();
    let top = sandbox.dir("r");
    init(&top, "main").unwrap();
    assert_eq!(repo(&top).head_commit().unwrap(), None);
    assert_eq!(repo(&top).default_branch().unwrap(), None);
    let empty = repo(&top).empty_tree().unwrap();
    assert_eq!(empty.as_str(), "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
}

#[test]
fn a_bare_repository_has_no_worktree() {
    let sandbox = Sandbox::new();
    let bare = sandbox.dir("r.git");
    git(&bare, &["init", "--quiet", "--bare"]);
    assert_eq!(Repo::new(&layout(&bare)), None);
}

#[test]
fn the_merge_base_is_where_two_branches_part() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("r");
    let repo = repo(&top);
    let base = head(&repo);
    git(&top, &["checkout", "--quiet", "-b", "topic"]);
    sandbox.file("r/a", "a\n");
    let topic = commit(&top);
    git(&top, &["checkout", "--quiet", "main"]);
    sandbox.file("r/b", "b\n");
    let main = commit(&top);
    assert_eq!(repo.merge_base(&main, &topic).unwrap(), Some(base));

    git(&top, &["checkout", "--quiet", "--orphan", "other"]);
    let other = commit(&top);
    assert_eq!(repo.merge_base(&main, &other).unwrap(), None);
    let gone = CommitId::parse(&"0".repeat(40)).unwrap();
    repo.merge_base(&main, &gone).unwrap_err();
}

#[test]
fn the_default_branch_is_that_of_the_origin_or_has_a_usual_name() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("r");
    let name = |top| repo(top).default_branch().unwrap().map(|branch| branch.name);
    assert_eq!(name(&top).as_deref(), Some("main"));
    git(&top, &["branch", "trunk"]);
    git(&top, &["config", "init.defaultBranch", "trunk"]);
    assert_eq!(name(&top).as_deref(), Some("trunk"));
    git(&top, &["config", "init.defaultBranch", "gone"]);
    git(&top, &["branch", "-m", "main", "master"]);
    assert_eq!(name(&top).as_deref(), Some("master"));

    git(&top, &["clone", "--quiet", ".", "../clone"]);
    let clone = sandbox.path("clone");
    git(&clone, &["checkout", "--quiet", "--detach"]);
    let branch = repo(&clone).default_branch().unwrap().unwrap();
    assert_eq!(branch.name, "origin/master");
    assert_eq!(Some(branch.commit), repo(&clone).head_commit().unwrap());
}
