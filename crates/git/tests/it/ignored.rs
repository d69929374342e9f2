use crate::sandbox::{Sandbox, git, repo};

#[test]
fn folders_are_those_of_files_that_are_not_ignored() {
    let sandbox = Sandbox::new();
    sandbox.file("r/.gitignore", "target\n*.log\n");
    sandbox.file("r/a/b/c.txt", "tracked");
    sandbox.file("r/gone/x.txt", "tracked");
    let top = sandbox.repository("r");
    sandbox.file("r/new/deep/d.txt", "untracked");
    sandbox.file("r/target/debug/x", "ignored");
    sandbox.file("r/logs/x.log", "ignored");
    sandbox.file("r/store/threads/t.md", "excluded");
    sandbox.file("r/inner/x.txt", "of another repository");
    sandbox.repository("r/inner");
    std::fs::remove_dir_all(top.join("gone")).unwrap();
    let folders = repo(&top).folders(&["store".to_owned()]).unwrap();
    let folders: Vec<_> = folders.iter().map(String::as_str).collect();
    assert_eq!(folders, ["", "a", "a/b", "gone", "new", "new/deep"]);
}

#[test]
fn many_paths_are_checked_at_once() {
    let sandbox = Sandbox::new();
    sandbox.file("r/.gitignore", "*.log\nbuild/\n");
    sandbox.file("r/kept.log", "x");
    let top = sandbox.repository("r");
    git(&top, &["add", "--force", "kept.log"]);
    sandbox.file("r/build/x", "x");
    let check = |paths: &[&str], expected: &[&str]| {
        let paths: Vec<String> = paths.iter().map(|&path| path.to_owned()).collect();
        let found = repo(&top).ignored(&paths).unwrap();
        assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), expected);
    };
    check(&[], &[]);
    check(&["a.txt"], &[]);
    check(
        &["x.log", "kept.log", "ä b.log", "build", "build/x", ":(glob)x", "a\nb.log"],
        &["a\nb.log", "build", "build/x", "x.log", "ä b.log"],
    );
}
