//! Files that belong to Skein alone, and files of others with the same names.

use std::fs;

use skein_install::Scope;

use super::{fixture, put, said, take, tree, try_install};
use skein_fixtures::git;

const COMMAND: &str = "r/.claude/commands/review.md";

#[test]
fn a_file_of_another_program_is_never_changed() {
    let fixture = fixture();
    fixture.file(COMMAND, "my own review\n");
    let report = put(&fixture, "claude-code", Scope::Local);
    let kept = "keep r/.claude/commands/review.md".to_owned();
    assert!(said(&fixture, &report).contains(&kept), "{report:?}");
    assert_eq!(fixture.read(COMMAND), "my own review\n");
    take(&fixture, "claude-code");
    assert_eq!(fixture.read(COMMAND), "my own review\n");
    assert!(!fixture.path("r/.claude/commands/handoff.md").exists());
}

#[test]
fn a_file_of_ours_that_was_changed_is_kept() {
    let fixture = fixture();
    put(&fixture, "claude-code", Scope::Local);
    let changed = fixture.read(COMMAND).replace("one at a time", "all at once");
    fixture.file(COMMAND, &changed);
    let report = put(&fixture, "claude-code", Scope::Local);
    assert!(!report.changes_anything());
    let report = take(&fixture, "claude-code");
    assert!(said(&fixture, &report).contains(&format!("keep {COMMAND}")), "{report:?}");
    assert_eq!(fixture.read(COMMAND), changed);
}

#[test]
fn line_endings_that_git_changed_are_not_a_change() {
    let fixture = fixture();
    put(&fixture, "claude-code", Scope::Project);
    let text = fixture.read(COMMAND).replace('\n', "\r\n");
    fixture.file(COMMAND, &text);
    assert!(!put(&fixture, "claude-code", Scope::Project).changes_anything());
    assert_eq!(fixture.read(COMMAND), text);
    take(&fixture, "claude-code");
    assert!(!fixture.path(COMMAND).exists());
}

#[test]
fn local_files_are_hidden_from_git() {
    let fixture = fixture();
    fixture.file("r/.git/info/exclude", "/mine/\n");
    for agent in ["claude-code", "codex", "opencode", "gemini-cli", "cursor"] {
        put(&fixture, agent, Scope::Local);
        assert_eq!(git(&fixture.path("r"), &["status", "--porcelain"]), "", "{agent}");
        take(&fixture, agent);
        assert_eq!(fixture.read("r/.git/info/exclude"), "/mine/\n", "{agent}");
    }
    put(&fixture, "opencode", Scope::Local);
    put(&fixture, "opencode", Scope::Project);
    assert_eq!(fixture.read("r/.git/info/exclude"), "/mine/\n/workspace/threads/\n");
    assert_eq!(git(&fixture.path("r"), &["status", "--porcelain"]), "?? .opencode/\n");
    take(&fixture, "opencode");
    assert!(!fixture.path("r/.opencode").exists());
}

#[test]
fn an_empty_store_for_hooks_is_removed_with_the_last_hook() {
    let fixture = fixture();
    let before = tree(&fixture);
    let threads = fixture.path("r/workspace/threads");
    put(&fixture, "claude-code", Scope::User);
    assert!(!threads.exists());
    take(&fixture, "claude-code");
    put(&fixture, "claude-code", Scope::Local);
    put(&fixture, "git", Scope::Local);
    assert!(threads.is_dir());
    take(&fixture, "claude-code");
    assert!(threads.is_dir());
    take(&fixture, "git");
    assert_eq!(tree(&fixture), before);
    put(&fixture, "git", Scope::Local);
    fixture.file("r/workspace/threads/T-1.json", "{}");
    take(&fixture, "git");
    assert!(threads.join("T-1.json").exists());
    assert_eq!(git(&fixture.path("r"), &["status", "--porcelain"]), "");
}

#[test]
fn one_scope_can_be_uninstalled_alone() {
    let fixture = fixture();
    // The store is kept, because the hooks of the user write to it too.
    fixture.dir("r/workspace/threads");
    put(&fixture, "claude-code", Scope::User);
    let before = tree(&fixture);
    let report = put(&fixture, "claude-code", Scope::Local);
    assert!(report.notes.iter().any(|note| note.contains("--user")), "{:?}", report.notes);
    let workspace = fixture.open("r");
    skein_install::uninstall(&workspace, "claude-code", Some(Scope::Local), false).unwrap();
    assert_eq!(tree(&fixture), before);
}

#[test]
fn changes_of_what_git_ignores_are_reported() {
    let fixture = fixture();
    let note = |report: &skein_install::InstallReport, start: &str| {
        assert!(report.changes_anything());
        assert!(report.notes.iter().any(|note| note.starts_with(start)), "{:?}", report.notes);
    };
    let dry_run_of = |scope| try_install(&fixture, "codex", Some(scope), true).unwrap();
    note(&dry_run_of(Scope::Local), "Git would ignore these files here (in .git/info/exclude)");
    put(&fixture, "codex", Scope::Local);
    let files = ".codex/hooks.json, .agents/skills/checkpoint/SKILL.md, ";
    note(&dry_run_of(Scope::Project), &format!("Git would see these files: {files}"));
    assert_eq!(git(&fixture.path("r"), &["status", "--porcelain"]), "");
    let report = put(&fixture, "codex", Scope::Project);
    note(&report, &format!("Git sees these files: {files}"));
    assert!(!put(&fixture, "codex", Scope::Project).changes_anything());
}

#[test]
fn files_that_another_scope_needs_are_kept_and_stay_visible_to_git() {
    let check = |first: Scope, second: Scope, gone: Scope, rest: Scope| {
        let fixture = fixture();
        put(&fixture, "claude-code", first);
        put(&fixture, "claude-code", second);
        let status = git(&fixture.path("r"), &["status", "--porcelain", "-uall"]);
        assert!(status.contains(".claude/commands/review.md"), "{status}");
        let workspace = fixture.open("r");
        let would = skein_install::uninstall(&workspace, "claude-code", Some(gone), true).unwrap();
        let report =
            skein_install::uninstall(&workspace, "claude-code", Some(gone), false).unwrap();
        let kept = format!("keep {COMMAND}");
        assert!(said(&fixture, &would).contains(&kept), "{would:?}");
        assert!(said(&fixture, &report).contains(&kept), "{report:?}");
        assert!(fixture.path(COMMAND).exists());
        skein_install::uninstall(&workspace, "claude-code", Some(rest), false).unwrap();
        assert!(!fixture.path("r/.claude").exists());
    };
    let (local, project) = (Scope::Local, Scope::Project);
    check(local, project, project, local);
    check(local, project, local, project);
    check(project, local, project, local);
    check(project, local, local, project);
}

#[test]
fn another_installation_is_reported_once() {
    let fixture = fixture();
    put(&fixture, "codex", Scope::Local);
    let report = put(&fixture, "codex", Scope::User);
    let is_other = |note: &&String| note.contains("both may run");
    let others: Vec<&String> = report.notes.iter().filter(is_other).collect();
    assert_eq!(others.len(), 1, "{others:?}");
    assert!(others[0].contains("`skein uninstall codex --local`"), "{others:?}");
}

#[test]
fn the_settings_directory_of_an_agent_may_be_set_by_a_variable() {
    let mut fixture = fixture();
    let home = fixture.path("elsewhere").display().to_string();
    fixture.variables.insert("CODEX_HOME".to_owned(), home);
    put(&fixture, "codex", Scope::User);
    assert!(fixture.read("elsewhere/hooks.json").contains("hook codex stop"));
    take(&fixture, "codex");
    assert!(!fixture.path("elsewhere").exists());
}

#[test]
fn the_commands_of_claude_code_may_run_only_what_they_need() {
    let fixture = fixture();
    put(&fixture, "claude-code", Scope::Project);
    let check = |name: &str, expected: &str| {
        let text = fixture.read(&format!("r/.claude/commands/{name}.md"));
        let rules = text.lines().find_map(|line| line.strip_prefix("allowed-tools: "));
        assert_eq!(rules, Some(expected));
    };
    check(
        "checkpoint",
        "Bash(skein checkpoint save:*), Bash(skein list:*), Bash(skein show:*), Bash(skein steps:*)",
    );
    check("cleanup", "Bash(skein checkpoint cleanup:*)");
    check(
        "search",
        "Bash(skein list:*), Bash(skein review show:*), Bash(skein search:*), Bash(skein show:*)",
    );
    check(
        "handoff",
        "Bash(skein handoff:*), Bash(skein list:*), Bash(skein resume:*), Bash(skein show:*), Bash(skein steps:*)",
    );
    check(
        "review",
        "Bash(skein review add:*), Bash(skein review list:*), Bash(skein review next:*), Bash(skein review reply:*), \
        Bash(skein review resolve:*), Bash(skein review show:*), Bash(skein review wait:*)",
    );
}

#[test]
fn the_commands_are_in_the_format_of_each_agent() {
    let fixture = fixture();
    for agent in ["claude-code", "codex", "opencode", "gemini-cli", "cursor"] {
        put(&fixture, agent, Scope::Project);
    }
    for name in ["checkpoint", "cleanup", "handoff", "review", "search"] {
        let claude = fixture.read(&format!("r/.claude/commands/{name}.md"));
        let codex = fixture.read(&format!("r/.agents/skills/{name}/SKILL.md"));
        let opencode = fixture.read(&format!("r/.opencode/commands/{name}.md"));
        assert!(claude.starts_with("---\ndescription: "), "{claude}");
        assert!(claude.contains("$ARGUMENTS"));
        assert!(codex.starts_with(&format!("---\nname: {name}\ndescription: ")), "{codex}");
        assert!(opencode.starts_with("---\ndescription: ") && opencode.contains("$ARGUMENTS"));
        let gemini = fixture.read(&format!("r/.gemini/commands/{name}.toml"));
        let gemini: toml_edit::DocumentMut = gemini.parse().unwrap();
        assert!(gemini["prompt"].as_str().unwrap().contains("{{args}}"), "{gemini}");
        let cursor = fixture.read(&format!("r/.cursor/commands/{name}.md"));
        assert!(cursor.starts_with("<!-- Written by `skein install` ("), "{cursor}");
    }
    let hooks = fixture.read("r/.cursor/hooks.json");
    let start = r#"{
  "version": 1,
  "hooks": {
    "sessionStart": [
      {
        "command": "{ command -v skein >/dev/null 2>&1 || exit 0; skein hook cursor session-start || exit 0; }",
        "timeout": 10
      }
    ],
"#;
    assert!(hooks.starts_with(start), "{hooks}");
    let plugin = fixture.read("r/.opencode/plugins/skein.js");
    assert!(plugin.contains("spawn(\"skein\", [\"hook\", \"opencode\", event]"), "{plugin}");
    assert!(fs::metadata(fixture.path("r/.opencode/plugins/skein.js")).unwrap().is_file());
}

#[test]
fn an_exclude_file_without_a_final_newline_is_restored_exactly() {
    for agent in ["claude-code", "opencode"] {
        let fixture = fixture();
        fixture.file("r/.git/info/exclude", "# mine\n*.log");
        let before = tree(&fixture);
        put(&fixture, agent, Scope::Local);
        assert_ne!(fixture.read("r/.git/info/exclude"), "# mine\n*.log");
        assert_eq!(git(&fixture.path("r"), &["status", "--porcelain"]), "");
        take(&fixture, agent);
        assert_eq!(tree(&fixture), before);
    }
}

#[test]
fn a_file_of_the_users_own_stays_visible_to_git() {
    let fixture = fixture();
    fixture.file("r/.git/info/exclude", "/mine/\n");
    fixture.file(COMMAND, "my own review\n");
    put(&fixture, "claude-code", Scope::Local);
    let exclude = fixture.read("r/.git/info/exclude");
    assert!(exclude.contains("/.claude/commands/handoff.md"), "{exclude}");
    assert!(!exclude.contains("review.md"), "{exclude}");
    let status = git(&fixture.path("r"), &["status", "--porcelain", "-uall"]);
    assert_eq!(status, "?? .claude/commands/review.md\n");
    put(&fixture, "claude-code", Scope::Local);
    take(&fixture, "claude-code");
    assert_eq!(fixture.read("r/.git/info/exclude"), "/mine/\n");
    assert_eq!(fixture.read(COMMAND), "my own review\n");
}

#[test]
fn a_dry_run_reports_the_store_and_the_consent() {
    let fixture = fixture();
    let notes_of = |report: &skein_install::InstallReport| -> Vec<String> {
        report.notes.iter().map(|note| fixture.shorten(note)).collect()
    };
    let notes = notes_of(&try_install(&fixture, "claude-code", None, true).unwrap());
    for note in [
        "Hooks could pass threads of r to agents",
        "Would create the store of checkpoints: r/workspace/threads",
    ] {
        assert!(notes.contains(&note.to_owned()), "{notes:?}");
    }
    assert!(!fixture.path("r/workspace").exists());
    put(&fixture, "claude-code", Scope::Local);
    let notes = notes_of(&try_install(&fixture, "claude-code", None, true).unwrap());
    assert!(notes.iter().all(|note| !note.contains("could pass")), "{notes:?}");
}

#[test]
fn without_a_scope_the_installation_for_the_user_is_kept() {
    let fixture = fixture();
    put(&fixture, "claude-code", Scope::User);
    put(&fixture, "claude-code", Scope::Local);
    put(&fixture, "claude-code", Scope::Project);
    let workspace = fixture.open("r");
    let report = skein_install::uninstall(&workspace, "claude-code", None, false).unwrap();
    assert_eq!(report.failed, Vec::<String>::new());
    assert!(!report.changes.iter().any(|one| one.file.contains("/home/")), "{report:?}");
    assert!(!fixture.path("r/.claude").exists());
    assert!(fixture.path("home/.claude/commands/review.md").exists());
    let note = "`skein uninstall claude-code --user` removes it";
    assert!(report.notes.iter().any(|line| line.ends_with(note)), "{report:?}");
    take(&fixture, "claude-code");
    assert!(!fixture.path("home/.claude/settings.json").exists());
}

#[test]
fn an_agent_with_one_file_for_two_scopes_is_removed_from_the_one_that_is_named() {
    for agent in ["claude-code", "codex", "opencode", "gemini-cli", "cursor"] {
        for scope in [Scope::Local, Scope::Project] {
            let fixture = fixture();
            let before = tree(&fixture);
            put(&fixture, agent, scope);
            let workspace = fixture.open("r");
            skein_install::uninstall(&workspace, agent, Some(scope), false).unwrap();
            assert_eq!(tree(&fixture), before, "{agent} {scope:?}");
        }
    }
}
