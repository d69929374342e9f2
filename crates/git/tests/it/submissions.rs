use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::sandbox::{Sandbox, commit, git, kept, repo};

/// Lists the references that `git push --mirror` brings to another repository.
fn mirrored(sandbox: &Sandbox, top: &Path) -> String {
    let mirror = sandbox.dir("mirror.git");
    git(&mirror, &["init", "--quiet", "--bare"]);
    git(
        top,
        &[
            "push",
            "--quiet",
            "--mirror",
            mirror.to_str().expect("a temporary directory has a plain name"),
        ],
    );
    git(&mirror, &["for-each-ref", "--format=%(refname)"])
}

#[test]
fn a_submission_is_not_published_by_a_mirror_push() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("r");
    sandbox.file("r/untracked.txt", "private\n");
    let submissions = repo(&top).submissions();
    let tree = submissions.snapshot(&[]).unwrap();
    assert!(submissions.create_ref("refs/skein/submit/1", &tree).unwrap());
    assert_eq!(mirrored(&sandbox, &top), "refs/heads/main");
    // Nothing of it is in the user's repository either.
    assert!(!git(&top, &["count-objects", "-v"]).contains("count: 0"));
    skein_git::run(&top, ["cat-file", "-e", tree.as_str()]).unwrap_err();
}

#[test]
fn a_submission_survives_when_the_repository_drops_what_it_shared() {
    let sandbox = Sandbox::new();
    sandbox.file("r/begin.txt", "begin\n");
    let top = sandbox.repository("r");
    git(&top, &["checkout", "--quiet", "-b", "topic"]);
    sandbox.file("r/committed.txt", "committed\n");
    commit(&top);
    sandbox.file("r/staged.txt", "staged\n");
    git(&top, &["add", "staged.txt"]);
    sandbox.file("r/untracked.txt", "untracked\n");
    let repo = repo(&top);
    let submissions = repo.submissions();
    let tree = submissions.snapshot(&[]).unwrap();
    submissions.create_ref("refs/skein/submit/1", &tree).unwrap();
    git(&top, &["reset", "--quiet", "--hard"]);
    git(&top, &["checkout", "--quiet", "main"]);
    git(&top, &["branch", "--quiet", "-D", "topic"]);
    git(&top, &["reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all"]);
    git(&top, &["gc", "--quiet", "--prune=now"]);
    git(&top, &["prune", "--expire=now"]);
    for name in ["begin", "committed", "staged", "untracked"] {
        let text = git(&kept(&top), &["show", &format!("{tree}:{name}.txt")]);
        assert_eq!(text, name);
    }
    git(&kept(&top), &["fsck", "--strict"]);
    let old = skein_git::DiffSide::Tree(tree);
    let changed = repo.diff(&old, &skein_git::DiffSide::Worktree, &Default::default()).unwrap();
    assert_eq!(changed.len(), 3);
}

#[test]
fn references_of_older_versions_are_moved() {
    let sandbox = Sandbox::new();
    sandbox.file("r/a.txt", "a\n");
    let top = sandbox.repository("r");
    let tree = git(&top, &["rev-parse", "HEAD^{tree}"]);
    for name in ["refs/skein/submit/r-1/1", "refs/skein/submit/r-2/1"] {
        git(&top, &["update-ref", name, &tree]);
    }
    let submissions = repo(&top).submissions();
    submissions.adopt("refs/skein/submit").unwrap();
    assert_eq!(git(&top, &["for-each-ref", "refs/skein"]), "");
    let names: Vec<_> = submissions.refs("refs").unwrap().into_iter().map(|r| r.name).collect();
    assert_eq!(names, ["refs/skein/submit/r-1/1", "refs/skein/submit/r-2/1"]);
    git(&kept(&top), &["fsck", "--strict"]);
    assert_eq!(git(&kept(&top), &["show", &format!("{tree}:a.txt")]), "a");
}

#[test]
fn many_submissions_are_packed_together_and_deleted_ones_are_removed() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("r");
    let submissions = repo(&top).submissions();
    let mut trees = Vec::new();
    for number in 0..42 {
        sandbox.file("r/a.txt", &format!("{number}\n"));
        let tree = submissions.snapshot(&[]).unwrap();
        submissions.create_ref(&format!("refs/skein/submit/{number}"), &tree).unwrap();
        trees.push(tree);
    }
    submissions.delete_ref("refs/skein/submit/0").unwrap();
    submissions.tidy().unwrap();
    assert!(git(&kept(&top), &["count-objects", "-v"]).contains("packs: 1\n"));
    assert_eq!(git(&kept(&top), &["show", &format!("{}:a.txt", trees[41])]), "41");
    skein_git::run(&kept(&top), ["cat-file", "-e", trees[0].as_str()]).unwrap_err();
    submissions.remove_empty().unwrap();
    assert!(kept(&top).exists());
    for one in submissions.refs("refs").unwrap() {
        submissions.delete_ref(&one.name).unwrap();
    }
    submissions.remove_empty().unwrap();
    assert!(!kept(&top).exists());
    submissions.remove_empty().unwrap();
}

#[test]
fn worktrees_share_submissions_and_only_one_creates_a_reference() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("r");
    git(&top, &["worktree", "add", "--quiet", "../tree"]);
    let (main, linked) = (repo(&top).submissions(), repo(&sandbox.path("tree")).submissions());
    let tree = linked.snapshot(&[]).unwrap();
    let created = AtomicUsize::new(0);
    thread::scope(|scope| {
        for submissions in [&main, &linked, &main, &linked] {
            scope.spawn(|| {
                if submissions.create_ref("refs/skein/submit/1", &tree).unwrap() {
                    created.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(created.into_inner(), 1);
    assert_eq!(main.refs("refs").unwrap(), linked.refs("refs").unwrap());
    for name in ["refs/skein/a..b", "refs/skein/", "-d", "refs/../../x", "refs/skein/a b", "HEAD"] {
        main.create_ref(name, &tree).unwrap_err();
    }
}
