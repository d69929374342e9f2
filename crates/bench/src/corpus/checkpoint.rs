//! Checkpoints: full ones, light ones that a hook wrote, and hand-overs.

use serde::Serialize;
use skein_format::time::Time;

use super::prose::{branch, commit, later, path, sentence, short_commit, time};
use super::random::Random;

const TAGS: &[&str] = &["finance", "deploy", "auth", "search", "docs", "perf"];
const STATES: &[&str] = &["completed", "completed", "executing", "error", "verifying"];

#[derive(Serialize)]
struct Checkpoint {
    thread_id: String,
    version: u32,
    r#type: &'static str,
    created_at: Time,
    updated_at: Time,
    workspace_root: &'static str,
    cwd: String,
    git: Git,
    #[serde(skip_serializing_if = "Option::is_none")]
    worker: Option<Worker>,
    conversation_summary: String,
    files_touched: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_steps: Option<Vec<String>>,
    metadata: Metadata,
}

#[derive(Serialize)]
struct Git {
    branch: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    remote_url: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    initial_commit: Option<String>,
    current_commit: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    commits_made: Option<Vec<String>>,
    dirty: bool,
}

#[derive(Serialize)]
struct Worker {
    id: String,
    skill: &'static str,
    state: &'static str,
    started_at: Time,
    completed_at: Time,
}

#[derive(Serialize)]
struct Metadata {
    title: String,
    tags: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trigger: Option<&'static str>,
}

/// Makes the name and the content of a checkpoint file.
pub(super) fn file(random: &mut Random) -> (String, Vec<u8>) {
    let kind = random.pick(&["checkpoint", "checkpoint", "auto-checkpoint", "handoff"]);
    let at = time(random);
    let lead = if kind == "auto-checkpoint" { "auto-" } else { "" };
    let slug = [random.pick(TAGS), random.pick(TAGS)].join("-");
    let id = format!("T-{}-{lead}{slug}-{}", at.compact(), random.token(6));
    let checkpoint = checkpoint(id.clone(), kind, at, random);
    let mut bytes = serde_json::to_vec_pretty(&checkpoint).unwrap_or_default();
    bytes.push(b'\n');
    (format!("{id}.json"), bytes)
}

fn checkpoint(
    thread_id: String,
    kind: &'static str,
    created_at: Time,
    random: &mut Random,
) -> Checkpoint {
    let full = kind != "auto-checkpoint";
    let updated_at = later(created_at, random);
    let (words, files) = match full {
        true => (random.between(40, 300), random.between(2, 34)),
        false => (random.between(8, 40), random.between(1, 6)),
    };
    Checkpoint {
        thread_id,
        version: 1,
        r#type: kind,
        created_at,
        updated_at,
        workspace_root: "~/Documents/HQ",
        cwd: format!("repos/private/{}", random.pick(TAGS)),
        git: git(random, full),
        worker: (full && random.chance(60)).then(|| worker(random, created_at, updated_at)),
        conversation_summary: sentence(random, words),
        files_touched: (0..files).map(|_| path(random)).collect(),
        next_steps: full.then(|| sentences(random, 9, 50)),
        metadata: Metadata {
            title: sentence(random, 6),
            tags: (0..3).map(|_| random.pick(TAGS)).collect(),
            trigger: (!full).then_some("git-commit"),
        },
    }
}

fn git(random: &mut Random, full: bool) -> Git {
    Git {
        branch: branch(random),
        remote_url: full.then_some("git@example.org:team/project.git"),
        initial_commit: full.then(|| short_commit(random)),
        current_commit: if full { commit(random) } else { short_commit(random) },
        commits_made: full.then(|| {
            let messages = sentences(random, 4, 12).into_iter();
            messages.map(|message| format!("{}: {message}", short_commit(random))).collect()
        }),
        dirty: random.chance(30),
    }
}

fn worker(random: &mut Random, started_at: Time, completed_at: Time) -> Worker {
    Worker {
        id: format!("worker-{}", random.token(5)),
        skill: random.pick(TAGS),
        state: random.pick(STATES),
        started_at,
        completed_at,
    }
}

fn sentences(random: &mut Random, most: u64, longest: u64) -> Vec<String> {
    (0..random.between(0, most))
        .map(|_| {
            let words = random.between(4, longest);
            sentence(random, words)
        })
        .collect()
}
