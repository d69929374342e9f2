//! Reads the fields of a checkpoint in one pass.

use super::field::Fields;
use super::list;
use super::other;
use super::worker::WorkerState;
use super::{CheckpointFileKind, Layout};
use crate::diagnostic::{Code, DiagnosticList, brief};
use crate::id::{CheckpointId, is_file_stem};
use crate::json::{JsonKind, Reader, SyntaxError};
use crate::time::Time;

/// How a checkpoint was created.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum CheckpointType {
    /// Created on request, by a person or an agent.
    #[default]
    Checkpoint,
    /// Created by a hook.
    Auto,
    /// Created to hand over work.
    Handoff,
    /// Any other type, as written.
    Other(String),
}

impl CheckpointType {
    /// Parses the value of `type`.
    pub fn parse(word: &str) -> Self {
        match word {
            "checkpoint" => Self::Checkpoint,
            "auto-checkpoint" => Self::Auto,
            "handoff" => Self::Handoff,
            other => Self::Other(other.to_owned()),
        }
    }

    /// Returns the value of `type`.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Checkpoint => "checkpoint",
            Self::Auto => "auto-checkpoint",
            Self::Handoff => "handoff",
            Self::Other(word) => word,
        }
    }
}

/// The state of the repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are those of the format")]
pub struct GitState {
    pub branch: Option<String>,
    pub remote_url: Option<String>,
    pub initial_commit: Option<String>,
    pub current_commit: Option<String>,
    pub dirty: Option<bool>,
}

/// The worker of a checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are those of the format")]
pub struct Worker {
    pub id: Option<String>,
    pub skill: Option<String>,
    pub state: Option<WorkerState>,
    pub started_at: Option<Time>,
    pub completed_at: Option<Time>,
}

/// The fields of a checkpoint; a value that is missing or has the wrong type is none.
#[derive(Clone, Debug, Default)]
pub struct Checkpoint {
    /// Whether the file is a JSON object, so that it can be used as a checkpoint.
    pub usable: bool,
    /// The id as written.
    pub id: Option<String>,
    /// The version of the format, if it is a number.
    pub version: Option<u64>,
    /// How it was created.
    pub kind: CheckpointType,
    /// The time of creation; if missing, that of the last change, else the time in the id.
    pub created_at: Option<Time>,
    /// The time of the last change; if missing, `completed_at`, else the time of creation.
    pub updated_at: Option<Time>,
    /// The root of the workspace as written.
    pub workspace_root: Option<String>,
    /// The working directory as written.
    pub cwd: Option<String>,
    /// The state of the repository, if given.
    pub git: Option<GitState>,
    /// The worker, if there is one.
    pub worker: Option<Worker>,
    /// The summary of the work.
    pub summary: Option<String>,
    pub title: Option<String>,
    /// The status of the work, if the file has one.
    pub status: Option<String>,
    /// Keywords for search.
    pub tags: Vec<String>,
    /// The event that triggered the hook.
    pub trigger: Option<String>,
    /// The id of the agent's session.
    pub session_id: Option<String>,
    /// The name of the agent.
    pub agent: Option<String>,
    /// The path of the agent's transcript of the conversation.
    pub transcript: Option<String>,
    /// The number of files touched.
    pub file_count: usize,
    /// The number of steps.
    pub step_count: usize,
    /// The number of steps that are neither done nor dropped.
    pub open_steps: usize,
    /// The id before the upgrade from an auto-checkpoint.
    pub upgraded_from: Option<String>,
}

impl Checkpoint {
    /// Returns whether nothing is left to do: by the status in the file, or else because all of its steps are closed.
    pub fn is_over(&self) -> bool {
        match self.status.as_deref() {
            // A reopened handoff is open, even if all its steps are closed.
            Some("open") => false,
            Some(status) if is_final(status) => true,
            _ => self.step_count > 0 && self.open_steps == 0,
        }
    }

    /// Returns the state of the work: the status in the file, else the state of the worker, else of the handoff.
    pub fn state(&self) -> Option<&str> {
        let worker = self.worker.as_ref().and_then(|worker| worker.state.as_ref());
        let handoff = || match (&self.kind, self.is_over()) {
            (CheckpointType::Handoff, true) => Some("done"),
            (CheckpointType::Handoff, false) => Some("open"),
            _ => None,
        };
        self.status.as_deref().or_else(|| worker.map(WorkerState::as_str)).or_else(handoff)
    }
}

/// Returns whether a status means that nothing is left to do.
pub fn is_final(status: &str) -> bool {
    matches!(status, "done" | "complete" | "completed" | "cancelled" | "canceled" | "closed")
}

/// Reads a checkpoint.
pub(super) fn read(
    bytes: &[u8],
    stem: &str,
    form: CheckpointFileKind,
    findings: &mut DiagnosticList,
) -> Layout {
    let mut reading =
        Reading { bytes, fields: Fields { findings }, layout: Layout::default(), kind: None };
    match reading.all() {
        Ok(true) => reading.check(stem, form),
        Ok(false) => {
            let message = "the file is JSON, but not an object";
            reading.fields.findings.push(Code::CheckpointNotObject, Some(1), message);
            reading.layout
        }
        Err(error) => {
            findings.push_syntax(Code::CheckpointBadJson, bytes, error);
            Layout::default()
        }
    }
}

struct Reading<'a, 'f> {
    bytes: &'a [u8],
    fields: Fields<'f>,
    layout: Layout,
    kind: Option<String>,
}

type Read = Result<(), SyntaxError>;

/// The entries of the lists, for the message about one that is something else.
const TEXT_ENTRY: &str = "a text";
const FILE_ENTRY: &str = "a path, or an object with the text `path`";
const STEP_ENTRY: &str = "a text, or an object with the text `step`";

impl<'a> Reading<'a, '_> {
    fn all(&mut self) -> Result<bool, SyntaxError> {
        let bytes = self.bytes;
        let mut reader = Reader::document(bytes);
        if reader.peek()? != JsonKind::Object {
            reader.skip()?;
            reader.finish()?;
            return Ok(false);
        }
        let root = reader.object(|reader, key| self.member(reader, key.name(bytes).as_ref()))?;
        reader.finish()?;
        self.layout.root = Some(root);
        Ok(true)
    }

    fn member(&mut self, reader: &mut Reader<'a>, key: &[u8]) -> Read {
        self.layout.has_others |= !other::is_known(other::TOP, key);
        let head = &mut self.layout.head;
        let fields = &mut self.fields;
        match key {
            // A null does not replace a value from another key.
            b"thread_id" => head.id = fields.text(reader, "thread_id")?.or(head.id.take()),
            b"task_id" if head.id.is_none() => head.id = fields.text(reader, "task_id")?,
            b"version" => head.version = fields.version(reader)?,
            b"type" => self.kind = fields.text(reader, "type")?,
            b"created_at" => head.created_at = fields.time(reader, "created_at")?,
            b"updated_at" => {
                head.updated_at = fields.time(reader, "updated_at")?.or(head.updated_at);
            }
            b"completed_at" if head.updated_at.is_none() => {
                head.updated_at = fields.time(reader, "completed_at")?;
            }
            b"workspace_root" => head.workspace_root = fields.text(reader, "workspace_root")?,
            b"cwd" => head.cwd = fields.text(reader, "cwd")?,
            b"conversation_summary" => {
                let summary = fields.text(reader, "conversation_summary")?;
                head.summary = summary.or(head.summary.take());
            }
            b"summary" if head.summary.is_none() => {
                head.summary = fields.text(reader, "summary")?;
            }
            b"title" if head.title.is_none() => head.title = fields.text(reader, "title")?,
            b"status" => head.status = fields.text(reader, "status")?,
            b"session_id" => {
                head.session_id = fields.text(reader, "session_id")?.or(head.session_id.take());
            }
            b"git" => self.git(reader)?,
            b"worker" => self.worker(reader)?,
            b"metadata" => self.metadata(reader)?,
            b"recent_commits" => {
                self.layout.commits =
                    fields.list(reader, "recent_commits", TEXT_ENTRY, list::is_text)?;
            }
            b"files_touched" => {
                head.file_count = 0;
                self.layout.files = fields.list(reader, "files_touched", FILE_ENTRY, |reader| {
                    let has_path = list::has_path(reader)?;
                    head.file_count += usize::from(has_path);
                    Ok(has_path)
                })?;
            }
            b"next_steps" => {
                (head.step_count, head.open_steps) = (0, 0);
                self.layout.steps = fields.list(reader, "next_steps", STEP_ENTRY, |reader| {
                    let Some(is_open) = list::is_open_step(reader)? else { return Ok(false) };
                    head.step_count += 1;
                    head.open_steps += usize::from(is_open);
                    Ok(true)
                })?;
            }
            _ => {}
        }
        Ok(())
    }

    fn git(&mut self, reader: &mut Reader<'a>) -> Read {
        if !self.fields.is_object(reader, "git")? {
            self.layout.has_others = true;
            return Ok(());
        }
        let bytes = self.bytes;
        let mut git = GitState::default();
        let fields = &mut self.fields;
        let Layout { commits, has_others, .. } = &mut self.layout;
        reader.object(|reader, key| {
            let key = key.name(bytes);
            *has_others |= !other::is_known(other::GIT, &key);
            match key.as_ref() {
                b"branch" => git.branch = fields.text(reader, "git.branch")?,
                b"remote_url" => git.remote_url = fields.text(reader, "git.remote_url")?,
                b"initial_commit" => {
                    git.initial_commit = fields.text(reader, "git.initial_commit")?;
                }
                b"current_commit" => {
                    let commit = fields.text(reader, "git.current_commit")?;
                    git.current_commit = commit.or(git.current_commit.take());
                }
                b"commit" if git.current_commit.is_none() => {
                    git.current_commit = fields.text(reader, "git.commit")?;
                }
                b"commits_made" => {
                    *commits =
                        fields.list(reader, "git.commits_made", TEXT_ENTRY, list::is_text)?;
                }
                b"dirty" => git.dirty = fields.flag(reader, "git.dirty")?,
                _ => {}
            }
            Ok(())
        })?;
        self.layout.head.git = Some(git);
        Ok(())
    }

    fn worker(&mut self, reader: &mut Reader<'a>) -> Read {
        if !self.fields.is_object(reader, "worker")? {
            self.layout.has_others = true;
            return Ok(());
        }
        let bytes = self.bytes;
        let mut worker = Worker::default();
        let fields = &mut self.fields;
        let has_others = &mut self.layout.has_others;
        reader.object(|reader, key| {
            let key = key.name(bytes);
            *has_others |= !other::is_known(other::WORKER, &key);
            match key.as_ref() {
                b"id" => worker.id = fields.text(reader, "worker.id")?,
                b"skill" => worker.skill = fields.text(reader, "worker.skill")?,
                b"state" => {
                    let state = fields.text(reader, "worker.state")?;
                    worker.state = state.map(|word| WorkerState::parse(&word));
                }
                b"started_at" => worker.started_at = fields.time(reader, "worker.started_at")?,
                b"completed_at" => {
                    worker.completed_at = fields.time(reader, "worker.completed_at")?;
                }
                _ => {}
            }
            Ok(())
        })?;
        if let Some(WorkerState::Other(word)) = &worker.state {
            let message = format!("the worker's state `{}` is not known", brief(word));
            fields.findings.push(Code::CheckpointWorkerState, None, message);
        }
        self.layout.head.worker = Some(worker).filter(|worker| *worker != Worker::default());
        Ok(())
    }

    fn metadata(&mut self, reader: &mut Reader<'a>) -> Read {
        if !self.fields.is_object(reader, "metadata")? {
            self.layout.has_others = true;
            return Ok(());
        }
        let bytes = self.bytes;
        let Layout { head, has_others, .. } = &mut self.layout;
        let fields = &mut self.fields;
        reader.object(|reader, key| {
            let key = key.name(bytes);
            *has_others |= !other::is_known(other::METADATA, &key);
            match key.as_ref() {
                b"title" => {
                    let title = fields.text(reader, "metadata.title")?;
                    head.title = title.or(head.title.take());
                }
                b"trigger" => head.trigger = fields.text(reader, "metadata.trigger")?,
                b"agent" => head.agent = reader.string_or_skip()?.map(|text| text.to_text(bytes)),
                b"transcript" | b"transcript_path" => {
                    let path = reader.string_or_skip()?.map(|text| text.to_text(bytes));
                    head.transcript = path.or(head.transcript.take());
                }
                b"upgraded_from" => {
                    head.upgraded_from = reader.string_or_skip()?.map(|text| text.to_text(bytes));
                }
                b"session_id" if head.session_id.is_none() => {
                    head.session_id = reader.string_or_skip()?.map(|text| text.to_text(bytes));
                }
                b"tags" => {
                    head.tags.clear();
                    fields.list(reader, "metadata.tags", TEXT_ENTRY, |reader| {
                        let tag = reader.string_or_skip()?;
                        head.tags.extend(tag.map(|tag| tag.to_text(bytes)));
                        Ok(tag.is_some())
                    })?;
                }
                _ => {}
            }
            Ok(())
        })?;
        Ok(())
    }

    /// Checks the fields and fills in defaults.
    fn check(mut self, stem: &str, form: CheckpointFileKind) -> Layout {
        let findings = &mut *self.fields.findings;
        let head = &mut self.layout.head;
        head.usable = true;
        match head.id.as_deref() {
            Some(id) if form == CheckpointFileKind::Thread && !is_file_stem(id) => {
                let message = format!("the id `{}` cannot name a file", brief(id));
                findings.push(Code::CheckpointUnsafeId, None, message);
            }
            Some(id) if form == CheckpointFileKind::Thread && id != stem => {
                let message = format!("the id is `{}`, the file's name `{stem}`", brief(id));
                findings.push(Code::CheckpointIdMismatch, None, message);
            }
            _ => {}
        }
        if head.version.is_some_and(|version| version > 1) {
            let message = format!("version {} is newer than 1", head.version.unwrap_or(0));
            findings.push(Code::CheckpointVersion, None, message);
        }
        let id = || CheckpointId::parse(stem);
        head.kind = match self.kind.as_deref() {
            Some(word) => CheckpointType::parse(word),
            None if id().is_some_and(|id| id.looks_automatic()) => CheckpointType::Auto,
            None => CheckpointType::Checkpoint,
        };
        if let CheckpointType::Other(word) = &head.kind {
            findings.push(
                Code::CheckpointType,
                None,
                format!("the type `{}` is not known", brief(word)),
            );
        }
        if head.created_at.is_none() && head.updated_at.is_none() {
            let message = "neither `created_at` nor `updated_at` can be read";
            findings.push(Code::CheckpointBadTime, None, message);
            head.created_at = id().and_then(|id| id.time());
        }
        head.updated_at = head.updated_at.or(head.created_at);
        head.created_at = head.created_at.or(head.updated_at);
        self.layout
    }
}
