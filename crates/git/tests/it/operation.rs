//! What git is in the middle of.

use skein_git::Operation;

use crate::sandbox::{Sandbox, layout, write};

#[test]
fn the_files_tell_what_git_is_in_the_middle_of() {
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
fn another_worktree_is_not_in_the_middle_of_it() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("a");
    let other = sandbox.path("b");
    crate::sandbox::git(&top, &["worktree", "add", "--quiet", "-b", "x", other.to_str().unwrap()]);
    write(&layout(&other).git_dir.join("MERGE_HEAD"), "");
    assert_eq!(layout(&top).operation(), None);
    assert_eq!(layout(&other).operation(), Some(Operation::Merge));
}
