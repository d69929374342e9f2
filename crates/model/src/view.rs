//! Plain data: what the use cases return, and the JSON of every frontend.
//!
//! Fields may be added and are never removed. `docs/json.md` describes them.

mod checkpoint_row;
mod diff;
mod holder;
mod other;
mod placement;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};
use skein_format::checkpoint;
use skein_format::diagnostic::{Code, Diagnostic, Severity};
use skein_format::redact::redacted;
use skein_format::review;
use skein_format::time::Time;

use crate::kind::Kind;
use crate::person_names::is_name_of;
use crate::turn::Turn;
pub use checkpoint_row::{CheckpointRow, GitSummary, WorkerSummary};
pub use diff::{Diff, DiffFile, DiffHunk, DiffLine, DiffLineKind, DiffStatus};
pub use holder::ResumeLockHolder;
pub use other::{UnknownField, UnknownValue};
pub use placement::{PlacementState, PlacementView};

/// Serialises a path as text; bytes that are not UTF-8 are replaced.
pub fn serialize_path<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}

/// A finding with the file it is in.
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
    /// A sentence for a person.
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

    /// Returns the code that the finding has.
    pub fn code(&self) -> Option<Code> {
        Code::ALL.iter().copied().find(|code| code.as_str() == self.code)
    }
}

/// A thread in a list.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ThreadRow {
    /// Its kind.
    pub kind: Kind,
    /// Its id.
    #[serde(serialize_with = "crate::sensitive::serialize_shown")]
    pub id: String,
    /// What it is about, in a line.
    pub title: String,
    /// The file that it is in.
    #[serde(serialize_with = "serialize_path")]
    pub file: PathBuf,
    /// Its status, where it has one.
    pub status: Option<Cow<'static, str>>,
    /// When it was started.
    pub created_at: Option<Time>,
    /// When it was last changed.
    pub updated_at: Option<Time>,
    /// Whether it can be used; if not, `diagnostics` says why.
    pub usable: bool,
    /// What is wrong with it.
    pub diagnostics: Vec<FileDiagnostic>,
    /// The branch of its worktree, where threads of several worktrees are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// What only its kind has.
    #[serde(flatten)]
    pub detail: RowDetail,
}

impl ThreadRow {
    /// Marks the thread as a draft, which only its author sees and which has no turn.
    pub fn mark_draft(&mut self) {
        self.status = self.status.take().map(|_| "draft".into());
        if let RowDetail::Review(detail) = &mut self.detail {
            (detail.waiting_on, detail.waiting_on_name) = (None, None);
        }
    }

    /// Returns the time to order by: the last change, but never later than now.
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

    /// Returns the one that has taken the work of a checkpoint.
    pub fn holder(&self) -> Option<&ResumeLockHolder> {
        self.checkpoint()?.taken.as_deref()
    }

    /// Returns whether nothing is known of the thread but its file's name.
    pub fn is_unreadable(&self) -> bool {
        self.diagnostics.first().is_some_and(|diag| diag.code == Code::FileUnreadable.as_str())
    }
}

/// What only one kind of thread has.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum RowDetail {
    /// Of a review thread.
    Review(ReviewRow),
    /// Of a session.
    Session(Box<SessionRow>),
    /// Of a checkpoint.
    Checkpoint(Box<CheckpointRow>),
}

/// What a review thread has.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ReviewRow {
    /// What is under review.
    pub target: Option<ReviewTarget>,
    /// The place, counted from 1: `src/a.rs:12-14`.
    pub at: Option<String>,
    /// Whose turn it is.
    pub waiting_on: Option<Turn>,
    /// The person or agent whose turn it is, where someone in particular is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_on_name: Option<Box<str>>,
    /// The number of comments.
    pub comment_count: usize,
    /// Who wrote the last one.
    pub last_author: Option<String>,
    /// Whether it was an agent who resolved it.
    pub resolved_by_agent: bool,
    /// Whether an agent proposes to resolve it, which the reviewer can accept by resolving it.
    pub proposed_resolved: bool,
    /// Who works on it, and until when; a claim that is over does not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<Box<ClaimedBy>>,
    /// The branch that was checked out when the thread was started, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_on: Option<Box<str>>,
    /// Whether that is another branch, which is not merged into what is checked out.
    #[serde(skip)]
    pub is_of_other_branch: bool,
    /// What is known of the place: see [`PlacementView::state`]. Only where threads were placed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<PlacementState>,
    /// How sure the place is, from 0 to 1. Only where threads were placed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f32>,
}

impl ReviewRow {
    /// Returns the branch that the thread was started on, where its code is gone and that branch is not merged into what is
    /// checked out: the code may be there.
    pub fn other_branch(&self) -> Option<&str> {
        let is_there = self.state == Some(PlacementState::Gone) && self.is_of_other_branch;
        self.started_on.as_deref().filter(|_| is_there)
    }

    /// Returns whether it is the turn of a person: of any reviewer, or of this one in particular.
    pub fn waits_on(&self, person: &str) -> bool {
        let is_meant = |name: &str| is_name_of(name, person);
        self.waiting_on == Some(Turn::Reviewer)
            && self.waiting_on_name.as_deref().is_none_or(is_meant)
    }
}

/// Who works on a thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClaimedBy {
    /// The name of the claimant.
    pub by: String,
    /// When the claim ends by itself.
    pub until: Time,
}

impl ClaimedBy {
    /// Returns whether the claimant is the one that a name means.
    pub fn is_by(&self, name: &str) -> bool {
        is_name_of(name, &self.by)
    }
}

/// What is under review.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReviewTarget {
    /// The file, relative to the workspace.
    pub path: String,
    /// The characters, counted from 0; none for the whole file.
    pub range: Option<TargetRange>,
}

/// A range of characters, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the fields are those of the format")]
pub struct TargetRange {
    pub start_line: u32,
    pub start_character: u32,
    pub end_line: u32,
    pub end_character: u32,
}

impl From<review::Range> for TargetRange {
    fn from(range: review::Range) -> Self {
        let review::Range { start_line, start_character, end_line, end_character } = range;
        Self { start_line, start_character, end_line, end_character }
    }
}

impl From<TargetRange> for review::Range {
    fn from(range: TargetRange) -> Self {
        let TargetRange { start_line, start_character, end_line, end_character } = range;
        Self { start_line, start_character, end_line, end_character }
    }
}

/// What a session has: the fields of its mapping.
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
    /// Whether the directory exists; none where it was not checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directory_exists: Option<bool>,
    /// The rule of the map's contract that its entry breaks, where it is shown anyway.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub breach: Option<String>,
}

/// Threads, and what is wrong apart from them.
#[derive(Debug, Default, Serialize)]
pub struct Listing<T> {
    /// The threads, the last changed first.
    pub threads: Vec<T>,
    /// Findings that belong to no thread listed; those of a thread are in it.
    pub diagnostics: Vec<FileDiagnostic>,
}

/// What a command did to a review thread.
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

/// What became of a review thread by a command.
#[derive(Clone, Debug, Serialize)]
pub struct WriteResult {
    /// Its kind.
    pub kind: Kind,
    /// Its id.
    pub id: String,
    /// The file that it is in, or was.
    #[serde(serialize_with = "serialize_path")]
    pub file: PathBuf,
    /// The place, counted from 1: `src/a.rs:12-14`; the one that its file names, or where its code is now.
    pub at: String,
    /// What was done.
    pub action: WriteAction,
    /// Its status afterwards.
    pub status: &'static str,
    /// The comment that was written or edited.
    pub comment: Option<String>,
    /// The lines that a comment was added on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub code: Vec<String>,
    /// Problems of the file.
    pub diagnostics: Vec<FileDiagnostic>,
}

/// A thread with everything that is in it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ThreadView {
    /// What the list shows of it.
    #[serde(flatten)]
    pub row: ThreadRow,
    /// What only its kind has.
    #[serde(flatten)]
    pub body: ThreadBody,
}

impl ThreadView {
    /// Returns the comments and the code of a review thread.
    pub fn review_body(&self) -> Option<&ReviewBody> {
        if let ThreadBody::Review(body) = &self.body { Some(body) } else { None }
    }

    /// Returns where the code of a review thread is.
    pub fn placement(&self) -> Option<&PlacementView> {
        self.review_body()?.placement.as_ref()
    }

    /// Returns the file that a review thread is on, where its code is now.
    pub fn path(&self) -> Option<&str> {
        self.placement().map(|at| at.path.as_str())
    }

    /// Returns whose turn it is in a review thread.
    pub fn waiting_on(&self) -> Option<Turn> {
        self.row.review()?.waiting_on
    }
}

/// What only one kind of thread has, apart from its row.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum ThreadBody {
    /// Of a review thread.
    Review(ReviewBody),
    /// Of a checkpoint.
    Checkpoint(CheckpointBody),
    /// Of a session: the row has it all.
    Session {},
}

/// A discussion.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ReviewBody {
    /// The comments, in order.
    pub comments: Vec<CommentView>,
    /// The hunk that was commented on.
    pub patch: Option<String>,
    /// Where the code is now.
    pub placement: Option<PlacementView>,
    /// The text that was commented on, where the thread keeps it.
    pub selection: Option<String>,
    /// The commit that was checked out when the thread was started.
    pub base_commit: Option<String>,
    /// The code as it is now, with some lines around.
    pub code: Option<ExcerptView>,
}

/// Lines of a file as it is now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExcerptView {
    /// The file, relative to the workspace.
    pub path: String,
    /// The number of the first line, counted from 0.
    pub start_line: u32,
    /// The lines, without their ends.
    pub lines: Vec<String>,
}

/// A comment.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CommentView {
    /// Its id.
    pub id: String,
    /// Who wrote it.
    pub author: String,
    /// Whether that is an agent.
    pub agent: bool,
    /// When.
    pub created_at: Option<Time>,
    /// Markdown.
    pub body: String,
}

/// The lists of a checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CheckpointBody {
    /// The files touched.
    pub files: Vec<TouchedFile>,
    /// What is left to do.
    pub next_steps: Vec<StepView>,
    /// The commits made.
    pub commits_made: Vec<String>,
    /// The agent's session.
    pub session_id: Option<String>,
    /// What set off the hook.
    pub trigger: Option<String>,
    /// The root of the workspace as written.
    pub workspace_root: Option<String>,
    /// What the format does not know.
    pub other: Vec<UnknownField>,
}

/// A file that was touched.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TouchedFile {
    /// Its path as written.
    pub path: String,
    /// Why.
    pub reason: Option<String>,
    /// Whether it was deleted.
    pub deleted: bool,
}

/// Something left to do.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepView {
    /// Its id.
    pub id: String,
    /// What is to be done.
    pub step: String,
    /// What became of it.
    pub status: String,
    /// When it was closed, as written.
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
