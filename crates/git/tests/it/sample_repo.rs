use skein_git::{RunError, commit_all, run};

use crate::sandbox::{COMMIT, Sandbox, commit, git};

#[test]
fn the_same_content_gives_the_same_commit() {
    let sandbox = Sandbox::new();
    let ids = ["a", "b"].map(|name| {
        sandbox.file(&format!("{name}/src/lib.rs"), "fn f() {}\n");
        let top = sandbox.repository(name);
        git(&top, &["rev-parse", "HEAD"])
    });
    assert_eq!(ids[0], ids[1]);
}

#[test]
fn a_commit_contains_all_changes_and_has_its_author_and_date() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("r");
    sandbox.file("r/a.txt", "a\n");
    let first = commit(&top);
    std::fs::remove_file(top.join("a.txt")).unwrap();
    sandbox.file("r/b.txt", "b\n");
    commit(&top);

    // `%aI` ends in `Z` or in `+00:00`, depending on the version of git; `%at`, in seconds, does not differ.
    let show = ["show", "--name-status", "--format=%an %ae %at %cn %P %s"];
    assert_eq!(
        git(&top, &show),
        format!("Ada ada@example.org 1769158800 Ada {first} change\n\nD\ta.txt\nA\tb.txt")
    );
    assert_eq!(git(&top, &["status", "--porcelain"]), "");
}

#[cfg(unix)]
#[test]
fn hooks_of_the_repository_do_not_run() {
    use std::os::unix::fs::PermissionsExt as _;

    let sandbox = Sandbox::new();
    let top = sandbox.repository("r");
    for name in ["pre-commit", "commit-msg", "post-commit"] {
        let hook = sandbox.file(&format!("r/.git/hooks/{name}"), "#!/bin/sh\ntouch ran\nexit 1\n");
        std::fs::set_permissions(hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    commit(&top);
    assert!(!top.join("ran").exists());
}

#[test]
fn an_error_of_git_contains_its_message() {
    let sandbox = Sandbox::new();
    let error = commit_all(&sandbox.dir("plain"), &COMMIT).unwrap_err();
    let RunError::Failed { args, stderr, .. } = error else {
        panic!("{error}");
    };
    assert_eq!(args, "add --all");
    assert!(stderr.contains("not a git repository"), "{stderr}");
}

#[test]
fn run_returns_the_bytes_that_git_prints() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("r");
    let stdout = run(&top, ["symbolic-ref", "--short", "HEAD"]).unwrap();
    assert_eq!(stdout, b"main\n");
}
