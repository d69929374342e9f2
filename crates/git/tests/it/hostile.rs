//! An untrusted repository cannot run programs.
#![cfg(unix)]

use std::error::Error;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use skein_git::{DiffOptions, DiffSide, Objects};

use crate::sandbox::{Sandbox, commit, git, head, kept, repo, write};

/// Creates a program that writes a file when it runs, and returns both.
fn marker_program(sandbox: &Sandbox) -> (PathBuf, String) {
    let marker = sandbox.path("sprung");
    let script = format!("#!/bin/sh\necho \"$0 $@\" >> '{}'\n", marker.display());
    let program = sandbox.file("trap.sh", &script);
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("the file is ours");
    (marker, program.display().to_string())
}

/// Calls every function that runs git.
fn call_all(top: &Path) -> Result<(), Box<dyn Error>> {
    let repo = repo(top);
    let head = head(&repo);
    let side = DiffSide::Commit(head.clone());
    let options = DiffOptions { untracked: true, ..DiffOptions::default() };
    let files = repo.diff(&side, &DiffSide::Worktree, &options)?;
    assert!(!files.is_empty());
    repo.diff(&side, &DiffSide::Index, &options)?;
    repo.diff(&DiffSide::Index, &DiffSide::Worktree, &options)?;
    repo.changed_paths(&head, &DiffSide::Worktree)?;
    assert!(repo.is_dirty(&[])?);
    repo.status_paths(&[])?;
    assert_eq!(repo.is_dirty_within(Duration::from_secs(60), &[]), Some(true));
    repo.commit_summary(&head)?;
    repo.commits_since(&head, 10)?;
    repo.touched_since(&head, &[])?;
    repo.remote_url()?;
    repo.head_branch()?;
    let tree = repo.snapshot(&[])?;
    repo.diff(&side, &DiffSide::Tree(tree.clone()), &options)?;
    repo.submissions().create_ref("refs/skein/a", &tree)?;
    repo.submissions().delete_ref("refs/skein/a")?;
    repo.delete_ref("refs/skein/a")?;
    repo.resolve("main")?;
    repo.default_branch()?;
    repo.is_ignored("a.txt")?;
    repo.is_tracked("a.txt")?;
    let mut objects = Objects::start(&repo)?;
    assert!(objects.blob(&head, "a.txt")?.is_some());
    Ok(())
}

#[test]
fn programs_in_the_configuration_are_not_run() {
    let sandbox = Sandbox::new();
    let (marker, program) = marker_program(&sandbox);
    sandbox.file("r/a.txt", "a\n");
    sandbox.file("r/gone.txt", "gone\n");
    let top = sandbox.repository("r");
    sandbox.file("r/.gitattributes", "*.txt diff=evil filter=evil\n*.bin filter=a=b\n");
    commit(&top);
    for key in [
        "core.fsmonitor",
        "core.pager",
        "core.sshCommand",
        "core.alternateRefsCommand",
        "diff.external",
        "diff.evil.command",
        "diff.evil.textconv",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "filter.a=b.clean",
    ] {
        git(&top, &["config", key, &program]);
    }
    git(&top, &["config", "filter.evil.required", "true"]);
    git(&top, &["config", "color.ui", "always"]);
    git(&top, &["config", "diff.noprefix", "true"]);
    git(&top, &["config", "diff.orderFile", "/gone"]);
    let hooks = sandbox.dir("hooks");
    for name in ["post-index-change", "reference-transaction", "post-checkout", "pre-commit"] {
        fs::copy(&program, hooks.join(name)).unwrap();
        fs::copy(&program, sandbox.dir("r/.git/hooks").join(name)).unwrap();
    }
    git(&top, &["config", "core.hooksPath", hooks.to_str().unwrap()]);
    fs::remove_file(&marker).ok();

    sandbox.file("r/a.txt", "b\n");
    sandbox.file("r/new.txt", "new\n");
    sandbox.file("r/new.bin", "new\n");
    fs::remove_file(top.join("gone.txt")).unwrap();
    call_all(&top).unwrap();
    assert!(!marker.exists(), "{}", fs::read_to_string(&marker).unwrap());
    // The program works: git itself runs it.
    skein_git::run(&top, ["diff"]).ok();
    assert!(marker.exists());
}

#[test]
fn programs_in_the_configuration_of_a_submodule_are_not_run() {
    let sandbox = Sandbox::new();
    let (marker, program) = marker_program(&sandbox);
    sandbox.file("library/a.txt", "a\n");
    sandbox.repository("library");
    sandbox.file("r/a.txt", "a\n");
    let top = sandbox.repository("r");
    git(&top, &["submodule", "--quiet", "add", "../library", "sub"]);
    commit(&top);
    let sub = sandbox.path("r/sub");
    git(&sub, &["config", "core.fsmonitor", &program]);
    git(&sub, &["config", "filter.evil.clean", &program]);
    git(&top, &["config", "diff.submodule", "diff"]);
    git(&top, &["config", "status.submoduleSummary", "true"]);
    sandbox.file("r/sub/.gitattributes", "*.txt filter=evil\n");
    sandbox.file("r/sub/a.txt", "b\n");
    sandbox.file("r/a.txt", "b\n");
    call_all(&top).unwrap();
    assert!(!marker.exists(), "{}", fs::read_to_string(&marker).unwrap());
    skein_git::run(&top, ["status"]).unwrap();
    assert!(marker.exists());
}

#[test]
fn missing_objects_are_not_fetched() {
    let sandbox = Sandbox::new();
    let (marker, program) = marker_program(&sandbox);
    sandbox.file("r/a.txt", "a\n");
    let top = sandbox.repository("r");
    let head = repo(&top).head_commit().unwrap().unwrap();
    let blob = git(&top, &["rev-parse", "HEAD:a.txt"]);
    let (folder, file) = blob.split_at(2);
    fs::remove_file(top.join(".git/objects").join(folder).join(file)).unwrap();
    git(&top, &["config", "core.repositoryFormatVersion", "1"]);
    git(&top, &["config", "extensions.partialClone", "origin"]);
    git(&top, &["config", "remote.origin.promisor", "true"]);
    git(&top, &["config", "remote.origin.url", "ssh://host/path"]);
    git(&top, &["config", "core.sshCommand", &program]);
    let mut objects = Objects::start(&repo(&top)).unwrap();
    assert!(!matches!(objects.blob(&head, "a.txt"), Ok(Some(_))));
    sandbox.file("r/b.txt", "b\n");
    repo(&top).snapshot(&[]).unwrap();
    assert!(!marker.exists(), "{}", fs::read_to_string(&marker).unwrap());
    skein_git::run(&top, ["show", "HEAD:a.txt"]).unwrap_err();
    assert!(!marker.exists());
    let mut fetching = skein_git::command(&top);
    fetching.env_remove("GIT_NO_LAZY_FETCH").args(["show", "HEAD:a.txt"]);
    assert!(!fetching.output().unwrap().status.success());
    assert!(marker.exists());
}

#[test]
fn a_worktree_that_is_configured_elsewhere_is_not_read() {
    let sandbox = Sandbox::new();
    sandbox.file("r/a.txt", "a\n");
    let top = sandbox.repository("r");
    let secret = sandbox.file("home/secret", "secret\n");
    git(&top, &["config", "core.worktree", secret.parent().unwrap().to_str().unwrap()]);
    write(&top.join("new"), "new\n");
    let repo = repo(&top);
    assert_eq!(repo.status_paths(&[]).unwrap(), ["new"]);
    let tree = repo.snapshot(&[]).unwrap();
    let listed = git(&kept(&top), &["ls-tree", "-r", "--name-only", "--full-tree", tree.as_str()]);
    assert_eq!(listed, "a.txt\nnew");
}
