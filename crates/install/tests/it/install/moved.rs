//! Installations in a directory that was moved afterwards.

use std::fs;

use skein_install::{Scope, follow_move};
use skein_workspace::trust;

use super::{fixture, put};
use skein_fixtures::{Fixture, git};

/// Installs in a clone with a linked worktree, moves both, and calls `after_move`.
fn moved(after_move: &dyn Fn(&Fixture)) -> Fixture {
    let fixture = fixture();
    fixture.worktree("r", "tree", "topic");
    put(&fixture, "claude-code", Scope::Local);
    put(&fixture, "git", Scope::Local);
    fs::rename(fixture.path("r"), fixture.path("s")).unwrap();
    git(&fixture.path("s"), &["worktree", "repair"]);
    let paths = ["tree", "moved-tree"].map(|name| fixture.path(name).display().to_string());
    git(&fixture.path("s"), &["worktree", "move", &paths[0], &paths[1]]);
    after_move(&fixture);
    fixture
}

#[track_caller]
fn check_nothing_left(fixture: &Fixture) {
    for name in ["s/.claude", "moved-tree/.claude", "s/.git/hooks/post-commit"] {
        assert!(!fixture.path(name).exists(), "{name}");
    }
    assert!(!fixture.path("s/.git/hooks/post-checkout").exists());
    assert!(!fixture.read("s/.git/info/exclude").contains(".claude"));
    assert!(!fixture.path("s/.git/skein-root").exists());
    let install_log = fs::read_to_string(fixture.path("home/state/installed.json"));
    assert!(!install_log.unwrap_or_default().contains("\"file\""));
}

#[test]
fn uninstalling_removes_what_was_installed_before_the_move() {
    let fixture = moved(&|_| ());
    let workspace = fixture.open("s");
    let report = skein_install::uninstall_agents(&workspace, false, false).unwrap();
    assert_eq!(report.failed, Vec::<String>::new());
    check_nothing_left(&fixture);
    assert!(!trust::is_accepted(&workspace.env, &fixture.path("r")));
}

#[test]
fn other_commands_between_the_move_and_the_uninstallation_change_nothing() {
    let fixture = moved(&|fixture| {
        for dir in ["s", "moved-tree"] {
            let workspace = fixture.open(dir);
            follow_move(&workspace).unwrap();
        }
    });
    let workspace = fixture.open("s");
    for agent in ["claude-code", "git"] {
        let report = skein_install::uninstall(&workspace, agent, None, false).unwrap();
        assert_eq!(report.failed, Vec::<String>::new());
    }
    check_nothing_left(&fixture);
}

#[test]
fn uninstalling_in_a_copy_does_not_change_the_original() {
    let fixture = fixture();
    put(&fixture, "claude-code", Scope::Local);
    let copied = std::process::Command::new("cp")
        .args(["-r".as_ref(), fixture.path("r").as_os_str(), fixture.path("copy").as_os_str()])
        .status();
    assert!(copied.unwrap().success());
    let workspace = fixture.open("copy");
    skein_install::uninstall_agents(&workspace, false, false).unwrap();
    assert!(fixture.path("r/.claude/settings.local.json").exists());
    assert!(fixture.read("home/state/installed.json").contains("/r/.claude"));
}
