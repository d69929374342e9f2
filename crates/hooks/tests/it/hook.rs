//! What hooks print and write.

mod bad_input;
mod checkpoints;
mod context;
mod gemini_and_cursor;
mod late;
mod repositories;
mod secrets;

use std::fs;

use serde_json::{Value, json};
use skein_git::{CommitAs, commit_all};
use skein_workspace::{Clock, trust};

use skein_fixtures::{Fixture, NOW, at};

/// A repository with a store of checkpoints and one commit.
fn place() -> Fixture {
    let fixture = Fixture::new();
    fixture.repository("repo");
    fixture.dir("repo/workspace/threads");
    fixture
}

/// Calls a hook in `repo`, `minutes` after [`NOW`], and returns what it prints.
fn call(fixture: &Fixture, agent: &str, event: &str, minutes: i64, payload: &Value) -> String {
    let mut env = fixture.env("repo");
    let now = later(minutes);
    env.clock = Clock::new(move || now);
    let text = payload.to_string();
    let argument = (event == "notify").then_some(text.as_str());
    let reply = skein_hooks::run(env, agent, event, text.as_bytes(), argument);
    String::from_utf8(reply.stdout).unwrap()
}

fn later(minutes: i64) -> skein_format::time::Time {
    skein_format::time::Time::from_millis(at(NOW).as_millis() + minutes * 60_000)
}

/// Writes the message to a file and commits everything in the directory.
fn commit(fixture: &Fixture, dir: &str, file: &str, message: &str) {
    fixture.file(&format!("{dir}/{file}"), message);
    let commit = CommitAs { name: "Ada", email: "ada@example.org", date: NOW, message };
    commit_all(&fixture.path(dir), &commit).unwrap();
}

fn bash(session: &str, command: &str) -> Value {
    json!({
        "session_id": session,
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command, "description": "x"},
        "tool_response": {"stdout": "", "stderr": "", "interrupted": false},
    })
}

/// The checkpoints of `repo`, one per line: the trigger, the title and the session.
fn written(fixture: &Fixture) -> String {
    let lines: Vec<String> = files(fixture)
        .iter()
        .map(|text| {
            let value: Value = serde_json::from_str(text).unwrap();
            let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
            let metadata = &value["metadata"];
            [text(&metadata["trigger"]), text(&metadata["title"]), text(&value["session_id"])]
                .join(" | ")
        })
        .collect();
    lines.join("\n")
}

fn files(fixture: &Fixture) -> Vec<String> {
    let Ok(entries) = fixture.path("repo/workspace/threads").read_dir() else {
        return Vec::new();
    };
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "json"));
    paths.sort();
    paths.iter().map(|path| fs::read_to_string(path).unwrap()).collect()
}

fn log(fixture: &Fixture) -> String {
    fs::read_to_string(fixture.path("home/state").join(skein_hooks::LOG_FILE)).unwrap_or_default()
}

fn accept(fixture: &Fixture) {
    trust::accept(&fixture.env("repo"), &fixture.path("repo")).unwrap();
}
