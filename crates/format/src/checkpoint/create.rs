//! New checkpoints, written with the keys and in the order of the format's own example.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{CheckpointDoc, CheckpointFileKind, CheckpointType, Worker};
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
/// What is none is left out. An auto-checkpoint has the light form: what belongs to the full form alone is left out
/// too, whatever is given. Secrets are taken out of every text when it is written.
#[derive(Clone, Debug)]
pub struct NewCheckpoint {
    /// The id, which becomes the file's name.
    pub id: CheckpointId,
    /// How it came about.
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

/// What the pointer said before it was set anew.
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

    /// Returns the state of the repository as this form has it, without secrets.
    pub(super) fn git_out(&self) -> Option<GitOut> {
        let git = self.git.as_ref()?;
        let full = !self.is_light();
        let text = |value: &Option<String>| value.as_deref().map(clean);
        let knowledge = git.knowledge_repos.iter().filter(|_| full);
        Some(GitOut {
            branch: text(&git.branch),
            remote_url: git.remote_url.as_deref().filter(|_| full).map(redact_url),
            initial_commit: text(&git.initial_commit).filter(|_| full),
            current_commit: text(&git.current_commit),
            commits_made: git.commits_made.as_deref().filter(|_| full).map(clean_all),
            dirty: git.dirty,
            knowledge_repos: knowledge.map(|(name, repo)| (clean(name), repo.clone())).collect(),
        })
    }

    pub(super) fn worker_out(&self) -> Option<WorkerOut> {
        let worker = self.worker.as_ref().filter(|_| !self.is_light())?;
        Some(WorkerOut {
            id: worker.id.as_deref().map(clean),
            skill: worker.skill.as_deref().map(clean),
            state: worker.state.as_ref().map(|state| clean(state.as_str())),
            started_at: worker.started_at,
            completed_at: worker.completed_at,
        })
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
        for tag in own.into_iter().chain(clean_all(&self.tags)) {
            if !tags.contains(&tag) {
                tags.push(tag);
            }
        }
        tags
    }

    pub(super) fn file(&self) -> File<'_> {
        File {
            thread_id: self.id.as_str(),
            version: 1,
            kind: self.kind.as_str(),
            created_at: self.created_at,
            updated_at: self.created_at,
            workspace_root: self.workspace_root.as_deref().map(clean),
            cwd: self.cwd.as_deref().map(clean),
            git: self.git_out(),
            worker: self.worker_out(),
            conversation_summary: clean(self.summary.trim()),
            files_touched: clean_all(&self.files),
            next_steps: (!self.is_light()).then(|| clean_all(&self.steps)),
            session_id: self.session_id.as_deref().map(clean),
            metadata: MetadataOut {
                title: self.title_out(),
                tags: self.tags_out(),
                trigger: self.trigger.as_deref().map(clean),
                agent: self.agent.as_deref().map(clean),
                transcript_path: self.transcript_path.as_deref().map(clean),
                previous_handoff: self.previous_handoff.as_ref().map(|previous| PreviousHandoff {
                    last_thread: clean(&previous.last_thread),
                    message: previous.message.as_deref().map(clean),
                    context_notes: previous.context_notes.as_deref().map(clean),
                }),
            },
        }
    }
}

#[derive(Serialize)]
pub(super) struct File<'a> {
    thread_id: &'a str,
    version: u32,
    #[serde(rename = "type")]
    kind: &'a str,
    created_at: Time,
    updated_at: Time,
    #[serde(skip_serializing_if = "Option::is_none")]
    workspace_root: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cwd: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    git: Option<GitOut>,
    #[serde(skip_serializing_if = "Option::is_none")]
    worker: Option<WorkerOut>,
    conversation_summary: String,
    files_touched: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_steps: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    metadata: MetadataOut,
}

#[derive(Serialize)]
pub(super) struct GitOut {
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    remote_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    initial_commit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    current_commit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    commits_made: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dirty: Option<bool>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    knowledge_repos: BTreeMap<String, KnowledgeRepo>,
}

#[derive(Serialize)]
pub(super) struct WorkerOut {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skill: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    started_at: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    completed_at: Option<Time>,
}

#[derive(Serialize)]
struct MetadataOut {
    title: String,
    tags: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trigger: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    transcript_path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_handoff: Option<PreviousHandoff>,
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

fn clean_all(texts: &[String]) -> Vec<String> {
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
