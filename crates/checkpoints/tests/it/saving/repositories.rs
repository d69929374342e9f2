//! Checkpoints in repositories of every kind, and without one.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use super::{saved, summary};
use skein_fixtures::{Fixture, git};

/// Saves a checkpoint and returns its `git` member, with placeholders for the commit ids.
#[track_caller]
fn git_of(fixture: &Fixture, dir: &str) -> Value {
    let (saved, mut value) = saved(fixture, dir, &summary("Done"));
    assert!(saved.diagnostics.is_empty(), "{:?}", saved.diagnostics);
    for name in ["initial_commit", "current_commit"] {
        if let Some(commit) = value.pointer_mut(&format!("/git/{name}")) {
            assert_eq!(commit.as_str().unwrap().len(), 7);
            *commit = json!("abc1234");
        }
    }
    value["git"].take()
}

#[test]
fn without_a_repository_there_is_no_git_member() {
    let fixture = Fixture::new();
    fixture.dir("w");
    let (_, value) = saved(&fixture, "w", &summary("Done"));
    assert_eq!(value.get("git"), None);
    assert_eq!(value["cwd"], ".");
}

#[test]
fn a_detached_head_has_no_branch() {
    let fixture = Fixture::new();
    let top = fixture.repository("w");
    git(&top, &["checkout", "--quiet", "--detach"]);
    let expected = json!({
        "initial_commit": "abc1234", "current_commit": "abc1234", "commits_made": [], "dirty": false,
    });
    assert_eq!(git_of(&fixture, "w"), expected);
}

#[test]
fn a_branch_without_a_commit_is_named() {
    let fixture = Fixture::new();
    let top = fixture.dir("w");
    git(&top, &["init", "--quiet", "-b", "trunk"]);
    fixture.file("w/a", "1");
    let (_, value) = saved(&fixture, "w", &summary("Done"));
    assert_eq!(value["git"], json!({"branch": "trunk", "dirty": true}));
    assert_eq!(value["files_touched"], json!(["a"]));
}

#[test]
fn a_bare_repository_records_its_head() {
    let fixture = Fixture::new();
    let top = fixture.repository("w");
    let bare = fixture.path("bare.git").display().to_string();
    git(&top, &["clone", "--quiet", "--bare", ".", &bare]);
    assert_eq!(
        git_of(&fixture, "bare.git"),
        json!({"branch": "main", "current_commit": "abc1234"})
    );
}

#[test]
fn a_worktree_records_its_own_branch_and_writes_to_the_main_checkout() {
    let fixture = Fixture::new();
    fixture.repository("home/w");
    fixture.worktree("home/w", "home/other", "topic");
    let (saved, value) = saved(&fixture, "home/other", &summary("Done"));
    assert_eq!(value["git"]["branch"], "topic");
    assert_eq!((&value["workspace_root"], &value["cwd"]), (&json!("~/w"), &json!("~/other")));
    assert!(saved.file.contains("/home/w/workspace/threads/"));
    assert_eq!(git(&fixture.path("home/w"), &["status", "--porcelain"]), "");
}

#[test]
fn a_submodule_is_a_repository_of_its_own() {
    let fixture = Fixture::new();
    let inner = fixture.repository("inner").display().to_string();
    let outer = fixture.repository("outer");
    let add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &inner, "sub"];
    git(&outer, &add);
    git(&outer.join("sub"), &["remote", "set-url", "origin", "git@example.org:a/b.git"]);
    assert_eq!(
        git_of(&fixture, "outer/sub"),
        json!({
            "branch": "main",
            "remote_url": "git@example.org:a/b.git",
            "initial_commit": "abc1234",
            "current_commit": "abc1234",
            "commits_made": [],
            "dirty": false,
        })
    );
}

#[test]
fn a_remote_loses_its_password() {
    let fixture = Fixture::new();
    let top = fixture.repository("w");
    let url = ["https://user:p@", "ss@host.example/x.git?token=abc12345"].concat();
    git(&top, &["remote", "add", "origin", &url]);
    let found = git_of(&fixture, "w");
    assert_eq!(found["remote_url"], "https://host.example/x.git");
}

#[test]
fn a_broken_or_unreadable_repository_is_ignored() {
    let fixture = Fixture::new();
    fixture.file("dangling/.git", "gitdir: /nowhere\n");
    let (_, value) = saved(&fixture, "dangling", &summary("Done"));
    assert_eq!(value.get("git"), None);

    let top = fixture.repository("index");
    fixture.file("index/.git/index", "broken");
    let expected = json!({
        "branch": "main", "initial_commit": "abc1234", "current_commit": "abc1234", "commits_made": [],
    });
    assert_eq!(git_of(&fixture, "index"), expected);
    assert!(top.exists());

    // As root, the tests can read everything.
    let shut = fixture.repository("shut").join(".git");
    std::fs::set_permissions(&shut, std::fs::Permissions::from_mode(0o000)).unwrap();
    let (saved, _) = saved(&fixture, "shut", &summary("Done"));
    assert!(saved.diagnostics.is_empty());
    std::fs::set_permissions(&shut, std::fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn with_the_reftable_backend_the_git_program_is_used() {
    let fixture = Fixture::new();
    let top = fixture.dir("w");
    if skein_git::run(&top, ["init", "--quiet", "-b", "trunk", "--ref-format=reftable"]).is_err() {
        return;
    }
    fixture.file("w/a", "1");
    git(&top, &["add", "."]);
    git(&top, &["-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "one"]);
    let expected = json!({
        "branch": "trunk", "initial_commit": "abc1234", "current_commit": "abc1234",
        "commits_made": [], "dirty": false,
    });
    assert_eq!(git_of(&fixture, "w"), expected);
}

#[test]
fn changes_inside_a_submodule_are_uncommitted_changes() {
    let fixture = Fixture::new();
    let top = fixture.repository("w");
    fixture.repository("w/lib/sum");
    fixture.file("w/.gitmodules", "[submodule \"sum\"]\n\tpath = lib/sum\n\turl = ../sum\n");
    git(&top, &["add", "."]);
    git(&top, &["-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "add sum"]);
    let (_, value) = saved(&fixture, "w", &summary("Done"));
    assert_eq!(value["git"]["dirty"], false);
    fixture.file("w/lib/sum/new.rs", "1");
    let (_, value) = saved(&fixture, "w", &summary("Done again"));
    assert_eq!(value["git"]["dirty"], true);
    assert_eq!(value["files_touched"], serde_json::json!(["lib/sum"]));
}
