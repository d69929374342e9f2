//! Which agents are detected, what is installed, and how hooks call the program.

use skein_install::{DetectedPrograms, InstallOptions, Scope};
use skein_workspace::trust;

use super::{fixture, put, take, tools};
use skein_fixtures::Fixture;

/// Lists for each agent whether it was found, and what is installed.
fn states(fixture: &Fixture) -> String {
    let workspace = fixture.open("r");
    let has = |name: &str| matches!(name, "skein" | "codex");
    let tools = DetectedPrograms { has: &has, program: None };
    let states = skein_install::states(&workspace, &tools);
    let state = |state: &skein_install::AgentState| {
        let found = if state.detected.is_empty() { "-" } else { "found" };
        let one = |one: &skein_install::Installed| {
            format!(" {}{}", one.scope.name(), if one.current { "" } else { " (old)" })
        };
        let installed: String = state.installed.iter().map(one).collect();
        format!("{} {found}{installed}\n", state.agent)
    };
    states.iter().map(state).collect()
}

#[test]
fn agents_are_found_by_their_programs_and_folders() {
    let fixture = fixture();
    assert_eq!(
        states(&fixture),
        "claude-code -\ncodex found\nopencode -\ngemini-cli -\ncursor -\ngit -\n"
    );
    fixture.dir("r/.claude");
    fixture.dir("home/.config/opencode");
    assert_eq!(
        states(&fixture),
        "claude-code found\ncodex found\nopencode found\ngemini-cli -\ncursor -\ngit -\n"
    );
}

#[test]
fn installations_are_listed_by_scope() {
    let fixture = fixture();
    put(&fixture, "claude-code", Scope::Project);
    put(&fixture, "claude-code", Scope::User);
    put(&fixture, "opencode", Scope::Local);
    put(&fixture, "git", Scope::Local);
    let all = "claude-code found project user\ncodex found\nopencode found local\ngemini-cli -\ncursor -\ngit - local\n";
    assert_eq!(states(&fixture), all);
    let old = fixture.read("r/.claude/settings.json").replace("|| exit 0", "|| true");
    fixture.file("r/.claude/settings.json", old);
    assert!(states(&fixture).starts_with("claude-code found project (old) user\n"));
}

#[test]
fn a_program_that_is_not_on_the_search_path_is_called_by_its_path() {
    let fixture = fixture();
    let program = Some(fixture.path("it's here/skein"));
    let nowhere = DetectedPrograms { has: &|_| false, program };
    let workspace = fixture.open("r");
    let install = |scope: Scope| {
        let options = InstallOptions { scope: Some(scope), dry_run: false, consent: false };
        skein_install::install(&workspace, &nowhere, "claude-code", &options).unwrap()
    };
    let report = install(Scope::Local);
    let is_reported = |note: &String| note.contains("is not on the search path");
    assert!(report.notes.iter().any(is_reported), "{:?}", report.notes);
    let text = fixture.read("r/.claude/settings.local.json");
    assert!(text.contains("/it'\\\\''s here/skein' hook claude-code stop"), "{text}");
    // A committed command must work on other machines.
    install(Scope::Project);
    assert!(fixture.read("r/.claude/settings.json").contains("&& skein hook claude-code stop"));
}

#[test]
fn installing_accepts_the_workspace_until_the_last_agent_is_uninstalled() {
    let fixture = fixture();
    let env = fixture.env("r");
    let root = fixture.path("r");
    let report = put(&fixture, "claude-code", Scope::Local);
    assert!(report.notes.iter().any(|note| note.contains("Hooks may pass threads")));
    assert!(trust::is_accepted(&env, &root));
    put(&fixture, "git", Scope::Local);
    take(&fixture, "claude-code");
    assert!(trust::is_accepted(&env, &root));
    take(&fixture, "git");
    assert!(!trust::is_accepted(&env, &root));
}

#[test]
fn checkpoints_above_the_repository_are_accepted_until_the_last_uninstall() {
    let fixture = Fixture::new();
    fixture.dir("home");
    fixture.dir("hq/workspace/threads");
    let env = fixture.env("hq");
    for dir in ["hq/one", "hq/two"] {
        fixture.repository(dir);
        let workspace = fixture.open(dir);
        let options = InstallOptions { scope: None, dry_run: false, consent: false };
        skein_install::install(&workspace, &tools(), "claude-code", &options).unwrap();
    }
    let roots = [fixture.path("hq"), fixture.path("hq/one"), fixture.path("hq/two")];
    assert_eq!(trust::accepted(&env), roots);
    for (dir, left) in [("hq/one", vec!["hq", "hq/two"]), ("hq/two", vec![])] {
        let workspace = fixture.open(dir);
        skein_install::uninstall(&workspace, "claude-code", None, false).unwrap();
        let left: Vec<_> = left.into_iter().map(|dir| fixture.path(dir)).collect();
        assert_eq!(trust::accepted(&workspace.env), left);
    }
}

#[test]
fn a_worktree_accepts_the_main_checkout() {
    let fixture = fixture();
    fixture.worktree("r", "tree", "topic");
    let workspace = fixture.open("tree");
    let options = InstallOptions { scope: None, dry_run: false, consent: false };
    skein_install::install(&workspace, &tools(), "claude-code", &options).unwrap();
    assert_eq!(trust::accepted(&workspace.env), [fixture.path("r")]);
    assert!(fixture.path("tree/.claude/settings.local.json").exists());
}

#[test]
fn editors_are_listed() {
    let fixture = fixture();
    fixture.dir("r/.vscode");
    let workspace = fixture.open("r");
    let tools = DetectedPrograms { has: &|name| name == "nvim", program: None };
    let editors = skein_install::editors(&workspace, &tools);
    let names: Vec<&str> = editors.iter().map(|editor| editor.name).collect();
    assert_eq!(names, ["VS Code", "Vim"]);
}
