//! The checkpoints of the demo: one of each type.

use serde_json::{Value, json};
use skein_format::id::{CheckpointId, Origin};
use skein_git::CommitId;

use super::{Demo, DemoError};

/// Writes the checkpoints, the handoff and a legacy checkpoint.
pub(super) fn write(demo: &Demo, commits: &[CommitId]) -> Result<(), DemoError> {
    let commit =
        |n: usize| commits.get(n).map(|commit| commit.short().to_owned()).unwrap_or_default();
    full(demo, &commit(0), &commit(1))?;
    auto(demo, &commit(2))?;
    worker(demo, &commit(2))?;
    handoff(demo, &commit(2))?;
    let legacy = json!({
        "task_id": "cache-spike",
        "completed_at": demo.ago(120, 0).to_string(),
        "summary": "Tried a ring buffer for the cache; a map is simpler and fast enough.",
        "next_steps": [],
        "files_touched": ["src/cache.rs"],
        "context_notes": "Numbers are in the issue.",
    });
    put(demo, "workspace/checkpoints/cache-spike.json", &legacy)
}

fn full(demo: &Demo, initial: &str, current: &str) -> Result<(), DemoError> {
    let at = demo.ago(50, 0);
    let id = CheckpointId::make(at, "cache eviction", Origin::Manual);
    let thread = json!({
        "thread_id": id.as_str(),
        "version": 1,
        "type": "checkpoint",
        "created_at": demo.ago(50, 20).to_string(),
        "updated_at": at.to_string(),
        "workspace_root": "~/lantern",
        "cwd": ".",
        "git": {
            "branch": "main",
            "remote_url": "git@example.org:mira/lantern.git",
            "initial_commit": initial,
            "current_commit": current,
            "commits_made": [format!("{current}: cache: drop the oldest entry when it is full")],
            "dirty": false,
        },
        "conversation_summary": "The cache drops its oldest entry when it is full. The HTTP face is a sketch.",
        "files_touched": ["src/cache.rs", "src/http.rs"],
        "next_steps": ["Answer requests longer than 512 bytes", "Decide what a limit of 0 means"],
        "metadata": { "title": "Cache eviction", "tags": ["cache", "http"] },
    });
    put(demo, &format!("workspace/threads/{id}.json"), &thread)
}

fn auto(demo: &Demo, current: &str) -> Result<(), DemoError> {
    let at = demo.ago(27, 0);
    let id = CheckpointId::make(at, "web hit rate commit", Origin::Auto);
    let thread = json!({
        "thread_id": id.as_str(),
        "version": 1,
        "type": "auto-checkpoint",
        "created_at": at.to_string(),
        "updated_at": at.to_string(),
        "workspace_root": "~/lantern",
        "cwd": ".",
        "git": { "branch": "main", "current_commit": current, "dirty": false },
        "conversation_summary": "Committed the board that shows the hit rate.",
        "files_touched": ["web/board.ts"],
        "metadata": {
            "title": "Auto: web: show the hit rate",
            "tags": ["auto-checkpoint"],
            "trigger": "git-commit",
        },
    });
    put(demo, &format!("workspace/threads/{id}.json"), &thread)
}

fn worker(demo: &Demo, current: &str) -> Result<(), DemoError> {
    let at = demo.ago(20, 0);
    let id = CheckpointId::make(at, "load test", Origin::Manual);
    let thread = json!({
        "thread_id": id.as_str(),
        "version": 1,
        "type": "checkpoint",
        "created_at": demo.ago(20, 9).to_string(),
        "updated_at": at.to_string(),
        "workspace_root": "~/lantern",
        "cwd": "bench",
        "git": { "branch": "main", "current_commit": current, "dirty": true },
        "worker": {
            "id": "load-tester",
            "skill": "http",
            "state": "error",
            "started_at": demo.ago(20, 9).to_string(),
            "completed_at": at.to_string(),
        },
        "conversation_summary": "The load test stopped at 40,000 requests: the server closed the connection.",
        "files_touched": [{ "path": "bench/http.txt", "reason": "the log of the run" }],
        "next_steps": [
            { "id": format!("{id}#1"), "step": "Read the whole request", "status": "open" },
            { "id": format!("{id}#2"), "step": "Raise the limit of open files", "status": "done" },
        ],
        "metadata": { "title": "Load test of the HTTP face", "tags": ["http", "bench"] },
    });
    put(demo, &format!("workspace/threads/{id}.json"), &thread)
}

fn handoff(demo: &Demo, current: &str) -> Result<(), DemoError> {
    let at = demo.ago(2, 0);
    let id = CheckpointId::make(at, "review answers", Origin::Manual);
    let thread = json!({
        "thread_id": id.as_str(),
        "version": 1,
        "type": "handoff",
        "created_at": at.to_string(),
        "updated_at": at.to_string(),
        "workspace_root": "~/lantern",
        "cwd": ".",
        "git": { "branch": "main", "current_commit": current, "dirty": true },
        "conversation_summary": "Two of Mira's threads are answered in the worktree; the HTTP threads are untouched.",
        "files_touched": ["src/cache.rs"],
        "next_steps": ["Bind to 127.0.0.1", "Commit the fixes of the cache"],
        "metadata": { "title": "Handoff: answers to the review", "tags": ["handoff", "review"] },
    });
    put(demo, &format!("workspace/threads/{id}.json"), &thread)?;
    let pointer = json!({
        "created_at": at.to_string(),
        "message": "The cache is fixed in the worktree. HTTP is next.",
        "last_thread": id.as_str(),
        "thread_path": format!("workspace/threads/{id}.json"),
        "context_notes": "Nothing is committed yet.",
    });
    put(demo, "workspace/threads/handoff.json", &pointer)
}

fn put(demo: &Demo, path: &str, value: &Value) -> Result<(), DemoError> {
    // Values made by `json!` always serialise.
    let mut bytes = serde_json::to_vec_pretty(value).unwrap_or_default();
    bytes.push(b'\n');
    demo.put(path, &bytes)
}
