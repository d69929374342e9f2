//! Checkpoints and sessions, as a browser, a program and an attacker see them.

mod attack;
mod hostile;
mod links;
mod live;
mod pages;
mod sessions;
mod states;
mod write;

use serde_json::{Value, json};

use crate::place::{Place, Server};

const FIRST: &str = "T-20260122-100000-parser";
const AUTO: &str = "T-20260101-090000-auto-commit";

/// Returns a workspace with two checkpoints, of which one has unknown fields.
fn place() -> Place {
    let place = Place::new();
    let first = json!({
        "thread_id": FIRST, "version": 1, "type": "checkpoint",
        "created_at": "2026-01-22T10:00:00.000Z", "updated_at": "2026-01-22T10:00:00.000Z",
        "git": {"branch": "fix/parser", "current_commit": "abc1234", "dirty": true, "pr": 7},
        "worker": {"id": "w-1", "skill": "parse", "state": "executing"},
        "conversation_summary": "The parser reads objects.",
        "files_touched": ["src/a.rs", "src/gone.rs"],
        "next_steps": ["Read numbers", {"step": "Read texts", "status": "done", "mine": [1, 2]}],
        "metadata": {"title": "Parser", "tags": ["json"]},
        "decisions": ["No recursion"],
    });
    put(&place, FIRST, &first);
    let auto = json!({
        "thread_id": AUTO, "version": 1, "type": "auto-checkpoint",
        "created_at": "2026-01-01T09:00:00.000Z", "updated_at": "2026-01-01T09:00:00.000Z",
        "git": {"branch": "main", "current_commit": "def5678", "dirty": false},
        "conversation_summary": "Committed the lexer.", "files_touched": ["src/a.rs"],
        "metadata": {"title": "Auto: lexer", "tags": ["auto-checkpoint"], "trigger": "git-commit"},
    });
    put(&place, AUTO, &auto);
    place
}

fn put(place: &Place, id: &str, checkpoint: &Value) {
    let text = serde_json::to_string_pretty(checkpoint).unwrap();
    place.file(&format!("workspace/threads/{id}.json"), format!("{text}\n"));
}

fn read(place: &Place, id: &str) -> String {
    std::fs::read_to_string(place.root.join(format!("workspace/threads/{id}.json"))).unwrap()
}

fn get(server: &Server, address: &str) -> Value {
    server.get(&format!("/api/v1/{address}")).send().expect(200)
}

fn post(server: &Server, address: &str, body: &Value) -> Value {
    server.post(&format!("/api/v1/{address}"), &body.to_string()).send().expect(200)
}

/// Returns the token of a step as it is shown now.
fn shown(server: &Server, id: &str, number: usize) -> Value {
    get(server, &format!("checkpoints/{id}"))["shown_steps"][number - 1].clone()
}
