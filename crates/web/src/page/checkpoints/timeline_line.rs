//! A checkpoint as a line of the timeline.

use askama::Template;
use skein_live::TimelineEntry;
use skein_model::sanitize::one_line;
use skein_model::view::{CheckpointRow, GitSummary, ThreadRow};
use skein_model::{LocalClock, Sensitive};

use super::worker_diagram::WorkerDiagram;
use crate::encode::encode;
use crate::markdown::plain;
use crate::page::time;

const MAX_TITLE_LEN: usize = 160;
const MAX_SUMMARY_LEN: usize = 320;
const MAX_TAGS: usize = 6;
/// The number of digits of a commit id that are shown.
const COMMIT_DIGITS: usize = 9;

#[derive(Template)]
#[template(path = "work/timeline_line.html")]
pub(super) struct TimelineLine {
    id: String,
    href: String,
    kind_text: &'static str,
    /// The state of the work; empty if it is open or if the diagram of the worker shows it.
    state: String,
    title: String,
    summary: String,
    git: Option<GitLine>,
    files: usize,
    open_steps: usize,
    tags: Vec<String>,
    worker: Option<WorkerDiagram>,
    at: String,
    usable: bool,
    problem: String,
    is_handoff: bool,
    /// The number of other auto-checkpoints of its session that it represents.
    more: usize,
}

/// The state of a repository.
pub(super) struct GitLine {
    pub(super) branch: String,
    pub(super) commit: String,
    pub(super) dirty: Option<bool>,
}

impl GitLine {
    pub(super) fn new(git: &GitSummary) -> Self {
        let commit = one_line(git.current_commit.as_deref().unwrap_or_default());
        Self {
            branch: git.branch.as_ref().map_or_else(String::new, |it| one_line(&it.redacted())),
            commit: commit.chars().take(COMMIT_DIGITS).collect(),
            dirty: git.dirty,
        }
    }
}

impl TimelineLine {
    /// Makes the line of a checkpoint, which represents `more` others; `handoff` is the last handoff.
    pub(super) fn new(
        entry: &TimelineEntry,
        handoff: Option<&str>,
        more: usize,
        clock: LocalClock,
    ) -> Self {
        let row = &entry.row;
        let none = CheckpointRow::default();
        let detail = row.checkpoint().unwrap_or(&none);
        let title = one_line(&row.title);
        let summary = detail.summary.as_ref().map(Sensitive::redacted).unwrap_or_default();
        let summary = one_line(&plain(&summary, MAX_SUMMARY_LEN));
        let repeats_title = summary.starts_with(title.trim_end_matches('…'));
        Self {
            id: row.id.clone(),
            href: format!("/work/{}", encode(&row.id)),
            kind_text: kind_text(&detail.kind),
            state: state_text(row, detail, clock),
            title: plain(&title, MAX_TITLE_LEN),
            // A short summary that begins with the title is left out.
            summary: if repeats_title && summary.len() <= MAX_TITLE_LEN {
                String::new()
            } else {
                summary
            },
            git: detail.git.as_ref().map(GitLine::new),
            files: detail.file_count,
            open_steps: entry.open_steps(),
            tags: detail.tags.iter().take(MAX_TAGS).map(|tag| one_line(&tag.redacted())).collect(),
            worker: detail.worker.as_ref().map(|worker| WorkerDiagram::new(worker, true)),
            at: time(entry.made()),
            usable: row.usable,
            problem: row.diagnostics.first().map_or_else(String::new, |it| one_line(&it.message)),
            is_handoff: handoff == Some(row.id.as_str()),
            more,
        }
    }
}

/// Returns the state of the work, and which agent has resumed it until when; empty if it is open.
pub(super) fn state_text(row: &ThreadRow, detail: &CheckpointRow, clock: LocalClock) -> String {
    if let Some(holder) = &detail.taken {
        return one_line(&format!("taken {}", holder.text(clock)));
    }
    let status = row.status.as_deref().unwrap_or_default();
    let worker = detail.worker.as_ref().and_then(|worker| worker.state.as_deref());
    if status == "open" || worker == Some(status) { String::new() } else { one_line(status) }
}

pub(super) fn kind_text(kind: &str) -> &'static str {
    match kind {
        "handoff" => "handoff",
        "auto-checkpoint" => "auto",
        "checkpoint" | "" => "checkpoint",
        _ => "other",
    }
}
