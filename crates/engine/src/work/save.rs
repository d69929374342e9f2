//! Full checkpoints, on purpose.

use serde::Serialize;
use skein_format::checkpoint::{
    CheckpointDoc, CheckpointType, Form, NewCheckpoint, Record, RecordError, Worker, WorkerState,
};
use skein_format::id::{CheckpointId, Origin, is_plain_name};
use skein_format::time::Time;
use skein_store::RealFs;

use super::error::WorkError;
use super::facts::{self, Facts};
use super::session::Session;
use super::{cwd, index_files, open, publish, upgrade};
use crate::discover::Workspace;
use crate::env::Env;
use crate::read::checkpoint::row;
use crate::view::{Detail, Diag, Git};

/// How many words of a summary an id takes over.
const WORDS: usize = 4;

/// What a checkpoint is to say.
#[derive(Clone, Debug, Default)]
pub struct Save {
    /// A short name for it; else it is made of the summary.
    pub slug: Option<String>,
    /// What was done.
    pub summary: String,
    /// A title; else it is the start of the summary.
    pub title: Option<String>,
    /// What is left to do.
    pub steps: Vec<String>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// The worker that did it.
    pub worker: Option<WorkerGiven>,
    /// Files besides those that git names, from the directory that the user stands in.
    pub files: Vec<String>,
    /// The agent's session, where it is known better than by the environment.
    pub session: Option<String>,
    /// A whole record in JSON, to which only what is missing is added.
    pub record: Option<Vec<u8>>,
}

/// The worker as the user names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerGiven {
    /// Its id.
    pub id: String,
    /// The skill that it executes.
    pub skill: Option<String>,
    /// The word for its state.
    pub state: Option<String>,
}

/// A checkpoint that was written.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Saved {
    /// Its id.
    pub id: String,
    /// Its file.
    pub file: String,
    /// `checkpoint`, `auto-checkpoint` or `handoff`.
    #[serde(rename = "type")]
    pub kind: String,
    /// What was done: `created` or `upgraded`.
    pub action: &'static str,
    /// Its title.
    pub title: String,
    /// When it was last changed.
    pub updated_at: Option<Time>,
    /// The state of the repository that it tells of.
    pub git: Option<Git>,
    /// The agent's session that it belongs to.
    pub session_id: Option<String>,
    /// How many files it names.
    pub file_count: usize,
    /// How many steps it leaves to do.
    pub open_steps: usize,
    /// What was done besides, each in a line for the user.
    pub notes: Vec<String>,
    /// What is odd about it.
    pub diagnostics: Vec<Diag>,
}

/// Writes a full checkpoint, and the tables that list it.
///
/// An auto-checkpoint of the same session that is younger than five minutes becomes the full one in its place: its file
/// and its id stay, because others may refer to it already.
pub fn save(workspace: &Workspace, env: &Env, save: &Save) -> Result<Saved, WorkError> {
    let record = save.record.as_deref().map(Record::parse).transpose()?;
    check(save, record.as_ref())?;
    let told = record.as_ref().and_then(|record| record.head().session_id.as_deref());
    let session = Session::resolve(workspace, env, save.session.as_deref().or(told));
    let facts = facts::full(workspace, &session);
    let mut notes = facts.notes.clone();
    let mut new = draft(workspace, env, save, &session, facts);
    if let Some(record) = &record {
        new.kind = record.kind().unwrap_or_default();
        new.summary = record.head().summary.clone().unwrap_or_default();
        new.id = made(new.created_at, save.slug.as_deref(), &new.summary, origin(&new.kind));
    }
    let opened = open::ensure(workspace)?;
    notes.extend(opened.notes);
    let recent = match (&record, &new.session_id) {
        (None, Some(session)) => upgrade::candidate(workspace, session, new.created_at),
        _ => None,
    };
    let (path, doc, action) = match (recent, record) {
        (Some(path), _) => {
            let doc = upgrade::apply(workspace, &opened.guard, &path, &new)?;
            notes.extend(save.slug.as_ref().map(|slug| kept_id(slug)));
            (path, doc, "upgraded")
        }
        (None, Some(record)) => {
            let given = record
                .id()
                .filter(|id| !workspace.checkpoints.threads().join(format!("{id}.json")).exists());
            let wanted = given.unwrap_or_else(|| new.id.clone());
            let (_, path, doc) = publish::create(&RealFs, &opened.guard, &wanted, &|id| {
                let new = NewCheckpoint { id: id.clone(), ..new.clone() };
                Ok(record.clone().complete(&new)?)
            })?;
            (path, doc, "created")
        }
        (None, None) => {
            let (_, path, doc) = create(&opened.guard, &new)?;
            (path, doc, "created")
        }
    };
    // Whoever writes a thread need not wait for the tables.
    drop(opened.guard);
    let mut saved = saved(&path, &doc, action, notes);
    saved.diagnostics.extend(index_files::refresh(&workspace.checkpoints, env));
    Ok(saved)
}

fn kept_id(slug: &str) -> String {
    format!(
        "The auto-checkpoint of this session became the checkpoint, and kept its id; `{slug}` is not used."
    )
}

/// Creates a checkpoint under an id of its own.
pub(super) fn create(
    guard: &skein_store::Guard,
    new: &NewCheckpoint,
) -> Result<(CheckpointId, std::path::PathBuf, CheckpointDoc), WorkError> {
    publish::create(&RealFs, guard, &new.id, &|id| {
        Ok(NewCheckpoint { id: id.clone(), ..new.clone() }.to_doc())
    })
}

/// Refuses what cannot be written, before anything is.
fn check(save: &Save, record: Option<&Record>) -> Result<(), WorkError> {
    check_slug(save.slug.as_deref())?;
    if let Some(state) = save.worker.as_ref().and_then(|worker| worker.state.as_deref())
        && let WorkerState::Other(state) = WorkerState::parse(state)
    {
        return Err(WorkError::WorkerState { state });
    }
    let said = match record {
        Some(record) => record.head().summary.as_deref().unwrap_or_default(),
        None => save.summary.as_str(),
    };
    match (said.trim().is_empty(), record) {
        (false, _) => Ok(()),
        (true, Some(_)) => Err(RecordError::NoSummary.into()),
        (true, None) => Err(WorkError::Empty),
    }
}

/// Refuses a slug that would not be recognised in the name of the file.
pub(super) fn check_slug(slug: Option<&str>) -> Result<(), WorkError> {
    let safe = |slug: &str| {
        is_plain_name(slug) && slug.starts_with(char::is_alphanumeric) && !slug.contains("..")
    };
    match slug {
        Some(slug) if !safe(slug) => Err(WorkError::Slug { slug: slug.to_owned() }),
        _ => Ok(()),
    }
}

/// Puts together what a full checkpoint says.
pub(super) fn draft(
    workspace: &Workspace,
    env: &Env,
    save: &Save,
    session: &Session,
    facts: Facts,
) -> NewCheckpoint {
    let now = env.clock.now();
    NewCheckpoint {
        id: made(now, save.slug.as_deref(), &save.summary, Origin::Manual),
        kind: CheckpointType::Checkpoint,
        created_at: now,
        workspace_root: Some(cwd::root(workspace, env)),
        cwd: Some(cwd::here(workspace, env)),
        git: facts.git,
        worker: save.worker.as_ref().map(|given| worker(given, session, now)),
        summary: save.summary.clone(),
        files: files(workspace, env, facts.files, &save.files),
        steps: said(&save.steps),
        session_id: session.id.clone(),
        title: save.title.clone(),
        tags: said(&save.tags),
        trigger: None,
        transcript_path: session
            .transcript
            .as_deref()
            .map(|path| cwd::tilde(std::path::Path::new(path), env)),
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
    let mut known: std::collections::BTreeSet<String> = of_git.iter().cloned().collect();
    let mut all = of_git;
    for path in said(given) {
        let path = cwd::file(workspace, env, &path);
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

fn origin(kind: &CheckpointType) -> Origin {
    if *kind == CheckpointType::Auto { Origin::Auto } else { Origin::Manual }
}

/// Makes an id of the slug, else of the first words of the summary.
pub(super) fn made(at: Time, slug: Option<&str>, summary: &str, origin: Origin) -> CheckpointId {
    let clean = skein_format::redact::redact(summary);
    let words = clean.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let words = words.take(WORDS).collect::<Vec<_>>().join(" ");
    CheckpointId::make(at, slug.unwrap_or(&words), origin)
}

/// Says what was written.
pub(super) fn saved(
    path: &std::path::Path,
    doc: &CheckpointDoc,
    action: &'static str,
    notes: Vec<String>,
) -> Saved {
    let stem = crate::ids::stem(path);
    let row = row(doc.to_bytes(), &stem, path.display().to_string(), Form::Thread);
    let (git, file_count, open_steps) = match row.detail {
        Detail::Checkpoint(detail) => (detail.git, detail.file_count, detail.open_steps),
        _ => (None, 0, 0),
    };
    Saved {
        id: row.id,
        file: row.file,
        kind: doc.head().kind.as_str().to_owned(),
        action,
        title: row.title,
        updated_at: row.updated_at,
        git,
        session_id: doc.head().session_id.clone(),
        file_count,
        open_steps,
        notes,
        diagnostics: row.diagnostics,
    }
}
