//! The entry of the MCP server in the settings of agents and editors.

use skein_install::{DetectedPrograms, InstallError, InstallOptions, SERVERS, Scope};

use skein_fixtures::{Fixture, git};

use super::{fixture, put, said, tree, try_install};

/// The file of each server in the repository, and its content without settings of others.
const FILES: [(&str, &str, &str); 7] = [
    (
        "claude-code",
        ".mcp.json",
        r#"{
  "mcpServers": {
    "skein": {
      "command": "skein",
      "args": [
        "mcp"
      ]
    }
  }
}
"#,
    ),
    ("codex", ".codex/config.toml", "[mcp_servers.skein]\ncommand = \"skein\"\nargs = [\"mcp\"]\n"),
    (
        "opencode",
        ".opencode/opencode.json",
        r#"{
  "mcp": {
    "skein": {
      "type": "local",
      "command": [
        "skein",
        "mcp"
      ]
    }
  }
}
"#,
    ),
    (
        "cursor",
        ".cursor/mcp.json",
        r#"{
  "mcpServers": {
    "skein": {
      "command": "skein",
      "args": [
        "-C",
        "${workspaceFolder}",
        "mcp"
      ]
    }
  }
}
"#,
    ),
    (
        "vscode",
        ".vscode/mcp.json",
        r#"{
  "servers": {
    "skein": {
      "type": "stdio",
      "command": "skein",
      "args": [
        "-C",
        "${workspaceFolder}",
        "mcp"
      ]
    }
  }
}
"#,
    ),
    (
        "zed",
        ".zed/settings.json",
        r#"{
  "context_servers": {
    "skein": {
      "command": "skein",
      "args": [
        "-C",
        "ROOT/r",
        "mcp"
      ]
    }
  }
}
"#,
    ),
    (
        "gemini-cli",
        ".gemini/settings.json",
        r#"{
  "mcpServers": {
    "skein": {
      "command": "skein",
      "args": [
        "mcp"
      ]
    }
  }
}
"#,
    ),
];

/// Uninstalls an agent in all scopes that it has.
fn take(fixture: &Fixture, agent: &str) {
    let workspace = fixture.open("r");
    skein_install::uninstall(&workspace, agent, None, false).unwrap();
    match skein_install::uninstall(&workspace, agent, Some(Scope::User), false) {
        Err(InstallError::NoScope { .. }) => {}
        done => assert_eq!(done.unwrap().failed, Vec::<String>::new()),
    }
}

#[test]
fn each_agent_has_an_entry_of_its_own_form() {
    assert_eq!(FILES.len(), SERVERS.len());
    for (agent, file, expected) in FILES {
        let fixture = fixture();
        let before = tree(&fixture);
        let name = format!("{agent} --mcp");
        let report = put(&fixture, &name, Scope::Local);
        assert_eq!(said(&fixture, &report)[0], format!("create r/{file}"));
        let root = fixture.path("").display().to_string();
        let text = fixture.read(&format!("r/{file}"));
        assert_eq!(text.replace(root.trim_end_matches('/'), "ROOT"), expected);
        let again = put(&fixture, &name, Scope::Local);
        assert!(!again.changes_anything(), "{again:?}");
        take(&fixture, agent);
        assert_eq!(tree(&fixture), before, "{agent}");
    }
}

#[test]
fn settings_of_others_stay_byte_for_byte() {
    let settings = [
        ("claude-code", ".mcp.json", "{\"mcpServers\":{\"other\":{\"command\":\"x\"}}, \"a\":1}"),
        (
            "gemini-cli",
            ".gemini/settings.json",
            "{\r\n  // mine\r\n  \"theme\": \"dark\",\r\n}\r\n",
        ),
        (
            "zed",
            ".zed/settings.json",
            "{\n    \"context_servers\": {\n    },\n    \"tab_size\": 3\n}\n",
        ),
        (
            "codex",
            ".codex/config.toml",
            "# mine\nmodel = \"x\"\n\n[mcp_servers.other]\ncommand = \"y\"\n\n[tail]\na = 1\n",
        ),
        ("opencode", ".opencode/opencode.json", "{\"mcp\": {}}"),
    ];
    for (agent, file, text) in settings {
        let fixture = fixture();
        fixture.file(&format!("r/{file}"), text);
        let scope = if agent == "zed" { Scope::Local } else { Scope::Project };
        put(&fixture, &format!("{agent} --mcp"), scope);
        let with = fixture.read(&format!("r/{file}"));
        assert!(with.contains("skein"), "{with}");
        for line in text.lines().filter(|line| line.len() > 12 && !text.starts_with("{\"mcp")) {
            assert!(with.contains(line), "{line} in {with}");
        }
        take(&fixture, agent);
        assert_eq!(fixture.read(&format!("r/{file}")), text, "{agent}");
    }
}

#[test]
fn an_entry_of_the_user_is_kept_and_arguments_that_the_user_added_stay() {
    let fixture = fixture();
    let foreign = "{\"mcpServers\": {\"skein\": {\"command\": \"docker\", \"args\": [\"run\", \"skein\"]}}}\n";
    fixture.file("r/.mcp.json", foreign);
    let report = put(&fixture, "claude-code --mcp", Scope::Project);
    assert_eq!(said(&fixture, &report), ["keep r/.mcp.json"]);
    take(&fixture, "claude-code");
    assert_eq!(fixture.read("r/.mcp.json"), foreign);
    let own = "{\"mcpServers\": {\"skein\": {\"command\": \"/old/skein\", \"args\": [\"mcp\", \"--read-only\"], \"env\": {\"A\": \"b\"}}}}\n";
    fixture.file("r/.mcp.json", own);
    put(&fixture, "claude-code --mcp", Scope::Project);
    assert_eq!(fixture.read("r/.mcp.json"), own.replace("/old/skein", "skein"));
}

#[test]
fn files_that_cannot_be_parsed_are_not_changed() {
    for (agent, file, text) in [
        ("claude-code", ".mcp.json", "{ \"mcpServers\": "),
        ("claude-code", ".mcp.json", "[]"),
        ("claude-code", ".mcp.json", "{\"mcpServers\": []}"),
        ("codex", ".codex/config.toml", "mcp_servers = 1\n"),
        ("codex", ".codex/config.toml", "[[\n"),
    ] {
        let fixture = fixture();
        fixture.file(&format!("r/{file}"), text);
        let name = format!("{agent} --mcp");
        assert!(try_install(&fixture, &name, Some(Scope::Project), false).is_err(), "{text}");
        assert_eq!(fixture.read(&format!("r/{file}")), text);
    }
}

#[test]
fn hooks_and_the_server_are_installed_and_removed_apart_or_together() {
    for agent in ["claude-code", "codex", "opencode", "gemini-cli", "cursor"] {
        let fixture = fixture();
        let before = tree(&fixture);
        let server = format!("{agent} --mcp");
        put(&fixture, agent, Scope::Local);
        let with_hooks = tree(&fixture);
        put(&fixture, &server, Scope::Local);
        let workspace = fixture.open("r");
        skein_install::uninstall(&workspace, &server, None, false).unwrap();
        assert_eq!(tree(&fixture), with_hooks, "{agent}");
        put(&fixture, &server, Scope::Local);
        take(&fixture, agent);
        assert_eq!(tree(&fixture), before, "{agent}");
    }
}

#[test]
fn hooks_and_the_server_in_one_file_are_independent_and_undone_in_any_order() {
    let (gemini, codex) = ("r/.gemini/settings.json", "r/.codex/config.toml");
    let comments = "model = \"x\"\n\n# [profiles.fast]\n# model = \"y\"\n";
    let user_hook = "[[hooks.Stop]]\nhooks = [{ type = \"command\", command = \"x\" }]\n";
    let hook_and_comment = format!("{user_hook}\n# [profiles.fast]\n# model = \"y\"");
    for (agent, file, original) in [
        ("gemini-cli", gemini, None),
        ("gemini-cli", gemini, Some("")),
        ("gemini-cli", gemini, Some("{ }")),
        ("gemini-cli", gemini, Some("{\"hooks\": {}, \"theme\": \"dark\"}")),
        ("gemini-cli", gemini, Some("{\n  \"mcpServers\": {}\n}\n")),
        ("gemini-cli", gemini, Some("{\"hooks\": {}, \"mcpServers\": {}}")),
        ("codex", codex, Some(user_hook)),
        ("codex", codex, Some(&format!("{comments}\n{user_hook}"))),
        ("codex", codex, Some(&hook_and_comment)),
    ] {
        let server = format!("{agent} --mcp");
        for names in [[agent, &server], [&server, agent]] {
            let fixture = fixture();
            if let Some(text) = original {
                fixture.file(file, text);
            }
            let before = tree(&fixture);
            for name in [names[0], names[1], names[0]] {
                put(&fixture, name, Scope::Local);
            }
            let has = |hooks: bool, server: bool| {
                let text = fixture.read(file);
                assert_eq!(text.contains(&format!("hook {agent} stop")), hooks, "{text}");
                assert_eq!(text.contains("\"mcp\""), server, "{text}");
                let line = "# [profiles.fast]";
                assert_eq!(text.contains(line), original.unwrap_or_default().contains(line));
            };
            has(true, true);
            let workspace = fixture.open("r");
            skein_install::uninstall(&workspace, &server, None, false).unwrap();
            has(true, false);
            put(&fixture, &server, Scope::Local);
            has(true, true);
            skein_install::uninstall(&workspace, agent, None, false).unwrap();
            assert_eq!(tree(&fixture), before, "{names:?}");
            for name in names {
                put(&fixture, name, Scope::Local);
            }
            skein_install::uninstall_agents(&workspace, false, false).unwrap();
            assert_eq!(tree(&fixture), before, "{names:?}");
        }
    }
}

#[test]
fn what_codex_writes_between_our_hooks_stays_with_all_comments() {
    let fixture = fixture();
    let file = "r/.codex/config.toml";
    let user =
        "# mine\n[[hooks.Stop]]\nhooks = [{ type = \"command\", command = \"x\" }]\n\n# more\n";
    fixture.file(file, user);
    put(&fixture, "codex", Scope::Local);
    put(&fixture, "codex --mcp", Scope::Local);
    // Codex adds tables before the comment at the end of our hooks.
    let project = "[projects.\"/a\"]\ntrust_level = \"trusted\"\n";
    let end = "# This is the end";
    let text = fixture.read(file);
    fixture.file(file, text.replace(end, &format!("\n{project}{end}")));
    let variables = "\n[mcp_servers.skein.env]\nA = \"b\"\n";
    fixture.file(file, fixture.read(file) + variables);
    let workspace = fixture.open("r");
    skein_install::uninstall(&workspace, "codex --mcp", None, false).unwrap();
    let text = fixture.read(file);
    assert!(text.contains("hook codex stop") && !text.contains("mcp_servers"), "{text}");
    skein_install::uninstall(&workspace, "codex", None, false).unwrap();
    assert_eq!(fixture.read(file).trim_end(), format!("{user}\n{project}").trim_end());
}

#[test]
fn a_local_server_does_not_hide_the_hooks_of_the_project() {
    let fixture = fixture();
    let status = || git(&fixture.path("r"), &["status", "--porcelain", "-uall"]);
    put(&fixture, "gemini-cli", Scope::Project);
    let visible = status();
    assert!(visible.contains(".gemini/settings.json"), "{visible}");
    let report = put(&fixture, "gemini-cli --mcp", Scope::Local);
    assert_eq!(status(), visible);
    let note = ".gemini/settings.json has what is installed for everyone (`gemini-cli`) and what is for this checkout only: git commits both or neither";
    assert!(report.notes.iter().any(|one| one.ends_with(note)), "{:?}", report.notes);
    skein_install::uninstall(&fixture.open("r"), "gemini-cli --mcp", None, false).unwrap();
    assert_eq!(status(), visible);
}

#[test]
fn a_server_alone_accepts_no_workspace_and_creates_no_store() {
    let fixture = fixture();
    let report = put(&fixture, "cursor --mcp", Scope::Local);
    assert!(!fixture.path("r/workspace").exists());
    let workspace = fixture.open("r");
    assert!(!skein_workspace::trust::is_accepted(&workspace.env, &fixture.path("r")));
    assert!(report.notes.iter().all(|note| !note.contains("Hooks")), "{:?}", report.notes);
    let states = skein_install::states(&workspace, &super::tools());
    let state = states.iter().find(|state| state.agent == "cursor --mcp").unwrap();
    assert!(state.installed[0].current);
    assert!(states.iter().all(|state| state.agent != "zed --mcp"));
}

#[test]
fn an_editor_gets_the_whole_path_of_the_program_except_in_committed_files() {
    let fixture = fixture();
    let program = Some("/opt/skein/bin/skein".into());
    let tools = DetectedPrograms { has: &|name| name == "skein", program };
    for (scope, expected) in [(Scope::Local, "/opt/skein/bin/skein"), (Scope::Project, "skein")] {
        let options = InstallOptions { scope: Some(scope), dry_run: false, consent: false };
        skein_install::install(&fixture.open("r"), &tools, "vscode --mcp", &options).unwrap();
        let text = fixture.read("r/.vscode/mcp.json");
        assert!(text.contains(&format!("\"command\": \"{expected}\"")), "{text}");
    }
}

#[test]
fn settings_of_the_user_have_their_own_file() {
    let fixture = fixture();
    for (agent, file) in [
        ("codex", "home/.codex/config.toml"),
        ("opencode", "home/.config/opencode/opencode.json"),
        ("gemini-cli", "home/.gemini/settings.json"),
    ] {
        let before = tree(&fixture);
        let report = put(&fixture, &format!("{agent} --mcp"), Scope::User);
        assert_eq!(said(&fixture, &report), [format!("create {file}")]);
        take(&fixture, agent);
        assert_eq!(tree(&fixture), before);
    }
    assert!(try_install(&fixture, "zed --mcp", Some(Scope::User), false).is_err());
    assert!(try_install(&fixture, "zed", None, false).is_err());
}

#[test]
fn every_worktree_of_a_clone_gets_the_entry() {
    let fixture = fixture();
    fixture.worktree("r", "w", "side");
    put(&fixture, "zed --mcp", Scope::Local);
    let root = |name: &str| format!("\"{}\"", fixture.path(name).display());
    assert!(fixture.read("r/.zed/settings.json").contains(&root("r")));
    assert!(fixture.read("w/.zed/settings.json").contains(&root("w")));
    take(&fixture, "zed");
    assert!(!fixture.path("w/.zed").exists());
}

/// Adds text to Codex's settings behind our entry, and compares what is left without the entry.
#[track_caller]
fn check_codex_removal(added: &str, left: &str) {
    let fixture = fixture();
    let file = "r/.codex/config.toml";
    fixture.file(file, "model = \"m\"\n");
    put(&fixture, "codex --mcp", Scope::Local);
    fixture.file(file, format!("{}{added}", fixture.read(file)));
    take(&fixture, "codex");
    assert_eq!(fixture.read(file), format!("model = \"m\"\n{left}"));
}

#[test]
fn tables_of_the_user_below_the_entry_of_codex_go_with_it_and_no_others() {
    let approval = "\n[mcp_servers.skein.tools.review_reply]\napproval_mode = \"approve\"\n";
    let others = "\n[projects.\"/home/a\"]\ntrust_level = \"trusted\"\n\n[tui]\ntheme = \"dark\"\n";
    check_codex_removal(approval, "");
    check_codex_removal(&format!("{approval}{others}"), others);
    check_codex_removal(&format!("{others}{approval}"), others);
    check_codex_removal("\n[[mcp_servers.skein.x]]\na = 1\n\n[tui]\nb = 2\n", "\n[tui]\nb = 2\n");
    check_codex_removal("env.A = \"1\"\ntools.b.c = 1\n\n[tui]\nb = 2\n", "\n[tui]\nb = 2\n");
}

#[test]
fn an_entry_that_the_user_wrote_is_removed_only_on_request() {
    for (agent, file, text) in FILES.into_iter().filter(|(agent, ..)| *agent != "zed") {
        let fixture = fixture();
        let file = format!("r/{file}");
        fixture.file(&file, text);
        let workspace = fixture.open("r");
        if skein_install::AGENTS.iter().any(|one| one.name == agent) {
            put(&fixture, agent, Scope::Local);
            let report = skein_install::uninstall(&workspace, agent, None, false).unwrap();
            assert_eq!(fixture.read(&file), text, "{agent}");
            let lines = said(&fixture, &report);
            assert!(lines.contains(&format!("keep {file}")), "{lines:?}");
        }
        skein_install::uninstall_agents(&workspace, false, false).unwrap();
        assert_eq!(fixture.read(&file), text, "{agent}");
        let server = format!("{agent} --mcp");
        skein_install::uninstall(&workspace, &server, None, false).unwrap();
        assert!(!fixture.read(&file).contains("skein"), "{agent}");
    }
}
