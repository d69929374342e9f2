//! Repositories of every kind: a hook writes only if there is a store, and never creates one.

use serde_json::{Value, json};
use skein_git::init;

use super::{bash, commit, log, place};
use skein_fixtures::{Fixture, git};

/// Calls every hook in a directory and returns how many checkpoints there are in `store` afterwards.
fn call_all(fixture: &Fixture, dir: &str, store: &str) -> usize {
    let payload = |value: &Value| value.to_string().into_bytes();
    let run = |agent: &str, event: &str, value: &Value| {
        let mut env = fixture.env(dir);
        env.variables.insert("CLAUDECODE".to_owned(), "1".to_owned());
        let reply = skein_hooks::run(env, agent, event, &payload(value), None);
        assert_eq!(reply.stdout, b"", "{agent} {event}");
    };
    let session = json!({"session_id": "s1", "source": "startup", "prompt": "x"});
    run("claude-code", "session-start", &session);
    run("claude-code", "user-prompt-submit", &session);
    run("claude-code", "post-tool-use", &bash("s1", "git commit -m x"));
    run("git", "post-commit", &Value::Null);
    run("claude-code", "pre-compact", &session);
    run("claude-code", "session-end", &session);
    fixture.path(store).join("workspace/threads").read_dir().map_or(0, Iterator::count)
}

#[test]
fn no_store_is_created() {
    let fixture = Fixture::new();
    fixture.repository("repo");
    fixture.dir("plain");
    let before = |fixture: &Fixture| {
        let tree = fixture.tree();
        tree.lines().filter(|line| !line.starts_with("home/")).collect::<Vec<_>>().join("\n")
    };
    let tree = before(&fixture);
    assert_eq!(call_all(&fixture, "repo", "repo"), 0);
    assert_eq!(call_all(&fixture, "plain", "plain"), 0);
    assert_eq!(before(&fixture), tree);
    assert_eq!(log(&fixture), "");
}

#[test]
fn without_git_there_is_still_a_checkpoint() {
    let fixture = Fixture::new();
    fixture.dir("plain/workspace/threads");
    assert_eq!(call_all(&fixture, "plain", "plain"), 1);
    assert_eq!(log(&fixture), "");
}

#[test]
fn a_bare_repository_gets_a_checkpoint_but_none_for_a_commit() {
    let fixture = place();
    git(&fixture.path(""), &["clone", "-q", "--bare", "repo", "bare"]);
    fixture.dir("bare/workspace/threads");
    assert_eq!(call_all(&fixture, "bare", "bare"), 1);
    assert_eq!(log(&fixture), "");
}

#[test]
fn checkpoints_are_written_with_a_detached_head_and_on_an_unborn_branch() {
    let fixture = place();
    git(&fixture.path("repo"), &["checkout", "-q", "--detach"]);
    commit(&fixture, "repo", "a.txt", "detached");
    assert_eq!(call_all(&fixture, "repo", "repo"), 1);
    assert_eq!(super::written(&fixture), "git-commit | Auto: detached | s1");
    let unborn = fixture.dir("unborn");
    init(&unborn, "main").unwrap();
    fixture.dir("unborn/workspace/threads");
    assert_eq!(call_all(&fixture, "unborn", "unborn"), 1);
    assert_eq!(log(&fixture), "");
}

#[test]
fn a_worktree_writes_to_the_store_of_the_main_checkout() {
    let fixture = place();
    fixture.worktree("repo", "tree", "topic");
    commit(&fixture, "tree", "a.txt", "in the worktree");
    let variables = fixture.path("repo/.git/worktrees/tree").display().to_string();
    let mut fixture = fixture;
    fixture.variables.insert("GIT_DIR".to_owned(), variables);
    assert_eq!(call_all(&fixture, "tree", "repo"), 1);
    assert_eq!(super::written(&fixture), "git-commit | Auto: in the worktree | s1");
    assert!(!fixture.path("tree/workspace").exists());
    assert_eq!(log(&fixture), "");
}

#[test]
fn a_hook_of_another_repository_writes_nothing_here() {
    let mut fixture = place();
    fixture.repository("other");
    commit(&fixture, "repo", "a.txt", "x");
    let other = fixture.path("other/.git").display().to_string();
    fixture.variables.insert("GIT_DIR".to_owned(), other);
    skein_hooks::run(fixture.env("repo"), "git", "post-commit", b"", None);
    assert_eq!(super::written(&fixture), "");
}

#[test]
fn a_commit_in_a_submodule_is_recorded() {
    let fixture = place();
    fixture.repository("inner");
    let inner = fixture.path("inner").display().to_string();
    let top = fixture.path("repo");
    git(&top, &["-c", "protocol.file.allow=always", "submodule", "add", "-q", &inner, "sub"]);
    commit(&fixture, "repo/sub", "a.txt", "inside");
    skein_hooks::run(fixture.env("repo/sub"), "git", "post-commit", b"", None);
    assert_eq!(super::written(&fixture), "git-commit | Auto: inside | -");
}

#[test]
fn nothing_is_written_during_a_rebase() {
    for sign in ["rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG"] {
        let fixture = place();
        commit(&fixture, "repo", "a.txt", "x");
        fixture.file(&format!("repo/.git/{sign}"), "");
        skein_hooks::run(fixture.env("repo"), "git", "post-commit", b"", None);
        let payload = bash("s1", "git commit -m x").to_string();
        skein_hooks::run(
            fixture.env("repo"),
            "claude-code",
            "post-tool-use",
            payload.as_bytes(),
            None,
        );
        assert_eq!(super::written(&fixture), "", "{sign}");
    }
}

#[test]
fn a_broken_repository_still_gets_a_checkpoint() {
    let fixture = place();
    fixture.file("repo/.git/HEAD", "nonsense");
    assert_eq!(call_all(&fixture, "repo", "repo"), 1);
    let dangling = Fixture::new();
    dangling.file("sub/.git", "gitdir: nowhere\n");
    dangling.dir("sub/workspace/threads");
    assert_eq!(call_all(&dangling, "sub", "sub"), 1);
}
