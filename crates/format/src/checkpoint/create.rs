//! New checkpoints, with the keys and the order of the example in the format's documentation.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{CheckpointDoc, CheckpointFileKind, CheckpointType, Worker, WorkerState};
use crate::id::CheckpointId;
use crate::redact::{redact, redact_url};
use crate::time::Time;

/// Maximum number of characters of a title that is made from a summary.
const MAX_TITLE_LEN: usize = 60;
/// Number of characters kept of a longer summary, before `...`.
const CUT_TITLE_LEN: usize = 57;

/// Start of the title of an auto-checkpoint.
pub(super) const AUTO_TITLE: &str = "Auto: ";
/// The tag of every auto-checkpoint.
pub(super) const AUTO_TAG: &str = "auto-checkpoint";

/// A checkpoint that has no file yet.
///
/// Missing values are not written. An auto-checkpoint has the light form: values that only the full form has are not
/// written, even if given. Secrets are redacted in every text.
#[derive(Clone, Debug)]
pub struct NewCheckpoint {
    /// The id, which becomes the file's name.
    pub id: CheckpointId,
    /// How it was created.
    pub kind: CheckpointType,
    /// The current time.
    pub created_at: Time,
    /// The root of the workspace, starting with `~` if it is in the home directory.
    pub workspace_root: Option<String>,
    /// The working directory, relative to the root.
    pub cwd: Option<String>,
    /// The state of the repository, if there is one.
    pub git: Option<NewGit>,
    /// The worker, if there is one.
    pub worker: Option<Worker>,
    /// The summary of the work.
    pub summary: String,
    /// The files that were touched.
    pub files: Vec<String>,
    /// The next steps.
    pub steps: Vec<String>,
    /// The id of the agent's session.
    pub session_id: Option<String>,
    /// The name of the agent, if known: `codex`.
    pub agent: Option<String>,
    /// The title; if missing, it is made from the summary.
    pub title: Option<String>,
    /// Keywords for search.
    pub tags: Vec<String>,
    /// The event that triggered the hook.
    pub trigger: Option<String>,
    /// The path of the agent's transcript of the conversation.
    pub transcript_path: Option<String>,
    /// The handoff that this one replaces.
    pub previous_handoff: Option<PreviousHandoff>,
}

/// The state of the repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are those of the format")]
pub struct NewGit {
    pub branch: Option<String>,
    pub remote_url: Option<String>,
    pub initial_commit: Option<String>,
    pub current_commit: Option<String>,
    pub commits_made: Option<Vec<String>>,
    pub dirty: Option<bool>,
    pub knowledge_repos: BTreeMap<String, KnowledgeRepo>,
}

/// The state of a knowledge repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are those of the format")]
pub struct KnowledgeRepo {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dirty: Option<bool>,
}

/// The content of the pointer before it was replaced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are those of the pointer")]
pub struct PreviousHandoff {
    pub last_thread: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_notes: Option<String>,
}

impl NewCheckpoint {
    /// Returns the checkpoint as a document.
    pub fn to_doc(&self) -> CheckpointDoc {
        let mut bytes = pretty(&self.file());
        bytes.push(b'\n');
        CheckpointDoc::parse(bytes, self.id.as_str(), CheckpointFileKind::Thread).0
    }

    pub(super) fn is_light(&self) -> bool {
        self.kind == CheckpointType::Auto
    }

    /// Returns the value of `git`.
    pub(super) fn git_out(&self) -> Option<Value> {
        let git = self.git.as_ref()?;
        let full = !self.is_light();
        let text = |value: &Option<String>| clean_value(value.as_deref());
        let repos = git.knowledge_repos.iter().filter(|_| full);
        let repos: Map<_, _> = repos.map(|(name, repo)| (clean(name), json!(repo))).collect();
        Some(object([
            ("branch", text(&git.branch)),
            (
                "remote_url",
                git.remote_url.as_deref().filter(|_| full).map(redact_url).map(Value::from),
            ),
            ("initial_commit", text(&git.initial_commit).filter(|_| full)),
            ("current_commit", text(&git.current_commit)),
            ("commits_made", git.commits_made.as_deref().filter(|_| full).map(clean_all)),
            ("dirty", git.dirty.map(Value::from)),
            ("knowledge_repos", (!repos.is_empty()).then_some(Value::Object(repos))),
        ]))
    }

    /// Returns the value of `worker`.
    pub(super) fn worker_out(&self) -> Option<Value> {
        let worker = self.worker.as_ref().filter(|_| !self.is_light())?;
        Some(object([
            ("id", clean_value(worker.id.as_deref())),
            ("skill", clean_value(worker.skill.as_deref())),
            ("state", clean_value(worker.state.as_ref().map(WorkerState::as_str))),
            ("started_at", worker.started_at.map(|at| json!(at))),
            ("completed_at", worker.completed_at.map(|at| json!(at))),
        ]))
    }

    /// Returns the given title, or else the start of the summary.
    pub(super) fn title_out(&self) -> String {
        let given = self.title.as_deref().map(one_line).filter(|title| !title.is_empty());
        let lead = if self.is_light() { AUTO_TITLE } else { "" };
        match given {
            Some(title) => format!("{lead}{}", title.strip_prefix(lead).unwrap_or(&title)),
            None => format!("{lead}{}", title_of(&self.summary)),
        }
    }

    pub(super) fn tags_out(&self) -> Vec<String> {
        let own = self.is_light().then(|| AUTO_TAG.to_owned());
        let mut tags: Vec<String> = Vec::new();
        for tag in own.into_iter().chain(self.tags.iter().map(|tag| clean(tag))) {
            if !tags.contains(&tag) {
                tags.push(tag);
            }
        }
        tags
    }

    /// Returns the content of the file.
    pub(super) fn file(&self) -> Value {
        let previous = self.previous_handoff.as_ref().map(|previous| PreviousHandoff {
            last_thread: clean(&previous.last_thread),
            message: previous.message.as_deref().map(clean),
            context_notes: previous.context_notes.as_deref().map(clean),
        });
        let metadata = object([
            ("title", Some(self.title_out().into())),
            ("tags", Some(self.tags_out().into())),
            ("trigger", clean_value(self.trigger.as_deref())),
            ("agent", clean_value(self.agent.as_deref())),
            ("transcript_path", clean_value(self.transcript_path.as_deref())),
            ("previous_handoff", previous.map(|previous| json!(previous))),
        ]);
        object([
            ("thread_id", Some(self.id.as_str().into())),
            ("version", Some(1.into())),
            ("type", Some(self.kind.as_str().into())),
            ("created_at", Some(json!(self.created_at))),
            ("updated_at", Some(json!(self.created_at))),
            ("workspace_root", clean_value(self.workspace_root.as_deref())),
            ("cwd", clean_value(self.cwd.as_deref())),
            ("git", self.git_out()),
            ("worker", self.worker_out()),
            ("conversation_summary", clean_value(Some(self.summary.trim()))),
            ("files_touched", Some(clean_all(&self.files))),
            ("next_steps", (!self.is_light()).then(|| clean_all(&self.steps))),
            ("session_id", clean_value(self.session_id.as_deref())),
            ("metadata", Some(metadata)),
        ])
    }
}

/// Returns an object of the members that have a value.
fn object<const N: usize>(members: [(&str, Option<Value>); N]) -> Value {
    let members = members.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
    Value::Object(members.collect())
}

/// Returns a value as JSON, indented by two spaces.
pub(super) fn pretty(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec_pretty(value)
        .expect("strings and numbers under string keys always serialise")
}

pub(super) fn clean(text: &str) -> String {
    redact(text).into_owned()
}

fn clean_value(text: Option<&str>) -> Option<Value> {
    text.map(|text| clean(text).into())
}

fn clean_all(texts: &[String]) -> Value {
    texts.iter().map(|text| clean(text)).collect()
}

/// Returns a text on one line, without secrets.
pub(super) fn one_line(text: &str) -> String {
    clean(&clean(text).split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Returns a title made from a summary, without secrets; a long summary is cut.
pub fn title_of(summary: &str) -> String {
    let text = one_line(summary);
    if text.chars().count() <= MAX_TITLE_LEN {
        return text;
    }
    let head: String = text.chars().take(CUT_TITLE_LEN).collect();
    // The cut may have split a redaction mark, so the text is redacted again.
    clean(&format!("{head}..."))
}
