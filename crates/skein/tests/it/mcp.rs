//! `skein mcp` of the real binary, as clients start it.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// Far less than a wait takes, and more than a busy machine needs.
const SOON: Duration = Duration::from_secs(15);

struct McpProcess {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last_id: u64,
}

impl McpProcess {
    /// Starts it with the few variables that Codex passes on.
    fn start(home: &TempDir, dir: &Path, variables: &[(&str, &str)]) -> Self {
        let mut child = command(home, &["mcp"])
            .current_dir(dir)
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let input = child.stdin.take();
        let mut process = Self { child, input, output, last_id: 0 };
        let client = json!({ "name": "codex-mcp-client", "version": "1" });
        let params =
            json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
        assert_eq!(process.request("initialize", &params)["result"]["serverInfo"]["name"], "skein");
        process.write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        process
    }

    fn write(&mut self, message: &Value) {
        let input = self.input.as_mut().unwrap();
        input.write_all(format!("{message}\n").as_bytes()).unwrap();
    }

    fn send(&mut self, method: &str, params: &Value) {
        self.last_id += 1;
        let id = self.last_id;
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
    }

    fn request(&mut self, method: &str, params: &Value) -> Value {
        self.send(method, params);
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "it has ended");
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == self.last_id {
                return message;
            }
        }
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> String {
        let answer = self.request("tools/call", &json!({ "name": tool, "arguments": arguments }));
        answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// Ends the input; returns how long the process needed to end, and the rest of both outputs.
    fn close(mut self) -> (Duration, String, String) {
        drop(self.input.take());
        let begun = Instant::now();
        assert!(self.child.wait().unwrap().success());
        let took = begun.elapsed();
        let (mut out, mut err) = (String::new(), String::new());
        self.output.read_to_string(&mut out).unwrap();
        self.child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        (took, out, err)
    }
}

fn command(home: &TempDir, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_skein"));
    command
        .args(words)
        .env_clear()
        .env("HOME", home.path())
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    command
}

/// Creates a repository with a file.
fn repository(home: &TempDir) -> PathBuf {
    let dir = home.path().join("w");
    let made = Command::new("git").args(["init", "--quiet"]).arg(&dir).status().unwrap();
    assert!(made.success());
    std::fs::write(dir.join("a.txt"), "one\n".repeat(300)).unwrap();
    dir
}

/// Comments as a person.
fn add(home: &TempDir, dir: &Path, words: &[&str]) {
    let mut add = command(home, &["review"]);
    add.args(words).current_dir(dir).env("SKEIN_AUTHOR", "Mira").stdout(Stdio::null());
    assert!(add.stderr(Stdio::null()).status().unwrap().success());
}

fn claimed(answer: &str) -> Option<String> {
    let head = answer.lines().find_map(|line| line.strip_prefix("## "))?;
    head.split(' ').next().map(str::to_owned)
}

fn files(dir: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    for entry in dir.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        }
        found.insert(path);
    }
    found
}

#[test]
fn a_start_writes_nothing() {
    let home = tempfile::tempdir().unwrap();
    let dir = repository(&home);
    let before = files(home.path());
    let mut process = McpProcess::start(&home, &dir, &[]);
    process.request("tools/list", &json!({}));
    process.request("prompts/list", &json!({}));
    process.request("resources/list", &json!({}));
    assert_eq!(process.call("review_next", &json!({})), "Nothing waits.");
    let (took, out, err) = process.close();
    assert!(took < SOON, "{took:?}");
    assert_eq!((out.as_str(), err.as_str()), ("", ""));
    assert_eq!(files(home.path()), before);
}

#[test]
fn only_the_protocol_is_on_stdout() {
    let home = tempfile::tempdir().unwrap();
    let dir = repository(&home);
    add(&home, &dir, &["add", "a.txt:1", "-m", "Why?"]);
    let mut process = McpProcess::start(&home, &dir, &[("SKEIN_LOG", "trace")]);
    let id = claimed(&process.call("review_next", &json!({}))).unwrap();
    let reply = json!({ "replies": [{ "id": id, "body": "Done." }] });
    assert!(process.call("review_reply", &reply).starts_with("replied "));
    let saved = process.call("work_save", &json!({ "summary": "Done." }));
    assert!(saved.contains("Created the store: workspace/threads"), "{saved}");
    process.call("work_resume", &json!({}));
    let (_, out, err) = process.close();
    assert_eq!(out, "");
    assert!(err.contains("TRACE") || err.contains("DEBUG"), "{err}");
    assert!(!err.contains("Why?"), "{err}");
}

#[test]
fn a_submitted_review_wakes_a_waiting_agent() {
    let home = tempfile::tempdir().unwrap();
    let dir = repository(&home);
    let mut process = McpProcess::start(&home, &dir, &[]);
    let wait = json!({ "name": "review_next", "arguments": { "wait_seconds": 200 } });
    process.send("tools/call", &wait);
    let waiting = process.last_id;
    // The wait has begun when a later call is answered.
    process.request("tools/list", &json!({}));
    add(&home, &dir, &["add", "--draft", "a.txt:1", "-m", "Why?"]);
    add(&home, &dir, &["submit"]);
    let submitted = Instant::now();
    let mut line = String::new();
    process.output.read_line(&mut line).unwrap();
    let took = submitted.elapsed();
    let answer: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(answer["id"], waiting);
    assert!(claimed(answer["result"]["content"][0]["text"].as_str().unwrap()).is_some());
    assert!(took < SOON, "{took:?}");
}

#[test]
fn it_ends_with_its_input_also_when_it_waits_or_nobody_reads() {
    let home = tempfile::tempdir().unwrap();
    let dir = repository(&home);
    let mut process = McpProcess::start(&home, &dir, &[]);
    let wait = json!({ "name": "review_next", "arguments": { "wait_seconds": 200 } });
    process.send("tools/call", &wait);
    process.request("tools/list", &json!({}));
    let (took, _, _) = process.close();
    assert!(took < SOON, "{took:?}");
    // More answers than fit into a pipe.
    let mut process = McpProcess::start(&home, &dir, &[]);
    for _ in 0..100 {
        process.send("tools/list", &json!({}));
    }
    drop(process.input.take());
    let begun = Instant::now();
    process.child.wait().unwrap();
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
}

#[test]
fn in_the_root_directory_it_says_what_to_configure() {
    let home = tempfile::tempdir().unwrap();
    let mut process = McpProcess::start(&home, Path::new("/"), &[]);
    let answer = process.call("review_threads", &json!({}));
    assert!(
        answer.starts_with("Error: Skein does not know which directory this is about."),
        "{answer}"
    );
    let dir = repository(&home);
    let project = dir.display().to_string();
    let variables = [("CLAUDE_PROJECT_DIR", project.as_str())];
    let mut process = McpProcess::start(&home, Path::new("/"), &variables);
    assert!(process.call("review_threads", &json!({})).contains("none shown"));
}

#[test]
fn eight_processes_share_the_threads_without_overlap() {
    let home = tempfile::tempdir().unwrap();
    let dir = repository(&home);
    let comments: Vec<_> = (1..=200)
        .map(|line| json!({ "file": "a.txt", "line": line, "body": format!("Why {line}?") }))
        .collect();
    let list = home.path().join("comments.json");
    std::fs::write(&list, Value::from(comments).to_string()).unwrap();
    add(&home, &dir, &["add", "--from", list.to_str().unwrap()]);
    let mut answered: Vec<String> = std::thread::scope(|scope| {
        let one = || {
            let mut process = McpProcess::start(&home, &dir, &[]);
            let mut ids = Vec::new();
            while let Some(id) = claimed(&process.call("review_next", &json!({}))) {
                let reply = json!({ "replies": [{ "id": id, "body": "Done." }] });
                let answer = process.call("review_reply", &reply);
                assert!(answer.starts_with("replied "), "{answer}");
                ids.push(id);
            }
            ids
        };
        let processes: Vec<_> = (0..8).map(|_| scope.spawn(one)).collect();
        processes.into_iter().flat_map(|process| process.join().unwrap()).collect()
    });
    answered.sort();
    let count = answered.len();
    answered.dedup();
    assert_eq!((count, answered.len()), (200, 200));
}

// The program `script` takes other arguments elsewhere.
#[cfg(target_os = "linux")]
#[test]
fn at_a_terminal_it_says_who_starts_it() {
    let home = tempfile::tempdir().unwrap();
    let dir = repository(&home);
    let script = format!("{} mcp", env!("CARGO_BIN_EXE_skein"));
    let run = Command::new("script")
        .args(["-qec", &script, "/dev/null"])
        .current_dir(&dir)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&run.stdout);
    assert!(text.contains("this command is started by an agent"), "{text}");
}
