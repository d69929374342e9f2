//! Generates checkpoints: full ones, small ones that a hook wrote, and handoffs.

#![expect(clippy::indexing_slicing, reason = "a missing key of a JSON object is added")]

use fastrand::Rng;
use serde_json::json;

use super::prose::{commit, later, path, pick, sentence, sentences, short_commit, time, token};
use super::vocabulary::word;

const TAGS: &[&str] = &["finance", "deploy", "auth", "search", "docs", "perf"];
const STATES: &[&str] = &["completed", "completed", "executing", "error", "verifying"];

/// Generates the name and the content of a checkpoint file.
pub(super) fn file(random: &mut Rng) -> (String, Vec<u8>) {
    let kind = pick(random, &["checkpoint", "checkpoint", "auto-checkpoint", "handoff"]);
    let is_auto = kind == "auto-checkpoint";
    let (words, files, max_steps) = match is_auto {
        true => (random.usize(8..=40), random.usize(1..=6), 0),
        false => (random.usize(40..=300), random.usize(2..=34), 9),
    };
    let tags = [pick(random, TAGS), pick(random, TAGS), pick(random, TAGS)];
    let prefix = if is_auto { "auto-" } else { "" };
    let created_at = time(random);
    let updated_at = later(created_at, random);
    let slug = format!("{prefix}{}-{}-{}", tags[0], tags[1], token(random, 6));
    let id = format!("T-{}-{slug}", created_at.compact());
    let commits = sentences(random, max_steps / 2, 12).into_iter();
    let commits: Vec<_> =
        commits.map(|message| format!("{}: {message}", short_commit(random))).collect();
    let branch = format!("topic/{}-{}", word(random), word(random));
    let mut checkpoint = json!({
        "thread_id": id,
        "version": 1,
        "type": kind,
        "created_at": created_at,
        "updated_at": updated_at,
        "workspace_root": "~/Documents/HQ",
        "cwd": format!("repos/private/{}", pick(random, TAGS)),
        "git": {
            "branch": branch,
            "remote_url": "git@example.org:team/project.git",
            "initial_commit": short_commit(random),
            "current_commit": commit(random),
            "commits_made": commits,
            "dirty": random.u32(..10) < 3,
        },
        "worker": {
            "id": format!("worker-{}", token(random, 5)),
            "skill": pick(random, TAGS),
            "state": pick(random, STATES),
            "started_at": created_at,
            "completed_at": updated_at,
        },
        "conversation_summary": sentence(random, words),
        "files_touched": (0..files).map(|_| path(random)).collect::<Vec<_>>(),
        "next_steps": sentences(random, max_steps, 50),
        "metadata": { "title": sentence(random, 6), "tags": tags },
    });
    let mut absent = Vec::new();
    if is_auto {
        checkpoint["git"] =
            json!({ "branch": branch, "current_commit": short_commit(random), "dirty": true });
        checkpoint["metadata"]["trigger"] = "git-commit".into();
        absent.push("next_steps");
    }
    if is_auto || random.u32(..10) < 4 {
        absent.push("worker");
    }
    if let Some(members) = checkpoint.as_object_mut() {
        members.retain(|name, _| !absent.contains(&name.as_str()));
    }
    let mut bytes = serde_json::to_vec_pretty(&checkpoint).unwrap_or_default();
    bytes.push(b'\n');
    (format!("{id}.json"), bytes)
}
