//! The last full checkpoint before an auto-checkpoint.

use serde::Serialize;
use skein_checkpoints::recent_names::RecentNames;
use skein_format::checkpoint::{Checkpoint, CheckpointDoc, Step};
use skein_format::redact::redacted;
use skein_format::time::Time;
use skein_model::truncate::truncate;
use skein_workspace::CheckpointStore;

/// Maximum length of the summary and of a step, and maximum number of steps listed.
const SUMMARY: usize = 1500;
const STEP: usize = 300;
const STEPS: usize = 20;

/// The last full checkpoint before an auto-checkpoint, which itself contains little about the work.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PreviousCheckpoint {
    /// The id of the checkpoint.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// When it was made.
    pub created_at: Option<Time>,
    /// Its age in words.
    pub age: String,
    /// What was done.
    pub summary: Option<String>,
    /// The first open steps.
    pub open_steps: Vec<skein_model::view::StepView>,
    /// The number of open steps.
    pub open_step_count: usize,
}

/// Finds the last full checkpoint that is not later than `id`, by listing the directory and reading a few files.
pub(super) fn before(
    checkpoints: &CheckpointStore,
    (id, head): (&str, &Checkpoint),
    now: Time,
) -> Option<PreviousCheckpoint> {
    let doc = RecentNames::read(checkpoints, Some(id), now).full(checkpoints, id, head)?;
    Some(previous_from_doc(&doc, now))
}

/// Summarizes a full checkpoint.
pub(super) fn previous_from_doc(doc: &CheckpointDoc, now: Time) -> PreviousCheckpoint {
    let head = doc.head();
    let summary = head.summary.as_deref().filter(|text| !text.trim().is_empty());
    let title = head.title.as_deref().filter(|title| !title.trim().is_empty());
    let title = title.or(summary).unwrap_or(doc.stem());
    let open: Vec<Step> = doc.steps().into_iter().filter(|step| step.status.is_open()).collect();
    let open_step_count = open.len();
    let steps = open.into_iter().take(STEPS).map(|step| {
        let mut step = skein_model::view::StepView::from(step);
        step.step = truncate(&step.step, STEP);
        step
    });
    PreviousCheckpoint {
        id: doc.stem().to_owned(),
        title: truncate(&redacted(title.to_owned()), STEP),
        kind: redacted(head.kind.as_str().to_owned()),
        created_at: head.created_at,
        age: skein_model::relative_time::long(head.created_at, now),
        summary: summary.map(|text| truncate(&redacted(text.to_owned()), SUMMARY)),
        open_steps: steps.collect(),
        open_step_count,
    }
}
