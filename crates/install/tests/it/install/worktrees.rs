//! One consent covers all worktrees of a clone.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use skein_install::Scope;
use skein_workspace::{discover, trust};

use super::{fixture, put, take, tools, try_install};
use skein_fixtures::{Fixture, git};

const SETTINGS: &str = ".claude/settings.local.json";

fn has_hooks(fixture: &Fixture, worktree: &str) -> bool {
    let path = fixture.path(worktree).join(SETTINGS);
    fs::read_to_string(path).is_ok_and(|text| text.contains("skein hook claude-code"))
}

/// Does what the git hook does after a worktree is added.
fn follow(fixture: &Fixture, worktree: &str) {
    let env = fixture.env(worktree);
    let errors = skein_install::follow(&discover(&env), &tools());
    assert!(errors.is_empty(), "{errors:?}");
}

#[test]
fn existing_and_later_worktrees_have_hooks() {
    let fixture = fixture();
    fixture.worktree("r", "first", "first");
    put(&fixture, "claude-code", Scope::Local);
    assert!(has_hooks(&fixture, "r") && has_hooks(&fixture, "first"));
    fixture.worktree("r", "second", "second");
    follow(&fixture, "second");
    for worktree in ["r", "first", "second"] {
        assert!(has_hooks(&fixture, worktree), "{worktree}");
        let status = git(&fixture.path(worktree), &["status", "--porcelain"]);
        assert_eq!(status, "", "{worktree}");
        let workspace = discover(&fixture.env(worktree));
        let env = fixture.env(worktree);
        assert!(trust::roots(&workspace).iter().all(|root| trust::is_accepted(&env, root)));
    }
    take(&fixture, "claude-code");
    for worktree in ["r", "first", "second"] {
        assert!(!has_hooks(&fixture, worktree), "{worktree}");
        assert!(!fixture.path(worktree).join(".claude").exists(), "{worktree}");
    }
    assert!(!fixture.path("r/.git/hooks/post-checkout").exists());
    // Without consent, nothing is installed in later worktrees.
    fixture.worktree("r", "third", "third");
    follow(&fixture, "third");
    assert!(!fixture.path("third/.claude").exists());
}

#[test]
fn git_runs_the_hook_for_a_worktree_that_is_added() {
    let fixture = fixture();
    put(&fixture, "claude-code", Scope::Local);
    let program = fixture.file("bin/skein", "#!/bin/sh\necho \"$@\" in $(pwd) >> $LOG\n");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", fixture.path("bin").display());
    let run = |args: &[&str]| {
        let output = skein_git::command(&fixture.path("r"))
            .env("PATH", &path)
            .env("LOG", fixture.path("log"))
            .args(args)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    let other = fixture.path("other").display().to_string();
    run(&["worktree", "add", "--quiet", "-b", "other", &other]);
    let log = fixture.shorten(&fixture.read("log"));
    assert_eq!(log, "hook git post-checkout in other\n");
    // Another branch in the same worktree is not a new worktree.
    run(&["checkout", "--quiet", "-b", "more"]);
    assert_eq!(fixture.shorten(&fixture.read("log")), log);
}

#[test]
fn the_hook_is_kept_while_one_agent_needs_it() {
    let fixture = fixture();
    let hook = fixture.path("r/.git/hooks/post-checkout");
    put(&fixture, "claude-code", Scope::Local);
    put(&fixture, "codex", Scope::Local);
    take(&fixture, "codex");
    assert!(hook.exists());
    put(&fixture, "git", Scope::Local);
    take(&fixture, "claude-code");
    assert!(!hook.exists());
    put(&fixture, "codex", Scope::Project);
    assert!(!hook.exists());
    let workspace = fixture.open("r");
    put(&fixture, "codex", Scope::Local);
    let dry = skein_install::uninstall(&workspace, "codex", Some(Scope::Local), true).unwrap();
    assert!(dry.changes.iter().any(|change| change.file.ends_with("post-checkout")), "{dry:?}");
    assert!(hook.exists());
}

#[test]
fn with_a_custom_hooks_directory_the_agent_is_still_installed() {
    let fixture = fixture();
    git(&fixture.path("r"), &["config", "core.hooksPath", ".husky"]);
    let report = try_install(&fixture, "claude-code", None, false).unwrap();
    assert!(has_hooks(&fixture, "r"));
    let is_reported = report.notes.iter().any(|note| {
        note.starts_with("Run `skein install claude-code` in worktrees that are added later")
    });
    assert!(is_reported, "{:?}", report.notes);
    assert!(!fixture.path("r/.husky").exists());
}

#[test]
fn uninstalling_in_a_repository_changes_neither_other_repositories_nor_the_user_scope() {
    let fixture = fixture();
    fixture.repository("other");
    fixture.worktree("r", "first", "first");
    let env = fixture.env("other");
    let options =
        skein_install::InstallOptions { scope: Some(Scope::Local), dry_run: false, consent: false };
    skein_install::install(&discover(&env), &tools(), "claude-code", &options).unwrap();
    put(&fixture, "claude-code", Scope::Local);
    put(&fixture, "codex", Scope::User);
    let workspace = fixture.open("r");
    let once = fixture.tree();
    let dry = skein_install::uninstall_agents(&workspace, false, true).unwrap();
    assert!(dry.changes_anything());
    assert_eq!(fixture.tree(), once);
    let report = skein_install::uninstall_agents(&workspace, false, false).unwrap();
    assert_eq!(report.failed, Vec::<String>::new());
    assert_eq!(report.changes.len(), dry.changes.len());
    assert!(!has_hooks(&fixture, "r") && !has_hooks(&fixture, "first"));
    assert!(!fixture.path("r/.git/hooks/post-checkout").exists());
    assert!(has_hooks(&fixture, "other"));
    assert!(fixture.path("other/.git/hooks/post-checkout").exists());
    assert!(fixture.read("home/.codex/hooks.json").contains("skein hook codex"));
    assert!(report.notes.iter().any(|note| note.contains("--everywhere")), "{:?}", report.notes);
    assert!(!trust::is_accepted(&workspace.env, &fixture.path("r")));
    assert!(trust::is_accepted(&workspace.env, &fixture.path("other")));
}

#[test]
fn uninstalling_cleans_up_after_a_removed_worktree() {
    let fixture = fixture();
    fixture.file("r/.git/info/exclude", "/mine/\n");
    fixture.worktree("r", "first", "first");
    let env = fixture.env("first");
    let options = skein_install::InstallOptions { scope: None, dry_run: false, consent: false };
    // The installation in the worktree that is removed writes the lines that hide the files.
    skein_install::install(&discover(&env), &tools(), "claude-code", &options).unwrap();
    git(&fixture.path("r"), &["worktree", "remove", &fixture.path("first").display().to_string()]);
    // The consent is for the clone, so it still applies to later worktrees.
    fixture.worktree("r", "second", "second");
    follow(&fixture, "second");
    assert!(has_hooks(&fixture, "second"));
    assert_eq!(git(&fixture.path("second"), &["status", "--porcelain"]), "");
    let workspace = fixture.open("r");
    let report = skein_install::uninstall_agents(&workspace, false, false).unwrap();
    assert_eq!(report.failed, Vec::<String>::new());
    assert_eq!(fixture.read("r/.git/info/exclude"), "/mine/\n");
    assert!(!has_hooks(&fixture, "second"));
    assert!(!fixture.path("home/state/installed.json").exists());
}
