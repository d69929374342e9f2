//! Installations that are check_refused without writing anything.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use skein_install::{DetectedPrograms, InstallError, InstallOptions, Scope};

use super::{fixture, tree, try_install};
use skein_fixtures::{Fixture, git};

const CLAUDE: &str = "r/.claude/settings.local.json";

#[track_caller]
fn check_refused(fixture: &Fixture, agent: &str, scope: Scope, expected: &str) {
    let before = tree(fixture);
    let error = try_install(fixture, agent, Some(scope), false).unwrap_err();
    let mut text = error.to_string();
    if let Some(source) = std::error::Error::source(&error) {
        text = format!("{text}: {source}");
    }
    assert_eq!(fixture.shorten(&text), expected);
    assert_eq!(tree(fixture), before);
    assert!(!fixture.path("home/state").exists());
}

#[test]
fn an_invalid_settings_file_is_not_changed() {
    for (text, why) in [
        ("{\n  \"a\": 1,\n  \"b\"\n}\n", "line 4: expected `:` after the key"),
        ("[1]", "`the file` is not an object"),
        ("{\"hooks\": []}", "`hooks` is not an object"),
        ("{\"hooks\": {\"Stop\": {}}}", "`Stop` is not a list"),
        ("{} x", "line 1: expected the end of the text"),
        ("\u{feff}{\n", "line 2: expected a key in double quotes"),
    ] {
        let fixture = fixture();
        fixture.file(CLAUDE, text);
        let expected = format!("cannot parse {CLAUDE}: {why}");
        check_refused(&fixture, "claude-code", Scope::Local, &expected);
    }
}

#[test]
fn inline_hooks_cannot_be_extended() {
    let fixture = fixture();
    let file = "home/.codex/config.toml";
    fixture.file(file, "[hooks]\nStop = [{ hooks = [] }]\n");
    let expected =
        format!("cannot parse {file}: `hooks` is not written in tables such as `[[hooks.Stop]]`");
    check_refused(&fixture, "codex", Scope::User, &expected);
}

#[test]
fn a_settings_file_that_git_tracks_is_not_local() {
    let fixture = fixture();
    fixture.file("r/.codex/hooks.json", "{}\n");
    git(&fixture.path("r"), &["add", "."]);
    let expected = "the file is tracked by git, so a change is not local: r/.codex/hooks.json";
    check_refused(&fixture, "codex", Scope::Local, expected);
}

#[test]
fn a_link_of_a_repository_is_not_followed_out_of_it() {
    let fixture = fixture();
    fixture.file("home/precious.json", "{}");
    fixture.link(CLAUDE, fixture.path("home/precious.json"));
    let expected = format!("a symbolic link is dangling or points out of the repository: {CLAUDE}");
    check_refused(&fixture, "claude-code", Scope::Local, &expected);

    let other = super::fixture();
    other.dir("home/out");
    other.link("r/.opencode", other.path("home/out"));
    let expected = "a symbolic link is dangling or points out of the repository: r/.opencode";
    check_refused(&other, "opencode", Scope::Project, expected);

    let third = super::fixture();
    third.link("home/.claude/settings.json", "nowhere.json");
    let expected =
        "a symbolic link is dangling or points out of the repository: home/.claude/settings.json";
    check_refused(&third, "claude-code", Scope::User, expected);
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error() {
    let fixture = fixture();
    let dir = fixture.dir("home/.claude");
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(dir.join("probe"), "").is_ok() {
        // The superuser can write everywhere.
        return;
    }
    let error = try_install(&fixture, "claude-code", Some(Scope::User), false).unwrap_err();
    assert!(matches!(error, InstallError::File(_)), "{error}");
}

#[test]
fn nothing_is_written_if_the_install_log_cannot_be_written() {
    for (agent, scope) in [
        ("claude-code", Scope::Local),
        ("claude-code", Scope::User),
        ("codex", Scope::Project),
        ("opencode", Scope::Local),
        ("git", Scope::Local),
    ] {
        let fixture = fixture();
        fixture.file("r/.git/hooks/post-commit", "#!/bin/sh\n");
        fixture.file("home/state", "a file in the way");
        let before = tree(&fixture);
        try_install(&fixture, agent, Some(scope), false).unwrap_err();
        assert_eq!(tree(&fixture), before);
    }
}

#[test]
fn an_interrupted_installation_can_be_undone() {
    let fixture = fixture();
    fixture.link("home/.claude/commands", "nowhere");
    let before = tree(&fixture);
    // The settings are written first; then the commands cannot be written.
    try_install(&fixture, "claude-code", Some(Scope::User), false).unwrap_err();
    assert!(fixture.read("home/.claude/settings.json").contains("hook claude-code stop"));
    super::take(&fixture, "claude-code");
    assert_eq!(tree(&fixture), before);
}

#[test]
fn a_directory_with_the_name_of_a_settings_file_is_an_error() {
    let fixture = fixture();
    fixture.dir(CLAUDE);
    let before = tree(&fixture);
    try_install(&fixture, "claude-code", Some(Scope::Local), false).unwrap_err();
    assert_eq!(tree(&fixture), before);
}

#[test]
fn unknown_agents_and_a_missing_home_are_errors() {
    let fixture = fixture();
    let error = try_install(&fixture, "emacs", None, false).unwrap_err();
    assert!(matches!(error, InstallError::UnknownAgent { .. }), "{error}");
    let mut workspace = fixture.open("r");
    workspace.env.home = None;
    let options = InstallOptions { scope: Some(Scope::User), dry_run: false, consent: false };
    let tools = DetectedPrograms { has: &|_| true, program: None };
    let error = skein_install::install(&workspace, &tools, "claude-code", &options).unwrap_err();
    assert!(matches!(error, InstallError::NoHome), "{error}");
}

#[test]
fn a_failure_is_reported_and_the_rest_is_uninstalled() {
    let fixture = fixture();
    super::put(&fixture, "claude-code", Scope::Local);
    fixture.file(CLAUDE, "{ broken");
    let workspace = fixture.open("r");
    let report = skein_install::uninstall(&workspace, "claude-code", None, false).unwrap();
    assert_eq!(report.failed.len(), 1, "{report:?}");
    assert!(report.failed[0].contains("line 1"), "{report:?}");
    assert!(!fixture.path("r/.claude/commands").exists());
    assert_eq!(fixture.read(CLAUDE), "{ broken");
}
