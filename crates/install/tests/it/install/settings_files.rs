//! Settings files of other programs: what is added is removed again, and every other byte is kept.

use std::fs;

use serde_json::Value;
use skein_install::Scope;

use super::{fixture, put, said, take, tree, try_install};
use skein_fixtures::Fixture;

const CLAUDE: &str = "r/.claude/settings.local.json";
const CODEX: &str = "home/.codex/hooks.json";

/// Settings as people, editors and agents leave them.
const FILES: &[&str] = &[
    "",
    "\n",
    " \t\r\n",
    "\u{feff}",
    "{}",
    "{}\n",
    "{\n}\n",
    "{ }",
    "\u{feff}{}\n",
    "{\"model\":\"opus\"}",
    "{\"model\":\"opus\",\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"a\"}]}]}}\n",
    "{\n  \"model\": \"opus\",\n  \"permissions\": {\n    \"allow\": [\"Bash(ls:*)\"]\n  }\n}\n",
    "{\n  \"model\": \"opus\"\n}",
    "{\r\n    \"model\": \"opus\",\r\n    \"hooks\": {\r\n        \"Stop\": []\r\n    }\r\n}\r\n",
    "{\n\t\"hooks\": {\n\t\t\"PostToolUse\": [\n\t\t\t{\n\t\t\t\t\"matcher\": \"Bash\",\n\t\t\t\t\"hooks\": [\n\t\t\t\t\t{ \"type\": \"command\", \"command\": \"mine\" }\n\t\t\t\t]\n\t\t\t}\n\t\t]\n\t},\n\t\"model\": \"opus\"\n}\n",
    "{\n  \"hooks\": {}\n}\n",
    "{\n  \"hooks\": {\n    \"SessionStart\": [],\n    \"Unheard\": 3\n  }\n}\n",
    "{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"echo skein\"\n          }\n        ]\n      }\n    ]\n  }\n}\n",
    "// mine\n{\n  // which one\n  \"model\": \"opus\", // good\n  \"hooks\": {\n    /* none yet */\n  },\n}\n",
    "{\n  \"hooks\": {\n    \"Stop\": [\n      { \"hooks\": [ { \"type\": \"command\", \"command\": \"a\" }, ], },\n    ],\n  },\n}\n",
    "{\"a\":1,\n \"a\":2, \"weird\" : [ 1,2 ,3 ]}\n\n\n",
];

#[track_caller]
fn check(name: &str, agent: &str, scope: Scope, text: &str) {
    // No repository: git is not needed here, and starting it often is slow.
    let fixture = Fixture::new();
    fixture.dir("r");
    fixture.dir("home");
    fixture.file(name, text);
    let before = tree(&fixture);
    put(&fixture, agent, scope);
    let with = fixture.read(name);
    assert!(with.contains(&format!(" hook {agent} stop || exit 0")), "{with}");
    let words = text.split_whitespace().filter(|word| word.chars().all(char::is_alphanumeric));
    assert!(words.into_iter().all(|word| with.contains(word)), "{with}");

    let once = tree(&fixture);
    let again = put(&fixture, agent, scope);
    assert!(!again.changes_anything(), "{:?}", said(&fixture, &again));
    assert_eq!(tree(&fixture), once);

    take(&fixture, agent);
    assert_eq!(fixture.read(name), text);
    assert_eq!(tree(&fixture), before);
}

#[test]
fn uninstalling_restores_a_settings_file_exactly() {
    for text in FILES {
        check(CLAUDE, "claude-code", Scope::Local, text);
    }
    for text in FILES.iter().step_by(5) {
        check(CODEX, "codex", Scope::User, text);
    }
    check("r/.claude/settings.json", "claude-code", Scope::Project, FILES[11]);
    check("home/.claude/settings.json", "claude-code", Scope::User, FILES[11]);
    check("r/.codex/hooks.json", "codex", Scope::Project, FILES[11]);
}

/// Settings in TOML that already have hooks.
const TOML: &[&str] = &[
    "model = \"x\" # the best\n\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"mine\"\n",
    "[[hooks.Stop]]\nhooks = [{ type = \"command\", command = \"mine\" }]\n\n# about projects\n[projects.\"/a\"]\ntrust_level = \"trusted\"",
    "[[hooks.Stop]]\r\nhooks = []\r\n\r\n[features]\r\nx = true\r\n",
    "[hooks.state.\"/a:stop:0:0\"]\ntrusted_hash = \"sha256:0\"\n[[hooks.SessionStart]]\nmatcher = \"*\"\n\n\n",
];

#[test]
fn hooks_are_added_to_the_file_that_already_has_hooks() {
    for text in TOML {
        check("home/.codex/config.toml", "codex", Scope::User, text);
        check("r/.codex/config.toml", "codex", Scope::Project, text);
    }
    for text in ["model = \"x\"\n", "[hooks.state.\"a\"]\nx = 1\n"] {
        let fixture = fixture();
        fixture.file("home/.codex/config.toml", text);
        put(&fixture, "codex", Scope::User);
        assert_eq!(fixture.read("home/.codex/config.toml"), text);
        assert!(fixture.read(CODEX).contains("hook codex stop"));
    }
}

#[test]
fn hooks_that_the_agent_rewrote_are_recognised_by_their_command() {
    let fixture = fixture();
    let file = "home/.codex/config.toml";
    fixture.file(file, TOML[0]);
    put(&fixture, "codex", Scope::User);
    let state = "[hooks.state.a]\nx = 1\n\n[[hooks.PreCompact]]";
    let text = fixture.read(file).replace("[[hooks.PreCompact]]", state);
    fixture.file(file, text);
    take(&fixture, "codex");
    let left = fixture.read(file);
    assert!(!left.contains("skein") && left.contains("x = 1"), "{left}");
    assert!(left.contains("# the best") && left.contains("command = \"mine\""), "{left}");
}

#[test]
fn a_hook_of_the_user_in_our_group_is_kept_in_toml() {
    let fixture = fixture();
    let file = "home/.codex/config.toml";
    fixture.file(file, TOML[0]);
    put(&fixture, "codex", Scope::User);
    let own = "[[hooks.PreCompact.hooks]]\ntype = \"command\"\ncommand = \"theirs\"\n";
    let text = fixture.read(file);
    fixture.file(
        file,
        text.replace("[[hooks.SubagentStop]]", &format!("{own}[[hooks.SubagentStop]]")),
    );
    put(&fixture, "codex", Scope::User);
    assert_eq!(fixture.read(file).matches("hook codex pre-compact").count(), 1);
    take(&fixture, "codex");
    let left = fixture.read(file);
    assert_eq!(left.trim_end(), format!("{}[[hooks.PreCompact]]\n{own}", TOML[0]).trim_end());
}

#[test]
fn our_hooks_are_found_in_toml_of_any_form() {
    let ours = "{ type = \"command\", command = \"skein hook codex stop\" }";
    for (text, expected) in [
        (
            "[[hooks.Stop]]\nhooks = [{ command = \"mine\" }, OURS]\n",
            "[[hooks.Stop]]\nhooks = [{ command = \"mine\" }]\n",
        ),
        (
            "[[hooks.Stop]]\nhooks = [OURS]\n[[hooks.Stop]]\nhooks = []\n",
            "[[hooks.Stop]]\nhooks = []\n",
        ),
        ("a = 1\n[[hooks.Stop]]\nhooks = [OURS]\n", "a = 1\n"),
        (
            "[hooks]\nStop = [{ hooks = [{ command = \"mine\" }] }, { hooks = [OURS] }]\n",
            "[hooks]\nStop = [{ hooks = [{ command = \"mine\" }] }]\n",
        ),
        ("[hooks]\nStop = [{ hooks = [OURS] }]\nStart = []\n", "[hooks]\nStart = []\n"),
        (
            "hooks = { Stop = [{ hooks = [OURS, { command = \"mine\" }] }] }\n",
            "hooks = { Stop = [{ hooks = [ { command = \"mine\" }] }] }\n",
        ),
    ] {
        let fixture = fixture();
        fixture.file("home/.codex/config.toml", text.replace("OURS", ours));
        take(&fixture, "codex");
        assert_eq!(fixture.read("home/.codex/config.toml"), expected);
    }
}

#[test]
fn the_hooks_have_the_format_that_the_agent_reads() {
    let fixture = fixture();
    fixture.file(CLAUDE, FILES[11]);
    put(&fixture, "claude-code", Scope::Local);
    let settings: Value = serde_json::from_str(&fixture.read(CLAUDE)).unwrap();
    assert_eq!(settings["model"], "opus");
    let tool = &settings["hooks"]["PostToolUse"][0];
    assert!(tool["matcher"].as_str().unwrap().contains("Bash"));
    let command =
        "command -v skein >/dev/null 2>&1 && skein hook claude-code post-tool-use || exit 0";
    assert_eq!(tool["hooks"][0]["command"], command);
    assert_eq!(tool["hooks"][0]["type"], "command");
    let events = settings["hooks"].as_object().unwrap();
    assert!(events.values().all(|groups| groups.as_array().unwrap().len() == 1));
}

#[test]
fn without_the_install_log_the_hooks_are_recognised_by_their_command() {
    for text in FILES.iter().filter(|text| text.contains("model")) {
        let fixture = fixture();
        fixture.file(CLAUDE, text);
        put(&fixture, "claude-code", Scope::Local);
        fs::remove_dir_all(fixture.path("home/state")).unwrap();
        take(&fixture, "claude-code");
        let left = fixture.read(CLAUDE);
        assert!(!left.contains("hook claude-code"), "{left}");
        assert!(left.contains("model"), "{left}");
    }
}

#[test]
fn changes_by_others_are_kept() {
    let fixture = fixture();
    fixture.file(CLAUDE, "{\n  \"hooks\": {}\n}\n");
    put(&fixture, "claude-code", Scope::Local);
    // An agent that stores a permission rewrites the whole file.
    let mut settings: Value = serde_json::from_str(&fixture.read(CLAUDE)).unwrap();
    settings["permissions"] = serde_json::json!({ "allow": ["Bash(ls:*)"] });
    let own = serde_json::json!({ "type": "command", "command": "mine" });
    settings["hooks"]["Stop"][0]["hooks"].as_array_mut().unwrap().insert(0, own);
    fixture.file(CLAUDE, serde_json::to_string_pretty(&settings).unwrap());
    take(&fixture, "claude-code");
    let settings: Value = serde_json::from_str(&fixture.read(CLAUDE)).unwrap();
    let expected = serde_json::json!({
        "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "mine" }] }] },
        "permissions": { "allow": ["Bash(ls:*)"] },
    });
    assert_eq!(settings, expected);
}

/// Installs, changes the settings as their owner does, installs again and uninstalls.
#[track_caller]
fn check_kept(name: &str, scope: Scope, change: &dyn Fn(&str) -> String, expected: &str) {
    let fixture = Fixture::new();
    fixture.dir("r");
    fixture.dir("home");
    let agent = if name.contains("codex") { "codex" } else { "claude-code" };
    put(&fixture, agent, scope);
    let text = change(&fs::read_to_string(fixture.path(name)).unwrap_or_default());
    fixture.file(name, text);
    for _ in 0..2 {
        put(&fixture, agent, scope);
    }
    take(&fixture, agent);
    assert_eq!(fixture.read(name), expected);
}

#[test]
fn settings_that_others_added_before_another_installation_are_kept() {
    let add = |text: &str| text.replacen('{', "{\n  \"model\": \"opus\",", 1);
    let left = "{\n  \"model\": \"opus\"\n}\n";
    // An outdated hook is rewritten.
    let older = |text: &str| add(text).replace("\"timeout\": 10", "\"timeout\": 3");
    // A file that was removed and created again is not ours.
    let own = |_: &str| "{\"env\": {}}\n".to_owned();
    for (name, scope) in [
        (CLAUDE, Scope::Local),
        ("r/.claude/settings.json", Scope::Project),
        ("home/.claude/settings.json", Scope::User),
        ("r/.codex/hooks.json", Scope::Local),
        (CODEX, Scope::User),
    ] {
        check_kept(name, scope, &add, left);
        check_kept(name, scope, &older, left);
        check_kept(name, scope, &own, "{\"env\": {}}\n");
        check_kept(name, scope, &|_| "{}\n".to_owned(), "{}\n");
    }
}

#[test]
fn settings_that_others_added_in_toml_before_another_installation_are_kept() {
    for (name, scope) in
        [("r/.codex/config.toml", Scope::Local), ("home/.codex/config.toml", Scope::User)]
    {
        let fixture = fixture();
        fixture.file(name, TOML[0]);
        put(&fixture, "codex", scope);
        fixture.file(name, format!("effort = \"high\"\n{}", fixture.read(name)));
        put(&fixture, "codex", scope);
        take(&fixture, "codex");
        assert_eq!(fixture.read(name), format!("effort = \"high\"\n{}", TOML[0]));
    }
}

#[test]
fn commands_of_others_that_look_like_ours_are_kept() {
    for command in [
        "command -v othertool && othertool hook claude-code stop",
        "skein hook claude-code stop; ~/bin/my-own-cleanup --all",
    ] {
        let fixture = fixture();
        let hook = serde_json::json!({ "hooks": [{ "type": "command", "command": command }] });
        let text = serde_json::json!({ "hooks": { "Stop": [hook] } }).to_string();
        fixture.file(CLAUDE, &text);
        put(&fixture, "claude-code", Scope::Local);
        assert!(fixture.read(CLAUDE).contains(command));
        fs::remove_dir_all(fixture.path("home/state")).unwrap();
        take(&fixture, "claude-code");
        assert_eq!(fixture.read(CLAUDE), text);
    }
}

#[test]
fn an_older_entry_is_updated_in_place() {
    let fixture = fixture();
    let old = "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          { \"type\": \"command\", \"command\": \"/old/skein hook claude-code stop\", \"mine\": 1 }\n        ]\n      },\n      { \"hooks\": [{ \"type\": \"command\", \"command\": \"after\" }] }\n    ],\n    \"Notification\": [{ \"hooks\": [{ \"command\": \"skein hook claude-code notification\" }] }]\n  }\n}\n";
    fixture.file(CLAUDE, old);
    put(&fixture, "claude-code", Scope::Local);
    let settings: Value = serde_json::from_str(&fixture.read(CLAUDE)).unwrap();
    let stop = &settings["hooks"]["Stop"];
    let command = "command -v skein >/dev/null 2>&1 && skein hook claude-code stop || exit 0";
    assert_eq!(stop[0]["hooks"][0]["command"], command);
    assert_eq!(
        (&stop[0]["hooks"][0]["mine"], &stop[0]["hooks"][0]["timeout"]),
        (&1.into(), &10.into())
    );
    assert_eq!(stop[1]["hooks"][0]["command"], "after");
    assert_eq!(stop.as_array().unwrap().len(), 2);
    assert_eq!(settings["hooks"].get("Notification"), None);
    let again = put(&fixture, "claude-code", Scope::Local);
    assert!(!again.changes_anything());
}

#[test]
fn a_created_file_is_removed_with_its_directories() {
    for (agent, scope) in [
        ("claude-code", Scope::Local),
        ("claude-code", Scope::Project),
        ("claude-code", Scope::User),
        ("codex", Scope::Local),
        ("codex", Scope::Project),
        ("codex", Scope::User),
        ("opencode", Scope::Local),
        ("opencode", Scope::Project),
        ("opencode", Scope::User),
        ("git", Scope::Local),
    ] {
        let fixture = fixture();
        let before = tree(&fixture);
        let report = put(&fixture, agent, scope);
        assert!(said(&fixture, &report).iter().all(|line| line.starts_with("create ")), "{agent}");
        assert_ne!(tree(&fixture), before);
        take(&fixture, agent);
        assert_eq!(tree(&fixture), before, "{agent} {scope:?}");
        assert_eq!(take(&fixture, agent).changes.len(), 0);
    }
}

#[test]
fn a_dry_run_writes_nothing_and_shows_everything() {
    for agent in ["claude-code", "codex", "opencode", "gemini-cli", "cursor", "git"] {
        let fixture = fixture();
        fixture.file(CLAUDE, FILES[11]);
        let before = fixture.tree();
        let report = try_install(&fixture, agent, None, true).unwrap();
        assert_eq!(fixture.tree(), before);
        assert!(report.dry_run && report.changes_anything());
        assert!(report.changes.iter().all(|one| one.diff.is_some()), "{report:?}");
    }
    let fixture = fixture();
    fixture.file(CLAUDE, "{\n  \"model\": \"opus\"\n}\n");
    let report = try_install(&fixture, "claude-code", None, true).unwrap();
    let diff = fixture.shorten(report.changes[0].diff.as_ref().unwrap());
    let start = "@@ -1,3 +1,";
    assert!(diff.contains(start), "{diff}");
    assert!(
        diff.contains("\n-  \"model\": \"opus\"\n+  \"model\": \"opus\",\n+  \"hooks\": {\n"),
        "{diff}"
    );
}

#[test]
fn a_link_of_the_user_stays_a_link() {
    let fixture = fixture();
    fixture.file("home/dotfiles/claude.json", "{\n  \"model\": \"opus\"\n}\n");
    fixture.link("home/.claude/settings.json", "../dotfiles/claude.json");
    let before = tree(&fixture);
    put(&fixture, "claude-code", Scope::User);
    assert!(fixture.path("home/.claude/settings.json").is_symlink());
    assert!(fixture.read("home/dotfiles/claude.json").contains("hook claude-code"));
    take(&fixture, "claude-code");
    assert_eq!(tree(&fixture), before);
}

#[test]
fn the_command_does_nothing_if_the_program_is_missing() {
    let fixture = fixture();
    put(&fixture, "claude-code", Scope::Local);
    let settings: Value = serde_json::from_str(&fixture.read(CLAUDE)).unwrap();
    for groups in settings["hooks"].as_object().unwrap().values() {
        let command = groups[0]["hooks"][0]["command"].as_str().unwrap();
        assert_eq!(run(&fixture, command, "/nowhere"), (0, String::new()), "{command}");
    }
}

#[test]
fn the_command_calls_the_program_and_never_fails() {
    let fixture = fixture();
    let program = "#!/bin/sh\nread line\necho \"$line: $*\"\nexit 3\n";
    let path = fixture.file("bin/skein", program);
    fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    put(&fixture, "codex", Scope::User);
    let settings: Value = serde_json::from_str(&fixture.read(CODEX)).unwrap();
    let command = settings["hooks"]["Stop"][0]["hooks"][0]["command"].as_str().unwrap();
    let path = format!("{}:/bin:/usr/bin", fixture.path("bin").display());
    assert_eq!(run(&fixture, command, &path), (0, "{}: hook codex stop\n".to_owned()));
}

/// Runs a command line as an agent does and returns its exit code and its output.
fn run(fixture: &Fixture, command: &str, path: &str) -> (i32, String) {
    use std::io::Write as _;
    use std::process::{Command, Stdio};

    let mut child = Command::new("/bin/sh")
        .args(["-c", command])
        .env_clear()
        .env("PATH", path)
        .current_dir(fixture.path("r"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A shell that does not start the program does not read its input.
    drop(child.stdin.take().unwrap().write_all(b"{}\n"));
    let output = child.wait_with_output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(text).unwrap())
}
