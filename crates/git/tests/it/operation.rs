//! The git operation in progress.

use skein_git::Operation;

use crate::sandbox::{Sandbox, layout, write};

#[test]
fn an_operation_in_progress_is_detected_by_its_files() {
    let check = |name: &str, expected| {
        let sandbox = Sandbox::new();
        let top = sandbox.repository("a");
        assert_eq!(layout(&top).operation(), None);
        let path = top.join(".git").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        write(&path, "");
        assert_eq!(layout(&top).operation(), Some(expected), "{name}");
    };
    check("rebase-merge/onto", Operation::Rebase);
    check("rebase-apply/next", Operation::Rebase);
    check("rebase-apply/applying", Operation::Am);
    check("MERGE_HEAD", Operation::Merge);
    check("CHERRY_PICK_HEAD", Operation::CherryPick);
    check("REVERT_HEAD", Operation::Revert);
    check("BISECT_LOG", Operation::Bisect);
}

#[test]
fn an_operation_in_another_worktree_is_not_reported() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("a");
    let other = sandbox.path("b");
    crate::sandbox::git(&top, &["worktree", "add", "--quiet", "-b", "x", other.to_str().unwrap()]);
    write(&layout(&other).git_dir.join("MERGE_HEAD"), "");
    assert_eq!(layout(&top).operation(), None);
    assert_eq!(layout(&other).operation(), Some(Operation::Merge));
}
