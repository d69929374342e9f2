//! What a full checkpoint says, put together.

use std::collections::BTreeSet;
use std::path::Path;

use skein_format::checkpoint::{CheckpointType, NewCheckpoint, Worker, WorkerState};
use skein_format::id::{CheckpointId, Origin};
use skein_format::redact::redact;
use skein_format::time::Time;
use skein_workspace::{Env, Workspace};

use super::git_facts::GitFacts;
use super::path_format;
use super::save::{Save, WorkerGiven};
use super::session::Session;

/// How many words of a summary an id takes over.
const WORDS: usize = 4;

/// Puts together what a full checkpoint says.
pub(super) fn draft(
    workspace: &Workspace,
    env: &Env,
    save: &Save,
    session: &Session,
    facts: GitFacts,
) -> NewCheckpoint {
    let now = env.clock.now();
    NewCheckpoint {
        id: made(now, save.slug.as_deref(), &save.summary, Origin::Manual),
        kind: CheckpointType::Checkpoint,
        created_at: now,
        workspace_root: Some(path_format::root(workspace, env)),
        cwd: Some(path_format::here(workspace, env)),
        git: facts.git,
        worker: save.worker.as_ref().map(|given| worker(given, session, now)),
        summary: save.summary.clone(),
        files: files(workspace, env, facts.files, &save.files),
        steps: said(&save.steps),
        session_id: session.id.clone(),
        agent: session.agent.clone(),
        title: save.title.clone(),
        tags: said(&save.tags),
        trigger: None,
        transcript_path: session
            .transcript
            .as_deref()
            .map(|path| path_format::tilde(Path::new(path), env)),
        previous_handoff: None,
    }
}

/// Returns the files that were given behind those of git, each once.
pub(super) fn files(
    workspace: &Workspace,
    env: &Env,
    of_git: Vec<String>,
    given: &[String],
) -> Vec<String> {
    let mut known: BTreeSet<String> = of_git.iter().cloned().collect();
    let mut all = of_git;
    let naming = path_format::PathFormatter::new(workspace, env);
    for path in said(given) {
        // A path is put in order, and what is left of a secret then does not look like one any more.
        let path = naming.file(&redact(&path));
        if known.insert(path.clone()) {
            all.push(path);
        }
    }
    all
}

/// Returns the texts that say something.
fn said(texts: &[String]) -> Vec<String> {
    let trimmed = texts.iter().map(|text| text.trim().to_owned());
    trimmed.filter(|text| !text.is_empty()).collect()
}

fn worker(given: &WorkerGiven, session: &Session, now: Time) -> Worker {
    let state = given.state.as_deref().map_or(WorkerState::Completed, WorkerState::parse);
    let ended = matches!(state, WorkerState::Completed | WorkerState::Error);
    let started = state != WorkerState::Idle;
    Worker {
        id: Some(given.id.clone()),
        skill: given.skill.clone(),
        started_at: started.then(|| session.started_at.unwrap_or(now)),
        completed_at: ended.then_some(now),
        state: Some(state),
    }
}

/// Makes an id of the slug, else of the first words of the summary.
pub(super) fn made(at: Time, slug: Option<&str>, summary: &str, origin: Origin) -> CheckpointId {
    let clean = redact(summary);
    let words = clean.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let words = words.take(WORDS).collect::<Vec<_>>().join(" ");
    let slug = slug.map(redact);
    CheckpointId::make(at, slug.as_deref().unwrap_or(&words), origin)
}
