use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::sandbox::{Sandbox, git, head, repo};

#[test]
fn a_reference_keeps_a_tree_and_is_seen_in_every_worktree() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("r");
    git(&top, &["worktree", "add", "--quiet", "../tree"]);
    sandbox.file("tree/new.txt", "kept\n");
    let linked = repo(&sandbox.path("tree"));
    let tree = linked.snapshot(&[]).unwrap();
    linked.set_ref("refs/skein/submit/1", tree.object(), "submit 1").unwrap();

    let main = repo(&top);
    assert_eq!(main.read_ref("refs/skein/submit/1").unwrap().as_ref(), Some(tree.object()));
    git(&top, &["gc", "--quiet", "--prune=now"]);
    assert_eq!(git(&top, &["show", &format!("{tree}:new.txt")]), "kept");
    git(&top, &["fsck", "--strict"]);
}

#[test]
fn references_are_listed_below_a_prefix_and_removed() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("r");
    let repo = repo(&top);
    let head = head(&repo);
    for name in ["refs/skein/submit/2", "refs/skein/submit/10", "refs/skein/submitted"] {
        repo.set_ref(name, head.object(), "").unwrap();
    }
    let names = |prefix| -> Vec<_> {
        repo.refs(prefix).unwrap().into_iter().map(|found| found.name).collect()
    };
    assert_eq!(names("refs/skein/submit"), ["refs/skein/submit/10", "refs/skein/submit/2"]);
    repo.delete_ref("refs/skein/submit/2").unwrap();
    repo.delete_ref("refs/skein/submit/2").unwrap();
    assert_eq!(names("refs/skein/submit"), ["refs/skein/submit/10"]);
    assert_eq!(repo.read_ref("refs/skein/submit").unwrap(), None);
    assert_eq!(repo.read_ref("refs/skein/gone").unwrap(), None);
}

#[test]
fn names_that_are_none_are_refused() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("r");
    let repo = repo(&top);
    let head = head(&repo);
    for name in ["refs/skein/a..b", "refs/skein/", "-d", "refs/../../x", "refs/skein/a b"] {
        repo.set_ref(name, head.object(), "x").unwrap_err();
        repo.create_ref(name, head.object(), "x").unwrap_err();
    }
}

#[test]
fn only_one_of_many_creates_a_reference() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("r");
    let repo = repo(&top);
    let head = head(&repo);
    let created = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                if repo.create_ref("refs/skein/submit/1", head.object(), "x").unwrap() {
                    created.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(created.into_inner(), 1);
}
