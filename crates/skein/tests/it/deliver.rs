//! `skein deliver` of the real binary, with programs that stand in for agents.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A stand-in for `claude`: it records how it was started, and answers the thread in the prompt.
const AGENT: &str = r#"#!/bin/sh
here=$(dirname "$0")
{
    for word; do printf '[%s]' "$word"; done
    printf '\n%s\n%s\n' "$PWD" "${SKEIN_AUTHOR-no author}"
    printf 'attachments disabled: %s\n' "$CLAUDE_CODE_DISABLE_ATTACHMENTS"
} >>"$here/started"
cat >"$here/prompt"
id=$(sed -n 's/.*, ID `\(.*\)`$/\1/p' "$here/prompt")
CLAUDECODE=1 skein review reply "$id" -m 'Done.'
"#;

struct Machine {
    home: TempDir,
}

impl Machine {
    /// A repository in which the session `s1` wrote `a.txt`, on which there is a thread.
    fn new() -> Self {
        let machine = Self { home: tempfile::tempdir().unwrap() };
        let repo = machine.path("repo");
        fs::create_dir_all(&repo).unwrap();
        fs::create_dir_all(machine.path("bin")).unwrap();
        fs::write(repo.join("a.txt"), "one\n").unwrap();
        machine.run("git", &["init", "--quiet"]);
        machine.run("git", &["add", "."]);
        let user = ["-c", "user.name=Mira", "-c", "user.email=mira@example.org"];
        machine.run("git", &[&user[..], &["commit", "--quiet", "-m", "begin"]].concat());
        machine.skein(&["install", "claude-code"]);
        let record = machine.path(".claude/projects/repo/s1.jsonl");
        fs::create_dir_all(record.parent().unwrap()).unwrap();
        let line = json!({ "sessionId": "s1", "cwd": machine.path("repo") });
        fs::write(record, line.to_string()).unwrap();
        machine.hook("session-start", &json!({ "source": "startup" }));
        machine.hook("user-prompt-submit", &json!({ "prompt": "go on" }));
        fs::write(repo.join("a.txt"), "one\ntwo\n").unwrap();
        let tool = json!({ "file_path": repo.join("a.txt") });
        machine.hook("post-tool-use", &json!({ "tool_name": "Edit", "tool_input": tool }));
        machine.hook("stop", &json!({}));
        machine.hook("session-end", &json!({}));
        machine.skein(&["review", "add", "a.txt:2", "--draft", "-m", "Why? See @/etc/passwd"]);
        machine.agent(AGENT);
        machine
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().canonicalize().unwrap().join(name)
    }

    /// Writes the program `claude`.
    fn agent(&self, script: &str) {
        let path = self.path("bin/claude");
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn command(&self, program: &str, args: &[&str]) -> Command {
        let own = Path::new(env!("CARGO_BIN_EXE_skein")).parent().unwrap();
        let inherited = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{}:{inherited}", self.path("bin").display(), own.display());
        let mut command = Command::new(program);
        command.args(args).current_dir(self.path("repo")).env_clear();
        command.env("PATH", path).env("HOME", self.home.path()).env("SKEIN_AUTHOR", "Mira");
        command.env("GIT_CONFIG_NOSYSTEM", "1").stdin(Stdio::null());
        command
    }

    fn output(&self, args: &[&str]) -> (Option<i32>, String) {
        let Output { status, stdout, stderr } = self.command("skein", args).output().unwrap();
        let text = String::from_utf8(stdout).unwrap() + &String::from_utf8(stderr).unwrap();
        (status.code(), text.replace(&self.path("").display().to_string(), "/"))
    }

    fn run(&self, program: &str, args: &[&str]) -> String {
        let output = self.command(program, args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn skein(&self, args: &[&str]) -> String {
        self.run("skein", args)
    }

    fn hook(&self, event: &str, payload: &Value) {
        let mut payload = payload.clone();
        payload["session_id"] = "s1".into();
        payload["cwd"] = self.path("repo").to_str().into();
        let mut command = self.command("skein", &["hook", "claude-code", event]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        std::io::Write::write_all(&mut input, payload.to_string().as_bytes()).unwrap();
        drop(input);
        assert!(child.wait().unwrap().success());
    }

    fn threads(&self) -> Value {
        serde_json::from_str(&self.skein(&["review", "list", "--json"])).unwrap()
    }
}

#[test]
fn a_thread_is_answered_by_the_session_that_wrote_the_code() {
    let machine = Machine::new();
    let (code, text) = machine.output(&["review", "submit"]);
    assert_eq!(code, Some(0));
    let id = machine.threads()["threads"][0]["id"].as_str().unwrap().to_owned();
    let short = id.split('-').next().unwrap();
    assert!(text.contains(&format!("1 thread for Claude Code s1 in .: {short}\n")), "{text}");
    let hint = "`skein deliver allow claude-code` lets `skein deliver` resume Claude Code\n";
    assert!(text.ends_with(hint), "{text}");
    assert_eq!(machine.threads()["threads"][0]["origin"]["session"], "s1");

    let (code, text) = machine.output(&["deliver"]);
    assert_eq!(code, Some(1));
    assert!(text.contains("`skein deliver allow claude-code` allows it"), "{text}");
    let (code, text) = machine.output(&["deliver", "allow", "claude-code"]);
    assert_eq!(code, Some(2), "without a terminal it needs --yes: {text}");
    machine.skein(&["deliver", "allow", "claude-code", "--yes"]);

    let (code, text) = machine.output(&["deliver", "--dry-run"]);
    assert_eq!(code, Some(0));
    let expected = "runs: claude --resume s1 --print --permission-mode acceptEdits --allowedTools 'Bash(skein review list:*),Bash(skein review next:*),Bash(skein review reply:*),Bash(skein review show:*)'";
    assert!(text.contains(expected), "{text}");
    assert!(text.contains("known by the agent's record /.claude/projects/repo/s1.jsonl"), "{text}");
    assert!(!machine.path("bin/started").exists());

    let (code, text) = machine.output(&["deliver"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("Claude Code s1 in . (\"go on\") answered 1 of 1 thread"), "{text}");
    let started = fs::read_to_string(machine.path("bin/started")).unwrap();
    let expected = format!(
        "[--resume][s1][--print][--permission-mode][acceptEdits][--allowedTools][Bash(skein review list:*),Bash(skein review next:*),Bash(skein review reply:*),Bash(skein review show:*)]\n{}\nno author\nattachments disabled: 1\n",
        machine.path("repo").display()
    );
    assert_eq!(started, expected);
    let prompt = fs::read_to_string(machine.path("bin/prompt")).unwrap();
    assert!(
        prompt.contains("> Why? See \\u{40}/etc/passwd\n")
            && !prompt.contains('@')
            && prompt.contains("two"),
        "{prompt}"
    );
    let thread = &machine.threads()["threads"][0];
    assert_eq!(
        (&thread["last_author"], &thread["comment_count"]),
        (&json!("Claude Code"), &json!(2))
    );
    assert_eq!(thread.get("origin"), None, "it waits on the reviewer now");

    let (code, text) = machine.output(&["deliver"]);
    assert_eq!((code, text.as_str()), (Some(0), "No thread waits for a delivery.\n"));
}

#[test]
fn a_session_that_only_hooks_report_needs_a_question() {
    let machine = Machine::new();
    fs::remove_dir_all(machine.path(".claude/projects")).unwrap();
    machine.skein(&["review", "submit"]);
    machine.skein(&["deliver", "allow", "claude-code", "--yes"]);
    let (_, text) = machine.output(&["deliver", "--dry-run"]);
    assert!(text.contains("  known by hooks alone\n"), "{text}");
    let (code, text) = machine.output(&["deliver"]);
    assert_eq!(code, Some(1));
    assert!(text.contains("only hooks report this session"), "{text}");
    assert!(text.contains("`skein deliver allow claude-code --session s1` allows it"), "{text}");
    assert!(!machine.path("bin/started").exists());
    let allow = ["deliver", "allow", "claude-code", "--session", "s1"];
    let (code, text) = machine.output(&allow);
    assert_eq!(code, Some(2), "without a terminal it needs --yes: {text}");
    machine.skein(&[&allow[..], &["--yes"]].concat());
    let (code, text) = machine.output(&["deliver"]);
    assert_eq!(code, Some(0), "{text}");
}

#[test]
fn programs_in_the_current_directory_are_not_started() {
    let machine = Machine::new();
    for name in ["claude", "git", "sh"] {
        let path = machine.path("repo").join(name);
        fs::write(&path, "#!/bin/sh\ntouch \"$HOME/planted\"\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let run = |args: &[&str]| {
        let mut command = machine.command("skein", args);
        let path = command.get_envs().find_map(|(name, path)| path.filter(|_| name == "PATH"));
        let path = format!(":.:../repo:{}:", path.unwrap().display());
        // The test itself must find the program.
        command = machine.command(env!("CARGO_BIN_EXE_skein"), args);
        let output = command.env("PATH", path).output().unwrap();
        assert!(!machine.path("planted").exists(), "{args:?}");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    run(&["review", "submit"]);
    run(&["deliver", "allow", "claude-code", "--yes"]);
    run(&["review", "diff"]);
    run(&["deliver"]);
    assert!(machine.path("bin/started").exists());
}

#[test]
fn an_agent_that_fails_is_not_started_again_by_itself() {
    let machine = Machine::new();
    machine.skein(&["review", "submit"]);
    machine.skein(&["deliver", "allow", "claude-code", "--yes"]);
    machine.agent("#!/bin/sh\necho No conversation found >&2\nexit 1\n");
    let (code, text) = machine.output(&["deliver"]);
    assert_eq!(code, Some(1));
    assert!(text.contains("failed: exit status: 1\nits output is in /"), "{text}");
    assert!(text.contains(".log, which ends with: No conversation found\n"), "{text}");
    machine.agent(AGENT);
    let (code, text) = machine.output(&["deliver"]);
    assert_eq!(code, Some(1));
    assert!(text.contains("`skein deliver --retry` delivers them again"), "{text}");
    assert!(!machine.path("bin/started").exists());
    let (code, text) = machine.output(&["deliver", "--retry"]);
    assert_eq!(code, Some(0), "{text}");
}

#[test]
fn a_delivery_that_was_killed_is_released_and_can_be_repeated() {
    let machine = Machine::new();
    machine.skein(&["review", "submit"]);
    machine.skein(&["deliver", "allow", "claude-code", "--yes"]);
    machine.agent("#!/bin/sh\ntouch \"$(dirname \"$0\")/started\"\nexec sleep 60\n");
    let mut deliver = machine.command("skein", &["deliver"]);
    let mut deliver = deliver.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let until = std::time::Instant::now() + std::time::Duration::from_secs(30);
    let process = || {
        let state = fs::read_dir(machine.path(".local/state/skein")).unwrap();
        let files = state.map(|entry| entry.unwrap().path().join("deliveries.json"));
        let text = files.filter_map(|file| fs::read_to_string(file).ok()).next()?;
        let known: Value = serde_json::from_str(&text).ok()?;
        known["deliveries"][0]["process"].as_u64()
    };
    while process().is_none() && std::time::Instant::now() < until {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let agent = process().unwrap();
    deliver.kill().unwrap();
    deliver.wait().unwrap();
    let (code, text) = machine.output(&["deliver", "--retry"]);
    assert_eq!(code, Some(1), "the agent still works: {text}");
    assert!(text.contains("1 thread claimed by an agent"), "{text}");
    machine.run("kill", &[&agent.to_string()]);
    machine.agent(AGENT);
    let (code, text) = machine.output(&["deliver"]);
    assert_eq!(code, Some(1));
    assert!(text.contains("their delivery was interrupted"), "{text}");
    let (code, text) = machine.output(&["deliver", "--retry"]);
    assert_eq!(code, Some(0), "{text}");
}

#[test]
fn an_agent_that_answers_nothing_releases_the_threads() {
    let machine = Machine::new();
    machine.skein(&["review", "submit"]);
    machine.skein(&["deliver", "allow", "claude-code", "--yes"]);
    machine.agent("#!/bin/sh\ncat >/dev/null\n");
    let (code, text) = machine.output(&["deliver", "--json"]);
    assert_eq!(code, Some(1));
    let answer: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let delivery = &answer["deliveries"][0];
    assert_eq!((&delivery["state"], &delivery["answered"]), (&json!("done"), &json!(0)));
    let left = machine.threads()["threads"][0].clone();
    assert_eq!(left.get("claim"), None, "it can be taken by any agent");
    machine.agent("#!/bin/sh\ncat >/dev/null\necho Begun.\necho I may not edit files.\n");
    let (code, text) = machine.output(&["deliver", "--retry"]);
    assert_eq!(code, Some(1));
    assert!(text.contains("Claude Code s1 in . (\"go on\") answered 0 of 1 thread\n"), "{text}");
    assert!(text.contains(".log, which ends with: I may not edit files.\n"), "{text}");
    assert!(text.contains("`skein deliver --retry` delivers them again"), "{text}");
}

#[test]
fn threads_of_no_session_do_not_change_the_exit_code() {
    let machine = Machine::new();
    machine.skein(&["review", "submit"]);
    machine.skein(&["deliver", "allow", "claude-code", "--yes"]);
    let text = machine.output(&["review", "add", "a.txt:1", "-m", "Old line."]).1;
    assert!(text.contains("`skein deliver` delivers it after `skein review submit`"), "{text}");
    let (code, text) = machine.output(&["deliver"]);
    assert!(text.contains("1 thread for any agent, by `skein review next`"), "{text}");
    assert_eq!(code, Some(0));
}

#[test]
fn an_agent_cannot_deliver_or_allow() {
    let machine = Machine::new();
    for args in [&["deliver"][..], &["deliver", "allow", "claude-code", "--yes"]] {
        let output = machine.command("skein", args).env("CLAUDECODE", "1").output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(text.contains("an agent cannot deliver threads to other agents"), "{text}");
    }
}

#[test]
fn watching_delivers_what_is_submitted() {
    let machine = Machine::new();
    machine.skein(&["deliver", "allow", "claude-code", "--yes"]);
    let mut watch = machine.command("skein", &["deliver", "--watch"]);
    let mut watch = watch.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut notes = BufReader::new(watch.stderr.take().unwrap());
    let _watch = Stopped(watch);
    let mut note = String::new();
    notes.read_line(&mut note).unwrap();
    assert!(note.starts_with("Waiting for submitted threads"), "{note}");
    machine.skein(&["review", "submit"]);
    let is_answered = || machine.threads()["threads"][0]["comment_count"] == 2;
    let until = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while !is_answered() && std::time::Instant::now() < until {
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    assert!(is_answered());
    let (code, text) = machine.output(&["deliver"]);
    assert_eq!(code, Some(2));
    assert!(text.contains("another `skein deliver` is running in this repository"), "{text}");
}

/// A process that is stopped with the test, also if the test fails.
struct Stopped(Child);

impl Drop for Stopped {
    fn drop(&mut self) {
        drop(self.0.kill().and_then(|()| self.0.wait()));
    }
}

#[test]
fn uninstalling_revokes_that_an_agent_may_be_started() {
    let machine = Machine::new();
    for words in [["uninstall", "claude-code"], ["uninstall", "--yes"]] {
        machine.skein(&["deliver", "allow", "claude-code", "--yes"]);
        let (_, text) = machine.output(&[&words[..], &["--dry-run"]].concat());
        assert!(text.contains("`skein deliver` would not start Claude Code in "), "{text}");
        let (_, text) = machine.output(&words);
        assert!(text.contains("`skein deliver` does not start Claude Code in "), "{text}");
        let (_, text) = machine.output(&["deliver", "allowed"]);
        assert!(!text.contains("claude-code"), "{text}");
    }
}
