//! New checkpoints, written with the keys and in the order of the format's own example.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{CheckpointDoc, CheckpointFileKind, CheckpointType, Worker, WorkerState};
use crate::id::CheckpointId;
use crate::redact::{redact, redact_url};
use crate::time::Time;

/// How long a title is that is made of a summary, and what is left of one that is longer.
const TITLE: usize = 60;
const CUT: usize = 57;

/// What the title of an auto-checkpoint starts with.
pub(super) const AUTO_TITLE: &str = "Auto: ";
/// The tag of every auto-checkpoint.
pub(super) const AUTO_TAG: &str = "auto-checkpoint";

/// A checkpoint that has no file yet.
///
/// Empty values are left out. An auto-checkpoint has the light form: what belongs to the full form alone is left out
/// too, whatever is given. Secrets are taken out of every text when it is written.
#[derive(Clone, Debug)]
pub struct NewCheckpoint {
    /// The id, which becomes the file's name.
    pub id: CheckpointId,
    /// How it was created.
    pub kind: CheckpointType,
    /// Now.
    pub created_at: Time,
    /// The root of the workspace, below `~` where it is.
    pub workspace_root: Option<String>,
    /// The directory of the work, from the root.
    pub cwd: Option<String>,
    /// The state of the repository, where there is one.
    pub git: Option<NewGit>,
    /// The worker, where there is one.
    pub worker: Option<Worker>,
    /// What was done.
    pub summary: String,
    /// The files that were touched.
    pub files: Vec<String>,
    /// What is left to do.
    pub steps: Vec<String>,
    /// The agent's session.
    pub session_id: Option<String>,
    /// The agent, where it is known: `codex`.
    pub agent: Option<String>,
    /// A title; else it is made of the summary.
    pub title: Option<String>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// What set off the hook.
    pub trigger: Option<String>,
    /// The agent's own record of the conversation.
    pub transcript_path: Option<String>,
    /// The handoff that this one takes the place of.
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

/// The state of a repository of knowledge.
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
    /// Writes the checkpoint.
    pub fn to_doc(&self) -> CheckpointDoc {
        let mut bytes = pretty(&self.file());
        bytes.push(b'\n');
        CheckpointDoc::parse(bytes, self.id.as_str(), CheckpointFileKind::Thread).0
    }

    pub(super) fn is_light(&self) -> bool {
        self.kind == CheckpointType::Auto
    }

    /// Returns what is written about git.
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

    /// Returns what is written about the worker.
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

    /// Returns the title: the one that is given, else the start of the summary.
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

    /// Returns the file, member by member.
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

/// Makes an object of the members that there are.
fn object<const N: usize>(members: [(&str, Option<Value>); N]) -> Value {
    let there = members.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
    Value::Object(there.collect())
}

/// Writes a value as JSON that is indented by two spaces.
pub(super) fn pretty(value: &impl Serialize) -> Vec<u8> {
    // Strings, flags and numbers under string keys always serialise.
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

/// Makes a title of a summary, without secrets: all of it, or its start where it is too long.
pub fn title_of(summary: &str) -> String {
    let text = one_line(summary);
    if text.chars().count() <= TITLE {
        return text;
    }
    let head: String = text.chars().take(CUT).collect();
    // What is left of a mark would be no mark any more.
    clean(&format!("{head}..."))
}
