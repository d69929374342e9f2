use skein_git::RepoDirs;

use crate::sandbox::{Sandbox, commit, git, head, repo};

#[test]
fn references_are_listed_below_a_prefix_and_removed() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("r");
    let repo = repo(&top);
    let head = head(&repo);
    for name in ["refs/skein/submit/2", "refs/skein/submit/10", "refs/skein/submitted"] {
        git(&top, &["update-ref", name, head.as_str()]);
    }
    let names = |prefix| -> Vec<_> {
        repo.refs(prefix).unwrap().into_iter().map(|found| found.name).collect()
    };
    assert_eq!(names("refs/skein/submit"), ["refs/skein/submit/10", "refs/skein/submit/2"]);
    repo.delete_ref("refs/skein/submit/2").unwrap();
    repo.delete_ref("refs/skein/submit/2").unwrap();
    assert_eq!(names("refs/skein/submit"), ["refs/skein/submit/10"]);
    repo.delete_ref("HEAD").unwrap_err();
    assert_eq!(RepoDirs::discover(&top).unwrap().unwrap().head_commit(), Some(head));
}

#[test]
fn branches_with_unmerged_commits_are_found() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("a");
    let repo = repo(&top);
    git(&top, &["branch", "same"]);
    git(&top, &["switch", "-q", "-c", "ahead"]);
    sandbox.file("a/x", "1");
    commit(&top);
    git(&top, &["switch", "-q", "-c", "other/ahead"]);
    git(&top, &["switch", "-q", "same"]);
    let names = ["ahead", "same", "other", "missing"];
    let found: Vec<String> = repo.unmerged_branches(&names).unwrap().into_iter().collect();
    assert_eq!(found, ["ahead"]);
}
