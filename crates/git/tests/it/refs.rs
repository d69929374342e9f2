use skein_git::Layout;

use crate::sandbox::{Sandbox, git, head, repo};

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
    assert_eq!(Layout::discover(&top).unwrap().unwrap().head_commit(), Some(head));
}
