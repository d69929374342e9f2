//! The brief: a summary of a checkpoint for resuming work.

mod before;
mod context;
mod files;
mod git;
mod learned;
mod notes;
mod reviews;
mod session_start;
mod text;
mod truncate;

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::Serialize;
use skein_catalog::checkpoint_lookup::CheckpointFile;
use skein_catalog::checkpoint_state::States;
use skein_catalog::find::find_checkpoint;
use skein_catalog::rows::checkpoint::row;
use skein_catalog::{FindError, checkpoint_lookup, handoff_pointer};
use skein_checkpoints::select::{Offers, OtherWork, Surroundings, WorkOrigin, WorkViewer};
use skein_format::checkpoint::{CheckpointDoc, CheckpointFileKind, CheckpointType, HandoffDoc};
use skein_format::redact::redacted;
use skein_format::time::Time;
use skein_model::LocalClock;
use skein_model::normalize_path::stem;
use skein_model::view::{FileDiagnostic, ResumeLockHolder, RowDetail, StepView, WorkerSummary};
use skein_store::{ReadError, read_stable};
use skein_workspace::Workspace;

pub use before::PreviousCheckpoint;
pub use context::AgentSummary;
pub use files::BriefFile;
pub use git::{CommitInfo, GitAtSave, GitNow};
pub use learned::ExtraNotes;
pub use reviews::BriefReview;
pub use session_start::{MAX_SHORT_BRIEF, short_brief};
pub use text::BriefReader;
pub use truncate::Omitted;

/// A summary for resuming work.
#[derive(Clone, Debug, Serialize)]
pub struct Brief {
    /// Formats the times in the text.
    #[serde(skip)]
    pub(super) clock: LocalClock,
    /// Whether something was left out because there was no time.
    #[serde(skip)]
    pub is_cut: bool,
    /// The id of the checkpoint.
    #[serde(serialize_with = "skein_model::sensitive::serialize_shown")]
    pub id: String,
    /// The file that it is in.
    pub file: String,
    /// Whether it is archived.
    pub archived: bool,
    /// Why it was chosen: `asked`, `handoff`, `pointer`, `newest` or `open-steps`.
    pub chosen: &'static str,
    /// Its title.
    pub title: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// When it was made.
    pub created_at: Option<Time>,
    /// When it was last changed.
    pub updated_at: Option<Time>,
    /// Its age in words.
    pub age: String,
    /// The time since the last change in words; none if it was not changed after it was made.
    pub changed: Option<String>,
    /// Where it was made, relative to the current directory.
    pub origin: WorkOrigin,
    /// The directory of the work, as written.
    pub cwd: Option<String>,
    pub tags: Vec<String>,
    /// The worker.
    pub worker: Option<WorkerSummary>,
    /// The agent that did the work, and the command to resume its session.
    pub agent: AgentSummary,
    /// The state of the work, such as `open`, `taken`, `done` or `cancelled`.
    pub status: Option<String>,
    /// The holder of the resume lock.
    pub taken: Option<ResumeLockHolder>,
    /// The message of the handoff.
    pub handoff_message: Option<String>,
    /// The notes of the handoff.
    pub handoff_notes: Option<String>,
    /// What was done.
    pub summary: Option<String>,
    /// The last full checkpoint before it, if this one is an auto-checkpoint.
    pub before: Option<PreviousCheckpoint>,
    /// The open steps.
    pub open_steps: Vec<StepView>,
    /// The number of closed steps.
    pub closed_steps: usize,
    /// Notes in members that the format does not define.
    pub learned: Vec<ExtraNotes>,
    /// The touched files.
    pub files: Vec<BriefFile>,
    /// The number of touched files.
    pub file_count: usize,
    /// The state of the repository in the checkpoint.
    pub git_then: Option<GitAtSave>,
    /// The current state of the repository, and the changes since.
    pub git_now: Option<GitNow>,
    /// The open review threads on those files.
    pub reviews: Vec<BriefReview>,
    /// Other open handoffs.
    pub others: Vec<OtherWork>,
    /// Warnings, one sentence each.
    pub notes: Vec<String>,
    /// The number of parts that were left out because of the limit.
    #[serde(skip_serializing_if = "Omitted::is_nothing")]
    pub left_out: Omitted,
    /// Problems of the file.
    pub diagnostics: Vec<FileDiagnostic>,
}

/// Why there is no brief.
#[derive(Debug, thiserror::Error)]
pub enum BriefError {
    /// No checkpoint has the requested id.
    #[error(transparent)]
    Find(#[from] FindError),
    /// All work is done, cancelled, or taken by another session.
    #[error("no work is open here")]
    AllDone {
        /// The last checkpoint.
        last: String,
    },
    /// There is no checkpoint at all.
    #[error("there is no checkpoint here yet")]
    Nothing {
        /// The directory that was searched.
        dir: PathBuf,
    },
    /// The file cannot be used.
    #[error("the checkpoint cannot be used: {} ({reason})", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// The problem.
        reason: String,
    },
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl Brief {
    /// The length up to which an agent reads a brief completely.
    pub const LIMIT: usize = 10_000;
}

/// Summarizes a checkpoint for resuming it: the requested one, or else the nearest open work.
pub fn brief(workspace: &Workspace, id: Option<&str>) -> Result<Brief, BriefError> {
    brief_until(workspace, id, None, None)
}

/// Summarizes a checkpoint for a session; values that are unknown at the deadline are left out, with a note.
///
/// With a deadline, only the latest names are considered, because reading all files would take too long.
pub fn brief_until(
    workspace: &Workspace,
    id: Option<&str>,
    until: Option<Instant>,
    session: Option<&str>,
) -> Result<Brief, BriefError> {
    let (pointer, found) = handoff_pointer::read(workspace);
    let pointer = pointer.as_ref();
    if let Some(id) = id {
        let place = find_checkpoint(workspace, id)?;
        return of_place(workspace, &place, ("asked", pointer), until);
    }
    let offers = match until {
        Some(_) => Offers::latest(workspace, pointer),
        None => Offers::all(workspace, pointer),
    };
    let viewer = WorkViewer::new(workspace, session);
    let choice =
        offers.choose(&viewer, workspace.env.clock.now(), until.is_some()).ok_or_else(|| {
            match offers.first() {
                Some(last) => BriefError::AllDone { last: last.id.clone() },
                None => BriefError::Nothing { dir: workspace.checkpoints.threads() },
            }
        })?;
    let chosen = if choice.is_by_pointer {
        "pointer"
    } else if choice.offer.is_handoff {
        "handoff"
    } else if choice.is_newest {
        "newest"
    } else {
        "open-steps"
    };
    let place = (choice.offer.form, choice.offer.path);
    let mut brief = of_place(workspace, &place, (chosen, pointer), until)?;
    let lost = found.into_iter().map(|diag| diag.message).next();
    let lost = lost.map(|reason| format!("`handoff.json` names no checkpoint: {reason}"));
    let newer = choice.newer.map(|newer| {
        format!("a checkpoint was saved after this handoff; `skein resume {newer}` shows it")
    });
    brief.notes.splice(0..0, lost.into_iter().chain(newer));
    brief.others = choice.others;
    Ok(brief)
}

/// Returns the time since the last change, if that was over a minute after the creation.
fn changed(made: Option<Time>, changed: Option<Time>, now: Time) -> Option<String> {
    const MINUTE: i64 = 60_000;
    let later = changed?.as_millis().saturating_sub(made?.as_millis()) > MINUTE;
    later.then(|| skein_model::relative_time::long(changed, now))
}

fn of_place(
    workspace: &Workspace,
    (form, path): &CheckpointFile,
    (chosen, pointer): (&'static str, Option<&HandoffDoc>),
    until: Option<Instant>,
) -> Result<Brief, BriefError> {
    let doc = load(path, *form)?;
    let now = workspace.env.clock.now();
    let id = stem(path);
    let mut row = row(doc.to_bytes(), path, *form);
    States::read(&workspace.checkpoints, now).mark(&mut row);
    let head = doc.head();
    let leads_here = |pointer: &&HandoffDoc| {
        handoff_pointer::target(&workspace.checkpoints, pointer)
            .is_some_and(|(_, target)| target == *path)
    };
    let pointer = pointer.filter(leads_here);
    let said = |text: Option<&String>| {
        text.filter(|text| !text.trim().is_empty()).map(|text| redacted(text.clone()))
    };
    let summary = said(head.summary.as_ref());
    let scene = context::PathContext::new(workspace, head);
    let (mut files, file_count) = files::files(&doc, &scene);
    let git_then = git::then(head);
    let git_now = git::since(workspace, &scene, head, &mut files, until);
    let is_late = until.is_some_and(|until| Instant::now() >= until);
    let looked = (!is_late).then(|| reviews::on(workspace, &files, until.is_some()));
    let are_reviews_unknown = is_late && workspace.reviews.exists;
    let is_cut = are_reviews_unknown || git_now.as_ref().is_some_and(|now| now.is_late);
    let unknown =
        are_reviews_unknown.then(|| "there was no time to look for review threads".to_owned());
    let (open, closed): (Vec<_>, Vec<_>) =
        doc.steps().into_iter().partition(|step| step.status.is_open());
    let is_light = head.kind == CheckpointType::Auto;
    let before =
        is_light.then(|| before::before(&workspace.checkpoints, (&id, head), now)).flatten();
    let RowDetail::Checkpoint(detail) = row.detail else {
        return Err(BriefError::Unusable {
            path: path.clone(),
            reason: "no checkpoint".to_owned(),
        });
    };
    Ok(Brief {
        clock: workspace.env.clock.local(),
        is_cut,
        archived: checkpoint_lookup::is_archived(&workspace.checkpoints, path),
        chosen,
        title: row.title,
        kind: detail.kind,
        created_at: row.created_at,
        updated_at: row.updated_at,
        age: skein_model::relative_time::long(row.created_at.or(row.updated_at), now),
        changed: changed(row.created_at, row.updated_at, now),
        origin: Surroundings::new(workspace)
            .origin(head.cwd.as_deref(), head.git.as_ref().and_then(|git| git.branch.as_deref())),
        cwd: head.cwd.clone().map(redacted),
        tags: head.tags.iter().map(|tag| redacted(tag.clone())).collect(),
        worker: detail.worker,
        agent: context::agent(workspace, head),
        status: row.status.clone().map(String::from),
        taken: detail.taken.map(|holder| *holder),
        handoff_message: said(pointer.and_then(|pointer| pointer.message.as_ref())),
        // Other programs also write the summary into the pointer; it is not repeated.
        handoff_notes: said(pointer.and_then(|pointer| pointer.context_notes.as_ref()))
            .and_then(|notes| notes::without_steps(&notes, &doc.steps()))
            .filter(|notes| Some(notes) != summary.as_ref()),
        summary,
        before,
        open_steps: open.into_iter().map(StepView::from).collect(),
        closed_steps: closed.len(),
        learned: learned::learned(&doc),
        files: files.into_iter().map(|file| file.shown).collect(),
        file_count,
        git_then,
        git_now,
        reviews: looked.unwrap_or_default(),
        others: Vec::new(),
        notes: unknown.into_iter().collect(),
        left_out: Omitted::default(),
        diagnostics: row.diagnostics,
        file: row.file.display().to_string(),
        id,
    })
}

/// Loads a usable checkpoint.
fn load(path: &Path, form: CheckpointFileKind) -> Result<CheckpointDoc, BriefError> {
    let stem = stem(path);
    let usable = |bytes: &[u8]| CheckpointDoc::parse(bytes.to_vec(), &stem, form).0.head().usable;
    let snapshot = read_stable(path, &usable)?;
    let (doc, found) = CheckpointDoc::parse(snapshot.bytes, &stem, form);
    if doc.head().usable {
        return Ok(doc);
    }
    let reason = found.first().map_or("", |first| first.message.as_str()).to_owned();
    Err(BriefError::Unusable { path: path.to_owned(), reason })
}
