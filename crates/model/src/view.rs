//! Plain data: the results of the use cases, and the JSON of every frontend.
//!
//! Fields may be added and are never removed. `docs/json.md` describes them.

mod checkpoint_row;
mod claim;
mod diff;
mod holder;
mod origin;
mod other;
mod placement;
mod target;
mod worktree_status;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};
use skein_format::checkpoint;
use skein_format::diagnostic::{Code, Diagnostic, Severity};
use skein_format::redact::redacted;
use skein_format::time::Time;

use crate::bridge::ChatPost;
use crate::kind::Kind;
use crate::person_names::is_name_of;
use crate::turn::Turn;
pub use checkpoint_row::{CheckpointRow, GitSummary, WorkerSummary};
pub use claim::ClaimedBy;
pub use diff::{
    Diff, DiffFile, DiffHunk, DiffLine, DiffLineKind, DiffStatus, LineMark, SubmoduleSummary,
};
pub use holder::ResumeLockHolder;
pub use origin::ThreadOrigin;
pub use other::{UnknownField, UnknownValue};
pub use placement::{PlacementState, PlacementView};
pub use target::{ReviewTarget, TargetRange};
pub use worktree_status::WorktreeStatus;

/// Serialises a path as text; bytes that are not UTF-8 are replaced.
pub fn serialize_path<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}

/// A diagnostic with the file it is in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileDiagnostic {
    /// The stable code; `docs/diagnostics.md` lists them.
    pub code: &'static str,
    pub severity: Severity,
    /// The file or directory.
    pub path: String,
    /// The line, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The message for the user.
    pub message: String,
    /// Whether `doctor --fix` repairs it.
    pub fixable: bool,
}

impl FileDiagnostic {
    pub fn new(
        code: Code,
        path: impl AsRef<Path>,
        line: Option<u32>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            code: code.as_str(),
            severity: code.severity(),
            path: path.as_ref().display().to_string(),
            line,
            message: redacted(message.into()),
            fixable: code.is_fixable(),
        }
    }

    pub fn all(found: Vec<Diagnostic>, path: impl AsRef<Path>) -> Vec<Self> {
        let path = path.as_ref();
        found.into_iter().map(|one| Self::new(one.code, path, one.line, one.message)).collect()
    }

    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// Returns the code of the diagnostic.
    pub fn code(&self) -> Option<Code> {
        Code::ALL.iter().copied().find(|code| code.as_str() == self.code)
    }
}

/// A thread in a list.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ThreadRow {
    pub kind: Kind,
    /// Its id.
    #[serde(serialize_with = "crate::sensitive::serialize_shown")]
    pub id: String,
    /// A one-line description.
    pub title: String,
    /// The file that it is in.
    #[serde(serialize_with = "serialize_path")]
    pub file: PathBuf,
    /// Its status, if it has one.
    pub status: Option<Cow<'static, str>>,
    /// When it was started.
    pub created_at: Option<Time>,
    /// When it was last changed.
    pub updated_at: Option<Time>,
    /// Whether it can be used; if not, `diagnostics` has the reason.
    pub usable: bool,
    /// Problems of its file.
    pub diagnostics: Vec<FileDiagnostic>,
    /// The branch of its worktree, if threads of several worktrees are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The part that depends on the kind.
    #[serde(flatten)]
    pub detail: RowDetail,
}

impl ThreadRow {
    /// Marks the thread as a draft, which only its author sees and which waits on no one.
    pub fn mark_draft(&mut self) {
        self.status = self.status.take().map(|_| "draft".into());
        if let RowDetail::Review(detail) = &mut self.detail {
            (detail.waiting_on, detail.waiting_on_name) = (None, None);
        }
    }

    /// Returns the time to sort by: the last change, but not later than now.
    pub fn effective_time(&self, now: Time) -> Option<Time> {
        self.updated_at.or(self.created_at).map(|time| time.min(now))
    }

    /// Returns the details of a review thread.
    pub fn review(&self) -> Option<&ReviewRow> {
        if let RowDetail::Review(detail) = &self.detail { Some(detail) } else { None }
    }

    /// Returns the details of a checkpoint.
    pub fn checkpoint(&self) -> Option<&CheckpointRow> {
        if let RowDetail::Checkpoint(detail) = &self.detail { Some(detail) } else { None }
    }

    /// Returns the details of a session.
    pub fn session(&self) -> Option<&SessionRow> {
        if let RowDetail::Session(detail) = &self.detail { Some(detail) } else { None }
    }

    /// Returns the holder of the resume lock of a checkpoint.
    pub fn holder(&self) -> Option<&ResumeLockHolder> {
        self.checkpoint()?.taken.as_deref()
    }

    /// Returns whether the file of the thread cannot be read.
    pub fn is_unreadable(&self) -> bool {
        self.diagnostics.first().is_some_and(|diag| diag.code == Code::FileUnreadable.as_str())
    }
}

/// The part of a row that depends on the kind of thread.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum RowDetail {
    /// Of a review thread.
    Review(Box<ReviewRow>),
    /// Of a session.
    Session(Box<SessionRow>),
    /// Of a checkpoint.
    Checkpoint(Box<CheckpointRow>),
}

/// The row details of a review thread.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ReviewRow {
    /// What is under review.
    pub target: Option<ReviewTarget>,
    /// The location, counted from 1: `src/a.rs:12-14`.
    pub at: Option<String>,
    /// Whose turn it is.
    pub waiting_on: Option<Turn>,
    /// The name of the person or agent whose turn it is, if one is addressed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_on_name: Option<Box<str>>,
    /// The number of comments.
    pub comment_count: usize,
    /// The author of the last comment.
    pub last_author: Option<String>,
    /// The first line with text of the last comment, as `title` is that of the first one.
    pub last_line: Option<String>,
    /// Whether an agent resolved it.
    pub resolved_by_agent: bool,
    /// Whether an agent proposed to resolve it, which the reviewer accepts by resolving it.
    pub proposed_resolved: bool,
    /// The current claim; an expired claim is not included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<Box<ClaimedBy>>,
    /// The session that wrote the code, if it is known and an agent has to answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Box<ThreadOrigin>>,
    /// The branch that was checked out when the thread was started, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_on: Option<Box<str>>,
    /// Its state in each worktree that has it, if threads of several worktrees are listed and the states differ.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub worktrees: Vec<WorktreeStatus>,
    /// Whether that branch is not merged into `HEAD`.
    #[serde(skip)]
    pub is_of_other_branch: bool,
    /// The state of the location, see [`PlacementView::state`]. Only if threads were placed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<PlacementState>,
    /// The confidence of the location, from 0 to 1. Only if threads were placed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f32>,
}

impl ReviewRow {
    /// Returns the branch that the thread was started on, if its code is gone or was replaced and
    /// that branch is not merged into `HEAD`: the code may be there.
    pub fn other_branch(&self) -> Option<&str> {
        let is_unrecognised = self.state.is_some_and(PlacementState::is_unrecognised);
        let is_there = is_unrecognised && self.is_of_other_branch;
        self.started_on.as_deref().filter(|_| is_there)
    }

    /// Returns whether it is the turn of a person: of any reviewer, or of this one by name.
    pub fn waits_on(&self, person: &str) -> bool {
        let is_meant = |name: &str| is_name_of(name, person);
        self.waiting_on == Some(Turn::Reviewer)
            && self.waiting_on_name.as_deref().is_none_or(is_meant)
    }
}

/// The row details of a session: the fields of its mapping.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the fields are those of the format")]
pub struct SessionRow {
    #[serde(serialize_with = "crate::sensitive::serialize_shown")]
    pub session_id: String,
    pub thread_root_post_id: String,
    pub short_id: String,
    pub mattermost_user_id: String,
    pub dm_channel_id: String,
    pub project_name: String,
    pub directory: String,
    pub session_title: Option<String>,
    pub last_activity_at: String,
    pub ended_at: Option<String>,
    /// Whether the directory exists; `None` if not checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directory_exists: Option<bool>,
    /// The address of the chat thread; `None` if it was not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chat_address: Option<String>,
    /// The last posts of the chat thread, the oldest first; `None` if they were not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_posts: Option<Vec<ChatPost>>,
    /// The rule of the session map that its entry violates, if it is shown anyway.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub breach: Option<String>,
}

/// Threads, and other diagnostics.
#[derive(Debug, Default, Serialize)]
pub struct Listing<T> {
    /// The threads, most recently changed first.
    pub threads: Vec<T>,
    /// Diagnostics of no listed thread; those of a thread are in its row.
    pub diagnostics: Vec<FileDiagnostic>,
}

/// The effect of a command on a review thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum WriteAction {
    Added,
    Drafted,
    Submitted,
    Replied,
    Resolved,
    Proposed,
    Reopened,
    Edited,
    Deleted,
    Restored,
    Unchanged,
}

/// The result of a command that changes a review thread.
#[derive(Clone, Debug, Serialize)]
pub struct WriteResult {
    pub kind: Kind,
    pub id: String,
    /// Its file, which may have been removed.
    #[serde(serialize_with = "serialize_path")]
    pub file: PathBuf,
    /// The location, counted from 1: `src/a.rs:12-14`; the stored one, or the current one of the
    /// code.
    pub at: String,
    /// The effect.
    pub action: WriteAction,
    /// Its status afterwards.
    pub status: &'static str,
    /// Whose turn it is afterwards, if it is open.
    #[serde(skip)]
    pub waiting_on: Option<Turn>,
    /// The comment that was written or edited.
    pub comment: Option<String>,
    /// The commented lines, if a comment was added.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub code: Vec<String>,
    /// Problems of the file.
    pub diagnostics: Vec<FileDiagnostic>,
}

/// A thread with its complete content.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ThreadView {
    /// Its row in a list.
    #[serde(flatten)]
    pub row: ThreadRow,
    /// The part that depends on the kind.
    #[serde(flatten)]
    pub body: ThreadBody,
}

impl ThreadView {
    /// Returns the comments and the code of a review thread.
    pub fn review_body(&self) -> Option<&ReviewBody> {
        if let ThreadBody::Review(body) = &self.body { Some(body) } else { None }
    }

    /// Returns the placement of a review thread.
    pub fn placement(&self) -> Option<&PlacementView> {
        self.review_body()?.placement.as_ref()
    }

    /// Returns the current file of the code of a review thread.
    pub fn path(&self) -> Option<&str> {
        self.placement().map(|at| at.path.as_str())
    }

    /// Returns whose turn it is in a review thread.
    pub fn waiting_on(&self) -> Option<Turn> {
        self.row.review()?.waiting_on
    }
}

/// The part of a view that depends on the kind of thread.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum ThreadBody {
    /// Of a review thread.
    Review(ReviewBody),
    /// Of a checkpoint.
    Checkpoint(CheckpointBody),
    /// Of a session: everything is in the row.
    Session {},
}

/// The content of a review thread.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ReviewBody {
    /// The comments, in order.
    pub comments: Vec<CommentView>,
    /// The hunk that was commented on.
    pub patch: Option<String>,
    /// The current location of the code.
    pub placement: Option<PlacementView>,
    /// The text that was commented on, if it is stored.
    pub selection: Option<String>,
    /// The commit that was checked out when the thread was started.
    pub base_commit: Option<String>,
    /// The current code, with context lines.
    pub code: Option<ExcerptView>,
}

/// Lines of a current file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExcerptView {
    /// The file, relative to the workspace.
    pub path: String,
    /// The number of the first line, counted from 0.
    pub start_line: u32,
    /// The lines, without line endings.
    pub lines: Vec<String>,
}

/// A comment.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CommentView {
    /// Its id.
    pub id: String,
    /// The author.
    pub author: String,
    /// Whether the author is an agent.
    pub agent: bool,
    /// When it was written.
    pub created_at: Option<Time>,
    /// The text, in Markdown.
    pub body: String,
}

/// The lists of a checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CheckpointBody {
    /// The files touched.
    pub files: Vec<TouchedFile>,
    /// The next steps.
    pub next_steps: Vec<StepView>,
    /// The commits made.
    pub commits_made: Vec<String>,
    /// The agent's session.
    pub session_id: Option<String>,
    /// The event that triggered the hook.
    pub trigger: Option<String>,
    /// The root of the workspace as stored.
    pub workspace_root: Option<String>,
    /// Fields that the format does not define.
    pub other: Vec<UnknownField>,
}

/// A file that was touched.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TouchedFile {
    /// Its path as stored.
    pub path: String,
    /// Why it was touched.
    pub reason: Option<String>,
    /// Whether it was deleted.
    pub deleted: bool,
}

/// A step of a checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepView {
    /// Its id.
    pub id: String,
    /// The text of the step.
    pub step: String,
    /// Its status.
    pub status: String,
    /// When it was closed, as stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<String>,
    /// Who closed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_by: Option<String>,
    /// A note about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl From<checkpoint::Step> for StepView {
    fn from(step: checkpoint::Step) -> Self {
        Self {
            id: redacted(step.id),
            step: redacted(step.step),
            status: redacted(step.status.as_str().to_owned()),
            closed_at: step.closed_at.map(redacted),
            closed_by: step.closed_by.map(redacted),
            note: step.note.map(redacted),
        }
    }
}
