//! Generates checkpoints: full ones, light ones that a hook wrote, and handoffs.

#![expect(clippy::indexing_slicing, reason = "a missing key of a JSON object is added")]

use serde_json::{Value, json};

use super::prose::{branch, commit, later, path, sentence, short_commit, time};
use super::random::Random;

const TAGS: &[&str] = &["finance", "deploy", "auth", "search", "docs", "perf"];
const STATES: &[&str] = &["completed", "completed", "executing", "error", "verifying"];

/// Generates the name and the content of a checkpoint file.
pub(super) fn file(random: &mut Random) -> (String, Vec<u8>) {
    let kind = random.pick(&["checkpoint", "checkpoint", "auto-checkpoint", "handoff"]);
    let (is_full, created_at) = (kind != "auto-checkpoint", time(random));
    let prefix = if is_full { "" } else { "auto-" };
    let slug = [random.pick(TAGS), random.pick(TAGS)].join("-");
    let id = format!("T-{}-{prefix}{slug}-{}", created_at.compact(), random.token(6));
    let updated_at = later(created_at, random);
    let (words, files) = match is_full {
        true => (random.between(40, 300), random.between(2, 34)),
        false => (random.between(8, 40), random.between(1, 6)),
    };
    let mut checkpoint = json!({
        "thread_id": id,
        "version": 1,
        "type": kind,
        "created_at": created_at,
        "updated_at": updated_at,
        "workspace_root": "~/Documents/HQ",
        "cwd": format!("repos/private/{}", random.pick(TAGS)),
        "git": git(random, is_full),
    });
    if is_full && random.chance(60) {
        checkpoint["worker"] = json!({
            "id": format!("worker-{}", random.token(5)),
            "skill": random.pick(TAGS),
            "state": random.pick(STATES),
            "started_at": created_at,
            "completed_at": updated_at,
        });
    }
    checkpoint["conversation_summary"] = sentence(random, words).into();
    checkpoint["files_touched"] = (0..files).map(|_| path(random)).collect();
    if is_full {
        checkpoint["next_steps"] = sentences(random, 9, 50).into();
    }
    let tags: Vec<&str> = (0..3).map(|_| random.pick(TAGS)).collect();
    checkpoint["metadata"] = json!({ "title": sentence(random, 6), "tags": tags });
    if !is_full {
        checkpoint["metadata"]["trigger"] = "git-commit".into();
    }
    let mut bytes = serde_json::to_vec_pretty(&checkpoint).unwrap_or_default();
    bytes.push(b'\n');
    (format!("{id}.json"), bytes)
}

fn git(random: &mut Random, is_full: bool) -> Value {
    if !is_full {
        let (branch, commit) = (branch(random), short_commit(random));
        return json!({ "branch": branch, "current_commit": commit, "dirty": random.chance(30) });
    }
    let mut git = json!({
        "branch": branch(random),
        "remote_url": "git@example.org:team/project.git",
        "initial_commit": short_commit(random),
        "current_commit": commit(random),
    });
    let messages = sentences(random, 4, 12).into_iter();
    git["commits_made"] =
        messages.map(|message| format!("{}: {message}", short_commit(random))).collect();
    git["dirty"] = random.chance(30).into();
    git
}

fn sentences(random: &mut Random, max_count: u64, max_words: u64) -> Vec<String> {
    (0..random.between(0, max_count))
        .map(|_| {
            let words = random.between(4, max_words);
            sentence(random, words)
        })
        .collect()
}
