use std::fs;

use skein_git::{ChangedFile, CommitId, DiffSide};

use crate::sandbox::{Sandbox, commit, git, head, kept, repo};

const TEXT: &str = "one\ntwo\nthree\nfour\nfive\nsix\n";

fn show(changed: &ChangedFile) -> String {
    let path = |path: &Option<String>| path.clone().unwrap_or_else(|| "-".to_owned());
    format!("{:?} {} {}", changed.status, path(&changed.old_path), path(&changed.new_path))
}

#[track_caller]
fn check(sandbox: &Sandbox, old: &CommitId, new: &DiffSide, expected: &[&str]) {
    let changed = repo(&sandbox.path("r")).changed_paths(old, new).expect("git compares");
    assert_eq!(changed.iter().map(show).collect::<Vec<_>>(), expected);
}

/// Creates a repository with a few files and moves one of them without `git mv`.
fn moved(sandbox: &Sandbox) -> CommitId {
    sandbox.file("r/a b.txt", TEXT);
    sandbox.file("r/b.txt", "b\n");
    let top = sandbox.repository("r");
    sandbox.file("r/dir/ä \"c\".txt", &format!("{TEXT}seven\n"));
    fs::remove_file(top.join("a b.txt")).expect("the file is there");
    head(&repo(&top))
}

#[test]
fn a_rename_is_detected_once_git_tracks_the_new_name() {
    let sandbox = Sandbox::new();
    let base = moved(&sandbox);
    let renamed = "Renamed a b.txt dir/ä \"c\".txt";
    check(&sandbox, &base, &DiffSide::Worktree, &["Deleted a b.txt -"]);
    check(&sandbox, &base, &DiffSide::Index, &[]);
    git(&sandbox.path("r"), &["add", "--all"]);
    check(&sandbox, &base, &DiffSide::Index, &[renamed]);
    check(&sandbox, &base, &DiffSide::Worktree, &[renamed]);
    let head = commit(&sandbox.path("r"));
    check(&sandbox, &base, &DiffSide::Commit(head.clone()), &[renamed]);
    check(&sandbox, &head, &DiffSide::Commit(head.clone()), &[]);
}

#[test]
fn every_kind_of_change_is_listed_by_path() {
    let sandbox = Sandbox::new();
    let base = moved(&sandbox);
    sandbox.file("r/b.txt", "changed\n");
    sandbox.file("r/a.txt", "untracked\n");
    sandbox.file("r/.gitignore", "*.log\n");
    sandbox.file("r/x.log", "ignored\n");
    check(&sandbox, &base, &DiffSide::Worktree, &["Deleted a b.txt -", "Modified b.txt b.txt"]);
    git(&sandbox.path("r"), &["add", "--intent-to-add", "."]);
    check(
        &sandbox,
        &base,
        &DiffSide::Worktree,
        &[
            "Added - .gitignore",
            "Added - a.txt",
            "Modified b.txt b.txt",
            "Renamed a b.txt dir/ä \"c\".txt",
        ],
    );
}

#[test]
fn a_file_that_was_only_touched_is_not_listed() {
    let sandbox = Sandbox::new();
    sandbox.file("r/a.txt", TEXT);
    let top = sandbox.repository("r");
    let base = head(&repo(&top));
    let file = fs::OpenOptions::new().write(true).open(top.join("a.txt")).unwrap();
    file.set_modified(std::time::UNIX_EPOCH).unwrap();
    check(&sandbox, &base, &DiffSide::Worktree, &[]);
}

#[test]
fn a_conflict_is_listed_once() {
    let sandbox = Sandbox::new();
    sandbox.file("r/a.txt", "base\n");
    let top = sandbox.repository("r");
    let base = head(&repo(&top));
    git(&top, &["checkout", "--quiet", "-b", "topic"]);
    sandbox.file("r/a.txt", "theirs\n");
    commit(&top);
    git(&top, &["checkout", "--quiet", "main"]);
    sandbox.file("r/a.txt", "ours\n");
    commit(&top);
    skein_git::run(&top, ["merge", "topic"]).unwrap_err();
    check(&sandbox, &base, &DiffSide::Worktree, &["Modified a.txt a.txt"]);
    check(&sandbox, &base, &DiffSide::Index, &["Modified a.txt a.txt"]);
    let tree = repo(&top).snapshot(&[]).unwrap();
    assert!(git(&kept(&top), &["show", &format!("{tree}:a.txt")]).contains("<<<<<<<"));
    let files =
        repo(&top).diff(&DiffSide::Index, &DiffSide::Worktree, &Default::default()).unwrap();
    assert_eq!(files.len(), 1);
    assert!(files[0].hunks[0].text().contains("+<<<<<<<"));
}
