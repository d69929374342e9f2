use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, UNIX_EPOCH};

use skein_git::init;

use crate::sandbox::{Sandbox, commit, git, kept, layout, repo, strings, write};

/// Checks the files of a snapshot, and that taking it does not change the worktree.
#[track_caller]
fn check(top: &Path, exclude: &[&str], expected: &[&str]) {
    let before = state(top);
    let tree = repo(top).snapshot(&strings(exclude)).expect("git records");
    assert_eq!(before, state(top));
    let listed = git(&kept(top), &["ls-tree", "-r", "-z", "--name-only", tree.as_str()]);
    assert_eq!(listed.split_terminator('\0').collect::<Vec<_>>(), expected);
}

/// Returns the bytes of the index, the other names in the git directory, and the status.
fn state(top: &Path) -> (Option<Vec<u8>>, Vec<OsString>, String) {
    let git_dir = layout(top).git_dir;
    let entries = fs::read_dir(&git_dir).expect("the git directory is there");
    let mut names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
    // Submissions are stored there.
    names.retain(|name| name != "skein");
    names.sort();
    (fs::read(git_dir.join("index")).ok(), names, git(top, &["status", "--porcelain"]))
}

#[test]
fn a_snapshot_has_the_files_on_disk_and_changes_nothing() {
    let sandbox = Sandbox::new();
    sandbox.file("r/.gitignore", "*.log\n");
    sandbox.file("r/deleted", "a\n");
    sandbox.file("r/changed", "a\n");
    sandbox.file("r/staged", "a\n");
    let top = sandbox.repository("r");
    fs::remove_file(top.join("deleted")).unwrap();
    sandbox.file("r/changed", "b\n");
    sandbox.file("r/staged", "b\n");
    git(&top, &["add", "staged"]);
    sandbox.file("r/staged", "c\n");
    sandbox.file("r/dir/new file", "untracked\n");
    sandbox.file("r/intended", "text\n");
    git(&top, &["add", "--intent-to-add", "intended"]);
    sandbox.file("r/x.log", "ignored\n");
    sandbox.file("r/.code-review/threads/t.md", "thread\n");
    sandbox.file("r/.code-reviewed", "another\n");
    let expected =
        [".code-reviewed", ".gitignore", "changed", "dir/new file", "intended", "staged"];
    check(&top, &[".code-review"], &expected);
    let tree = repo(&top).snapshot(&strings(&[".code-review"])).unwrap();
    for (path, content) in [("changed", "b"), ("staged", "c"), ("intended", "text")] {
        assert_eq!(git(&kept(&top), &["show", &format!("{tree}:{path}")]), content);
    }
    // A store that is tracked is left out too.
    commit(&top);
    check(&top, &[".code-review/"], &expected);
    sandbox.file("r/.code-review/threads/t.md", "changed\n");
    check(&top, &[".code-review"], &expected);
}

#[test]
fn a_branch_without_a_commit_can_be_recorded() {
    let sandbox = Sandbox::new();
    let top = sandbox.dir("r");
    init(&top, "main").unwrap();
    check(&top, &[], &[]);
    assert_eq!(repo(&top).snapshot(&[]).unwrap(), repo(&top).empty_tree().unwrap());
    sandbox.file("r/a", "a\n");
    check(&top, &[], &["a"]);
}

#[test]
fn the_snapshot_of_a_clean_worktree_is_the_tree_of_its_commit() {
    let sandbox = Sandbox::new();
    sandbox.file("r/a", "a\n");
    sandbox.file("r/dir/b", "b\n");
    let top = sandbox.repository("r");
    git(&top, &["checkout", "--quiet", "--detach"]);
    let tree = repo(&top).snapshot(&strings(&["", "gone"])).unwrap();
    assert_eq!(tree.as_str(), git(&top, &["rev-parse", "HEAD^{tree}"]));
}

#[test]
fn linked_worktrees_and_submodules_have_an_index_of_their_own() {
    let sandbox = Sandbox::new();
    sandbox.file("library/l", "l\n");
    sandbox.repository("library");
    let top = sandbox.repository("r");
    git(&top, &["submodule", "--quiet", "add", "../library", "sub"]);
    commit(&top);
    git(&top, &["worktree", "add", "--quiet", "../tree"]);
    sandbox.file("r/main", "m\n");
    sandbox.file("tree/linked", "t\n");
    sandbox.file("r/sub/new", "n\n");
    check(&top, &[], &[".gitmodules", "main", "sub"]);
    check(&sandbox.path("tree"), &[], &[".gitmodules", "linked", "sub"]);
    check(&sandbox.path("r/sub"), &[], &["l", "new"]);
}

#[test]
fn a_nested_repository_is_left_out() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("r");
    sandbox.file("r/inner/a", "a\n");
    sandbox.repository("r/inner");
    sandbox.file("r/b", "b\n");
    check(&top, &[], &["b"]);
}

#[cfg(unix)]
#[test]
fn unusual_names_and_links_are_recorded() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::symlink;

    let sandbox = Sandbox::new();
    sandbox.file("r/dir/tracked", "a\n");
    sandbox.file("r/file", "a\n");
    sandbox.file("r/link-to-be", "a\n");
    let top = sandbox.repository("r");
    sandbox.file("r/a\nb", "newline\n");
    sandbox.file("r/\"q\" x", "quotes\n");
    write(&top.join(OsStr::from_bytes(b"\xff")), "not UTF-8\n");
    // A folder becomes a link, a file becomes a folder, and a file becomes a dangling link.
    fs::remove_dir_all(top.join("dir")).unwrap();
    symlink("/", top.join("dir")).unwrap();
    fs::remove_file(top.join("file")).unwrap();
    sandbox.file("r/file/inside", "b\n");
    fs::remove_file(top.join("link-to-be")).unwrap();
    symlink("gone", top.join("link-to-be")).unwrap();
    let expected = ["\"q\" x", "a\nb", "dir", "file/inside", "link-to-be", "\u{fffd}"];
    check(&top, &[], &expected);
    let tree = repo(&top).snapshot(&[]).unwrap();
    assert_eq!(git(&kept(&top), &["show", &format!("{tree}:dir")]), "/");
}

#[test]
fn a_change_with_the_same_time_as_the_index_is_not_missed() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("r");
    // With these settings, only the time of the index makes git read the file.
    git(&top, &["config", "core.checkStat", "minimal"]);
    git(&top, &["config", "core.trustctime", "false"]);
    let file = sandbox.file("r/a", "a\n");
    let moment = UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let stamp = |path: &Path| {
        fs::OpenOptions::new().write(true).open(path).unwrap().set_modified(moment).unwrap();
    };
    stamp(&file);
    git(&top, &["add", "a"]);
    write(&file, "b\n");
    stamp(&file);
    stamp(&top.join(".git/index"));
    let tree = repo(&top).snapshot(&[]).unwrap();
    assert_eq!(git(&kept(&top), &["show", &format!("{tree}:a")]), "b");
}

#[test]
fn snapshots_can_be_taken_concurrently() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("r");
    for number in 0..50 {
        sandbox.file(&format!("r/dir/{number}"), &number.to_string());
    }
    let repo = repo(&top);
    repo.submissions().ensure().unwrap();
    let trees: Vec<_> = thread::scope(|scope| {
        let tasks: Vec<_> = (0..4).map(|_| scope.spawn(|| repo.snapshot(&[]).unwrap())).collect();
        tasks.into_iter().map(|task| task.join().unwrap()).collect()
    });
    assert!(trees.iter().all(|tree| *tree == trees[0]));
    assert!(
        fs::read_dir(top.join(".git"))
            .unwrap()
            .all(|entry| { !entry.unwrap().file_name().to_str().unwrap().starts_with("skein-") })
    );
}

#[test]
fn a_split_index_is_understood_and_not_changed() {
    let sandbox = Sandbox::new();
    sandbox.file("r/a", "a\n");
    let top = sandbox.repository("r");
    git(&top, &["update-index", "--split-index"]);
    sandbox.file("r/b", "b\n");
    check(&top, &[], &["a", "b"]);
}
