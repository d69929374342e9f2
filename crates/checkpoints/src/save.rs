//! Writes full checkpoints.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Serialize;
use skein_catalog::rows::checkpoint::row;
use skein_format::checkpoint::{
    CheckpointDoc, CheckpointFileKind, CheckpointType, NewCheckpoint, Record, RecordError, Worker,
    WorkerState,
};
use skein_format::id::{CheckpointId, Origin, is_plain_name};
use skein_format::redact::{find, redact, redacted};
use skein_format::time::Time;
use skein_model::view::{FileDiagnostic, GitSummary, RowDetail};
use skein_store::DirLock;
use skein_workspace::{Env, Workspace};

use super::agent_session::Session;
use super::error::CheckpointError;
use super::git_facts::GitFacts;
use super::publish::Created;
use super::{git_facts, index_files, open, path_format, publish, upgrade};

/// The content of a checkpoint.
#[derive(Clone, Debug, Default)]
pub struct Save {
    /// A short name; by default derived from the summary.
    pub slug: Option<String>,
    /// What was done.
    pub summary: String,
    /// A title; by default the start of the summary.
    pub title: Option<String>,
    /// What is left to do.
    pub steps: Vec<String>,
    /// Tags for searching.
    pub tags: Vec<String>,
    /// The worker that did it.
    pub worker: Option<WorkerGiven>,
    /// Files in addition to those that git lists, relative to the current directory.
    pub files: Vec<String>,
    /// The agent's session; by default the one in the environment.
    pub session: Option<String>,
    /// A complete record in JSON; only missing members are added.
    pub record: Option<Vec<u8>>,
}

/// The worker as given by the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerGiven {
    /// Its id.
    pub id: String,
    /// The skill that it executes.
    pub skill: Option<String>,
    /// The name of its state.
    pub state: Option<String>,
}

/// Writes a full checkpoint, and the tables that list it.
///
/// An auto-checkpoint of the same session that is younger than five minutes becomes the full one, under a new id: other programs delete
/// old files that have the name of an auto-checkpoint. The old id still finds it.
pub fn save(workspace: &Workspace, save: &Save) -> Result<SaveResult, CheckpointError> {
    let record = save.record.as_deref().map(Record::parse).transpose()?;
    check(save, record.as_ref())?;
    let recorded = record.as_ref().and_then(|record| record.head().session_id.as_deref());
    let session = Session::resolve(workspace, save.session.as_deref().or(recorded));
    let facts = git_facts::full(workspace, &session);
    let mut notes = facts.notes.clone();
    let mut new = draft(workspace, save, &session, facts);
    if let Some(record) = &record {
        new.kind = record.kind().unwrap_or_default();
        new.summary = summary_of(save, Some(record)).to_owned();
        new.id = make_id(new.created_at, save.slug.as_deref(), &new.summary, origin(&new.kind));
    }
    let opened = open::ensure(workspace)?;
    notes.extend(opened.notes);
    let recent = upgradable(workspace, &new, record.as_ref());
    let (path, doc, action) = match recent {
        Some(path) => {
            let new = (&new, record.as_ref());
            let (path, doc, note) = upgrade::apply(workspace, &opened.guard, &path, new)?;
            notes.push(note);
            (path, doc, SaveAction::Upgraded)
        }
        None => {
            let (_, path, doc) = match &record {
                Some(record) => keep(workspace, &opened.guard, &new, record)?,
                None => create(&workspace.env, &opened.guard, &new)?,
            };
            notes.extend(
                record.as_ref().and_then(|record| taken_id(record, doc.head().id.as_deref())),
            );
            (path, doc, SaveAction::Created)
        }
    };
    // Other writers do not have to wait for the tables.
    drop(opened.guard);
    notes.extend(left_out(save));
    let mut saved = saved(&path, &doc, action, notes);
    saved.diagnostics.extend(index_files::refresh(workspace));
    Ok(saved)
}

/// Returns the auto-checkpoint that will become the full one.
///
/// A record with its own id or another type is a separate checkpoint.
fn upgradable(
    workspace: &Workspace,
    new: &NewCheckpoint,
    record: Option<&Record>,
) -> Option<PathBuf> {
    let own = record.is_some_and(|record| record.id().is_some());
    let full = new.kind == CheckpointType::Checkpoint && !own;
    let session = new.session_id.as_deref().filter(|_| full)?;
    upgrade::candidate(workspace, session, new.created_at)
}

/// Creates a checkpoint from a record, under the id of the record if it is free.
fn keep(
    workspace: &Workspace,
    guard: &DirLock,
    new: &NewCheckpoint,
    record: &Record,
) -> Result<Created, CheckpointError> {
    let free = |id: &CheckpointId| !workspace.checkpoints.file(&format!("{id}.json")).exists();
    let may_have = |id: &CheckpointId| {
        free(id) && (new.kind == CheckpointType::Auto || !id.is_reserved_for_auto())
    };
    let wanted = record.id().filter(may_have).unwrap_or_else(|| new.id.clone());
    publish::create(&*workspace.env.fs, guard, &wanted, &|id| {
        let new = NewCheckpoint { id: id.clone(), ..new.clone() };
        Ok(record.clone().complete(&new)?)
    })
}

/// Returns a note about the kinds of secrets that were not written.
fn left_out(save: &Save) -> Option<String> {
    let record = save.record.as_deref().map(String::from_utf8_lossy);
    let texts = [Some(save.summary.as_str()), save.title.as_deref(), record.as_deref()];
    let texts = texts.into_iter().flatten().chain(save.steps.iter().map(String::as_str));
    let kinds: BTreeSet<&str> = texts.flat_map(find).map(|found| found.rule).collect();
    let kinds: Vec<&str> = kinds.into_iter().collect();
    let what = "What looks like a secret was left out";
    (!kinds.is_empty()).then(|| format!("{what}: {}", kinds.join(", ")))
}

fn taken_id(record: &Record, saved_as: Option<&str>) -> Option<String> {
    let wanted = record.id().filter(|id| Some(id.as_str()) != saved_as)?;
    let reason = if wanted.is_reserved_for_auto() {
        "is reserved for auto-checkpoints, or taken"
    } else {
        "is taken"
    };
    Some(format!("The id {wanted} {reason}, so that the record got another one."))
}

/// Creates a checkpoint under its id, with a number if the id is taken.
pub(super) fn create(
    env: &Env,
    guard: &DirLock,
    new: &NewCheckpoint,
) -> Result<Created, CheckpointError> {
    publish::create(&*env.fs, guard, &new.id, &|id| {
        Ok(NewCheckpoint { id: id.clone(), ..new.clone() }.to_doc())
    })
}

/// Returns the summary: that of the record, else the given one.
fn summary_of<'a>(save: &'a Save, record: Option<&'a Record>) -> &'a str {
    let own = record.and_then(|record| record.head().summary.as_deref());
    own.filter(|own| !own.trim().is_empty()).unwrap_or(&save.summary)
}

/// Checks the input before anything is written.
fn check(save: &Save, record: Option<&Record>) -> Result<(), CheckpointError> {
    check_slug(save.slug.as_deref())?;
    if let Some(state) = save.worker.as_ref().and_then(|worker| worker.state.as_deref())
        && let WorkerState::Other(state) = WorkerState::parse(state)
    {
        return Err(CheckpointError::WorkerState { state });
    }
    match (summary_of(save, record).trim().is_empty(), record) {
        (false, _) => Ok(()),
        (true, Some(_)) => Err(RecordError::NoSummary.into()),
        (true, None) => Err(CheckpointError::Empty),
    }
}

/// Refuses a slug that would not be recognised in the name of the file.
pub(super) fn check_slug(slug: Option<&str>) -> Result<(), CheckpointError> {
    let safe = |slug: &str| {
        is_plain_name(slug) && slug.starts_with(char::is_alphanumeric) && !slug.contains("..")
    };
    match slug {
        Some(slug) if !safe(slug) => Err(CheckpointError::Slug { slug: slug.to_owned() }),
        _ => Ok(()),
    }
}

fn origin(kind: &CheckpointType) -> Origin {
    if *kind == CheckpointType::Auto { Origin::Auto } else { Origin::Manual }
}

/// Maximum number of words of the summary in an id.
const WORDS: usize = 4;

/// Builds a full checkpoint.
pub(super) fn draft(
    workspace: &Workspace,
    save: &Save,
    session: &Session,
    facts: GitFacts,
) -> NewCheckpoint {
    let now = workspace.env.clock.now();
    NewCheckpoint {
        id: make_id(now, save.slug.as_deref(), &save.summary, Origin::Manual),
        kind: CheckpointType::Checkpoint,
        created_at: now,
        workspace_root: Some(path_format::root(workspace)),
        cwd: Some(path_format::here(workspace)),
        git: facts.git,
        worker: save.worker.as_ref().map(|given| worker(given, session, now)),
        summary: save.summary.clone(),
        files: files(workspace, facts.files, &save.files),
        steps: non_empty(&save.steps),
        session_id: session.id.clone(),
        agent: session.agent.clone(),
        title: save.title.clone(),
        tags: non_empty(&save.tags),
        trigger: None,
        transcript_path: session
            .transcript
            .as_deref()
            .map(|path| path_format::tilde(Path::new(path), &workspace.env)),
        previous_handoff: None,
    }
}

/// Returns the files from git, followed by the given ones, without duplicates.
pub(super) fn files(workspace: &Workspace, of_git: Vec<String>, given: &[String]) -> Vec<String> {
    let mut known: BTreeSet<String> = of_git.iter().cloned().collect();
    let mut all = of_git;
    let naming = path_format::PathFormatter::new(workspace);
    for path in non_empty(given) {
        // Redacted first: normalising the path could make a secret unrecognisable.
        let path = naming.file(&redact(&path));
        if known.insert(path.clone()) {
            all.push(path);
        }
    }
    all
}

/// Returns the trimmed texts that are not blank.
fn non_empty(texts: &[String]) -> Vec<String> {
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

/// Makes an id from the slug, else from the first words of the summary.
pub(super) fn make_id(at: Time, slug: Option<&str>, summary: &str, origin: Origin) -> CheckpointId {
    let clean = redact(summary);
    let words = clean.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let words = words.take(WORDS).collect::<Vec<_>>().join(" ");
    let slug = slug.map(redact);
    CheckpointId::make(at, slug.as_deref().unwrap_or(&words), origin)
}

skein_model::word_enum! {
    /// How a checkpoint was written.
    SaveAction {
        Created = "created",
        /// An auto-checkpoint became a full one.
        Upgraded = "upgraded",
    }
}

/// A checkpoint that was written.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SaveResult {
    /// Its id.
    pub id: String,
    /// Its file.
    pub file: String,
    /// `checkpoint`, `auto-checkpoint` or `handoff`.
    #[serde(rename = "type")]
    pub kind: String,
    pub action: SaveAction,
    /// Its title.
    pub title: String,
    /// When it was last changed.
    pub updated_at: Option<Time>,
    /// The state of the repository when it was written.
    pub git: Option<GitSummary>,
    /// The agent's session that it belongs to.
    pub session_id: Option<String>,
    /// The number of files that it lists.
    pub file_count: usize,
    /// The number of its open steps.
    pub open_steps: usize,
    /// Notes for the user, one line each.
    pub notes: Vec<String>,
    /// Problems of the file.
    pub diagnostics: Vec<FileDiagnostic>,
}

/// Returns the result for a checkpoint that was written.
pub(super) fn saved(
    path: &Path,
    doc: &CheckpointDoc,
    action: SaveAction,
    notes: Vec<String>,
) -> SaveResult {
    let row = row(doc.to_bytes(), path, CheckpointFileKind::Thread);
    let (git, file_count, open_steps) = match row.detail {
        RowDetail::Checkpoint(detail) => (detail.git, detail.file_count, detail.open_steps),
        _ => (None, 0, 0),
    };
    SaveResult {
        id: row.id,
        file: path.display().to_string(),
        kind: redacted(doc.head().kind.as_str().to_owned()),
        action,
        title: row.title,
        updated_at: row.updated_at,
        git,
        session_id: doc.head().session_id.clone().map(redacted),
        file_count,
        open_steps,
        notes,
        diagnostics: row.diagnostics,
    }
}
