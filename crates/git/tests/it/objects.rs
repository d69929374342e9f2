use skein_git::{CommitId, ObjectError, Objects};

use crate::sandbox::{Sandbox, commit, git, head, repo, write};

#[test]
fn several_files_of_commits_are_read_by_one_process() {
    let sandbox = Sandbox::new();
    sandbox.file("r/a b.txt", "one\n");
    sandbox.file("r/dir/ünï", "two");
    sandbox.file("r/empty", "");
    let top = sandbox.repository("r");
    let first = head(&repo(&top));
    write(&top.join("a b.txt"), "changed\r\n");
    let second = commit(&top);

    let mut objects = Objects::start(&repo(&top)).unwrap();
    let mut check = |commit: &CommitId, path: &str, expected: Option<&str>| {
        let content = objects.blob(commit, path).unwrap();
        assert_eq!(content.as_deref(), expected.map(str::as_bytes), "{path}");
    };
    let gone = CommitId::parse(&"0".repeat(40)).unwrap();
    check(&first, "a b.txt", Some("one\n"));
    check(&first, "gone", None);
    check(&first, "x blob 10", None);
    check(&first, "dir", None);
    check(&first, "", None);
    check(&first, "../r/a b.txt", None);
    check(&first, "a\0b", None);
    check(&gone, "a b.txt", None);
    check(&second, "a b.txt", Some("changed\r\n"));
    check(&second, "dir/ünï", Some("two"));
    check(&second, "empty", Some(""));
}

#[test]
fn files_of_the_index_are_read_too() {
    let sandbox = Sandbox::new();
    sandbox.file("r/a.txt", "one\n");
    let top = sandbox.repository("r");
    write(&top.join("a.txt"), "two\n");
    git(&top, &["add", "a.txt"]);
    write(&top.join("a.txt"), "three\n");
    let mut objects = Objects::start(&repo(&top)).unwrap();
    assert_eq!(objects.staged("a.txt").unwrap().as_deref(), Some(b"two\n".as_slice()));
    assert_eq!(objects.staged("b.txt").unwrap(), None);
}

#[cfg(unix)]
#[test]
fn a_line_feed_in_a_name_does_not_end_the_request() {
    let sandbox = Sandbox::new();
    sandbox.file("r/a\nb", "one");
    sandbox.file("r/a\r", "two");
    sandbox.file("r/a", "three");
    let top = sandbox.repository("r");
    let head = head(&repo(&top));
    let mut objects = Objects::start(&repo(&top)).unwrap();
    for (path, content) in [("a\nb", Some("one")), ("a\r", Some("two")), ("a\nc", None)] {
        let found = objects.blob(&head, path).unwrap();
        assert_eq!(found.as_deref(), content.map(str::as_bytes));
    }
    assert_eq!(objects.blob(&head, "a").unwrap().as_deref(), Some(b"three".as_slice()));
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_contains_its_target_and_a_submodule_has_no_content() {
    let sandbox = Sandbox::new();
    sandbox.repository("library");
    let top = sandbox.repository("r");
    std::os::unix::fs::symlink("/etc/passwd", top.join("link")).unwrap();
    git(&top, &["submodule", "--quiet", "add", "../library", "sub"]);
    let head = commit(&top);
    let mut objects = Objects::start(&repo(&top)).unwrap();
    assert_eq!(objects.blob(&head, "link").unwrap().as_deref(), Some(b"/etc/passwd".as_slice()));
    assert_eq!(objects.blob(&head, "sub").unwrap(), None);
    assert!(objects.blob(&head, ".gitmodules").unwrap().is_some());
}

#[test]
fn a_repository_that_disappears_is_an_error() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("r");
    let repo = repo(&top);
    let head = head(&repo);
    std::fs::remove_dir_all(top.join(".git")).unwrap();
    let mut objects = Objects::start(&repo).unwrap();
    let error = objects.blob(&head, "a").unwrap_err();
    assert!(matches!(error, ObjectError::Talk { .. }), "{error}");
}

#[test]
fn a_file_that_is_too_large_is_an_error_and_later_reads_succeed() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("r");
    write(&top.join("large"), vec![b'x'; (64 << 20) + 1]);
    sandbox.file("r/small", "small");
    let head = commit(&top);
    let mut objects = Objects::start(&repo(&top)).unwrap();
    let error = objects.blob(&head, "large").unwrap_err();
    assert!(matches!(error, ObjectError::TooLarge { .. }), "{error}");
    assert_eq!(objects.blob(&head, "small").unwrap().as_deref(), Some(b"small".as_slice()));
}
