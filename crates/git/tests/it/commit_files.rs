use std::path::PathBuf;

use skein_git::{CommitFiles, CommitId};

use crate::sandbox::{Sandbox, commit, git, head, repo};

#[track_caller]
fn check(sandbox: &Sandbox, base: &CommitId, limit: usize, expected: Option<&[&str]>) {
    let repo = repo(&sandbox.path("r"));
    let steps = repo.changes_between(base, &head(&repo), limit).expect("git lists the commits");
    let show = |step: &CommitFiles| {
        let path = |path: &Option<String>| path.clone().unwrap_or_else(|| "-".to_owned());
        let changed = step.changed.iter();
        let changed: Vec<_> =
            changed.map(|one| format!("{} {}", path(&one.old_path), path(&one.new_path))).collect();
        changed.join(", ")
    };
    let shown: Option<Vec<String>> = steps.map(|steps| steps.iter().map(show).collect());
    assert_eq!(
        shown.as_deref(),
        expected.map(|all| all.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>()).as_deref()
    );
}

const TEXT: &str = "one\ntwo\nthree\nfour\nfive\nsix\n";

#[test]
fn each_commit_comes_with_the_files_that_it_changed() {
    let sandbox = Sandbox::new();
    sandbox.file("r/a b.txt", TEXT);
    let top = sandbox.repository("r");
    let base = head(&repo(&top));
    check(&sandbox, &base, 9, Some(&[]));
    sandbox.file("r/c.txt", "c\n");
    commit(&top);
    git(&top, &["mv", "a b.txt", "ä.txt"]);
    commit(&top);
    check(&sandbox, &base, 9, Some(&["- c.txt", "a b.txt ä.txt"]));
    check(&sandbox, &base, 1, None);
}

/// A repository on `main`, and the commit of another branch.
fn with_topic() -> (Sandbox, PathBuf, CommitId) {
    let sandbox = Sandbox::new();
    sandbox.file("r/a.txt", TEXT);
    let top = sandbox.repository("r");
    git(&top, &["checkout", "--quiet", "-b", "topic"]);
    sandbox.file("r/topic.txt", "t\n");
    commit(&top);
    let base = head(&repo(&top));
    git(&top, &["checkout", "--quiet", "main"]);
    (sandbox, top, base)
}

#[test]
fn a_merge_is_one_step_from_the_side_that_the_base_is_on() {
    let (sandbox, top, base) = with_topic();
    sandbox.file("r/main.txt", "m\n");
    commit(&top);
    git(
        &top,
        &["-c", "user.name=A", "-c", "user.email=a@b", "merge", "--quiet", "-m", "m", "topic"],
    );
    check(&sandbox, &base, 9, Some(&["- main.txt"]));
}

#[test]
fn a_base_that_is_not_an_ancestor_gives_none() {
    let (sandbox, _, base) = with_topic();
    check(&sandbox, &base, 9, None);
}
