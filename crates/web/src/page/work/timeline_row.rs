//! A checkpoint as a line of the timeline.

use askama::Template;
use skein_live::TimelineEntry;
use skein_model::sanitize::one_line;
use skein_model::view::{CheckpointRow, GitSummary, RowDetail, ThreadRow};
use skein_model::{LocalClock, Sensitive};

use super::worker_diagram::Machine;
use crate::encode::encode;
use crate::markdown::plain;

/// How many characters of a title and of a summary are shown.
const TITLE: usize = 160;
const SUMMARY: usize = 320;
/// How many tags are shown.
const TAGS: usize = 6;
/// How many digits of a commit are shown.
const COMMIT: usize = 9;

/// A checkpoint in the timeline.
#[derive(Template)]
#[template(path = "work/moment.html")]
pub(super) struct Moment {
    id: String,
    href: String,
    kind_text: &'static str,
    /// What became of the work; nothing where it is open or a worker shows its state.
    state: String,
    title: String,
    summary: String,
    git: Option<GitLine>,
    files: usize,
    open_steps: usize,
    tags: Vec<String>,
    machine: Option<Machine>,
    at: String,
    usable: bool,
    problem: String,
    is_handoff: bool,
    /// How many more auto-checkpoints of its session it represents.
    more: usize,
}

/// The state of a repository in a few words.
pub(super) struct GitLine {
    pub(super) branch: String,
    pub(super) commit: String,
    pub(super) dirty: Option<bool>,
}

impl GitLine {
    pub(super) fn new(git: &GitSummary) -> Self {
        let commit = one_line(git.current_commit.as_deref().unwrap_or_default());
        Self {
            branch: git
                .branch
                .as_ref()
                .map(|branch| one_line(&branch.redacted()))
                .unwrap_or_default(),
            commit: commit.chars().take(COMMIT).collect(),
            dirty: git.dirty,
        }
    }
}

impl Moment {
    /// Makes the line of a checkpoint, which represents `more` others; `handoff` is the one that was handed over last.
    pub(super) fn new(
        entry: &TimelineEntry,
        handoff: Option<&str>,
        more: usize,
        clock: LocalClock,
    ) -> Self {
        let row = &entry.row;
        let none = CheckpointRow::default();
        let detail = match &row.detail {
            RowDetail::Checkpoint(detail) => detail,
            _ => &none,
        };
        let title = one_line(&row.title);
        let summary = detail.summary.as_ref().map(Sensitive::redacted).unwrap_or_default();
        let summary = one_line(&plain(&summary, SUMMARY));
        let is_said = summary.starts_with(title.trim_end_matches('…'));
        Self {
            id: row.id.clone(),
            href: format!("/work/{}", encode(&row.id)),
            kind_text: kind_text(&detail.kind),
            state: state_text(row, detail, clock),
            title: plain(&title, TITLE),
            // Where the title is the start of the summary, the rest of it is in the summary.
            summary: if is_said && summary.len() <= TITLE { String::new() } else { summary },
            git: detail.git.as_ref().map(GitLine::new),
            files: detail.file_count,
            open_steps: entry.open_steps(),
            tags: detail.tags.iter().take(TAGS).map(|tag| one_line(&tag.redacted())).collect(),
            machine: detail.worker.as_ref().map(|worker| Machine::new(worker, true)),
            at: entry.made().map(|at| at.to_string()).unwrap_or_default(),
            usable: row.usable,
            problem: row
                .diagnostics
                .first()
                .map(|diag| one_line(&diag.message))
                .unwrap_or_default(),
            is_handoff: handoff == Some(row.id.as_str()),
            more,
        }
    }
}

/// Says what became of the work, and who has taken it until when; nothing where it is open.
pub(super) fn state_text(row: &ThreadRow, detail: &CheckpointRow, clock: LocalClock) -> String {
    if let Some(holder) = &detail.taken {
        return one_line(&format!("taken {}", holder.text(clock)));
    }
    let status = row.status.as_deref().unwrap_or_default();
    let worker = detail.worker.as_ref().and_then(|worker| worker.state.as_deref());
    if status == "open" || worker == Some(status) { String::new() } else { one_line(status) }
}

/// Returns the word for a type of checkpoint.
pub(super) fn kind_text(kind: &str) -> &'static str {
    match kind {
        "handoff" => "handoff",
        "auto-checkpoint" => "auto",
        "checkpoint" | "" => "checkpoint",
        _ => "other",
    }
}
