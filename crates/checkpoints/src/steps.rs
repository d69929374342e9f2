//! The next steps of all checkpoints as one list.

use std::borrow::Cow;
use std::collections::HashSet;

use serde::Serialize;
use skein_catalog::ShortIds;
use skein_catalog::checkpoint_rows::rows_with;
use skein_catalog::checkpoint_state::States;
use skein_catalog::find::find_checkpoint;
use skein_catalog::rows::Rows;
use skein_catalog::rows::checkpoint::row;
use skein_catalog::thread_names::checkpoint_names;
use skein_format::checkpoint::{CheckpointDoc, CheckpointFileKind, Step, is_final};
use skein_format::redact::redacted;
use skein_format::time::Time;
use skein_model::normalize_path::stem;
use skein_model::view::{CheckpointRow, FileDiagnostic, ThreadRow};
use skein_model::{Filter, Kind};
use skein_workspace::Workspace;

use super::error::CheckpointError;

/// A step with the checkpoint that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StepRow {
    /// The shortest handle: `cache-eviction#2`.
    pub handle: String,
    /// Its id, or the checkpoint's id with its number.
    #[serde(serialize_with = "skein_model::sensitive::serialize_shown")]
    pub id: String,
    /// The id of the checkpoint.
    #[serde(serialize_with = "skein_model::sensitive::serialize_shown")]
    pub thread: String,
    /// The title of the checkpoint.
    pub title: String,
    /// Its position in the list of the checkpoint, from 1.
    pub number: usize,
    /// The text of the step.
    pub step: String,
    /// The status: `open`, `done`, `dropped`, or another value from the file.
    pub status: String,
    /// The final status of the checkpoint, if it has ended: `done`, `cancelled`, or another value from the file.
    pub ended: Option<String>,
    /// When it was closed, as written.
    pub closed_at: Option<String>,
    /// The name of the person or agent that closed it.
    pub closed_by: Option<String>,
    /// A note about it.
    pub note: Option<String>,
    /// When the checkpoint was last changed.
    pub updated_at: Option<Time>,
    /// The file of the checkpoint.
    pub file: String,
}

/// Steps, and problems that belong to none of them.
#[derive(Debug, Default, Serialize)]
pub struct StepList {
    /// The steps, grouped by checkpoint, the last changed checkpoint first.
    pub steps: Vec<StepRow>,
    /// Problems that belong to no step listed.
    pub diagnostics: Vec<FileDiagnostic>,
}

/// Selects steps.
#[derive(Clone, Debug, Default)]
pub struct StepsQuery {
    /// Only steps of checkpoints that match.
    pub filter: Filter,
    /// Only steps of this checkpoint.
    pub thread: Option<String>,
    /// Whether closed steps are included.
    pub all: bool,
}

/// Lists steps of all checkpoints, each of which is read once.
pub fn steps(workspace: &Workspace, query: &StepsQuery) -> Result<StepList, CheckpointError> {
    let names = checkpoint_names(&workspace.checkpoints);
    let handles = ShortIds::new(&names);
    let now = workspace.env.clock.now();
    if let Some(text) = &query.thread {
        let (form, path) = find_checkpoint(workspace, text)?;
        let id = stem(&path);
        let bytes = skein_store::read(&path)?.bytes;
        let mut row = row(&bytes, &path, form);
        States::read(&workspace.checkpoints, now).mark(&mut row);
        let doc = CheckpointDoc::parse(bytes, &id, form).0;
        let steps = of_doc(&doc, &row, &handles, query.all);
        return Ok(StepList { steps, diagnostics: Vec::new() });
    }
    let keep = |row: &ThreadRow, bytes: &[u8], form: CheckpointFileKind| {
        let is_open = |detail: &CheckpointRow| detail.open_steps > 0 && !detail.is_over;
        if !query.all && !row.checkpoint().is_some_and(is_open) {
            return Vec::new();
        }
        let doc = CheckpointDoc::parse(bytes.to_vec(), &row.id, form).0;
        of_doc(&doc, row, &handles, query.all)
    };
    let mut filter = query.filter.clone();
    filter.kind = Some(Kind::Checkpoint);
    let mut all: Vec<(i64, Vec<StepRow>)> = Vec::new();
    let mut rows = Rows::default();
    for (row, steps) in rows_with(&workspace.checkpoints, &filter, now, &keep, &mut rows) {
        let at = row.effective_time(now).map_or(i64::MIN, Time::as_millis);
        all.push((at, steps));
    }
    all.retain(|(_, steps)| !steps.is_empty());
    let id = |steps: &[StepRow]| steps.first().map(|step| step.thread.clone());
    all.sort_by(|(at, a), (other, b)| other.cmp(at).then_with(|| id(a).cmp(&id(b))));
    let steps = all.into_iter().flat_map(|(_, steps)| steps).collect();
    let unusable = rows.rows.iter().filter(|row| !row.usable);
    let mut diagnostics = rows.diagnostics;
    diagnostics.extend(unusable.flat_map(|row| row.diagnostics.iter().take(1).cloned()));
    Ok(StepList { steps, diagnostics })
}

fn of_doc(doc: &CheckpointDoc, row: &ThreadRow, handles: &ShortIds, all: bool) -> Vec<StepRow> {
    let steps = doc.steps();
    let wanted = |step: &&Step| all || step.status.is_open();
    let handle = handles.short_id(row);
    let used = UsedNumbers::new(&steps, &row.id);
    steps.iter().filter(wanted).map(|step| step_row(step, &used, row, &handle)).collect()
}

/// Returns the row of a step; `handle` is that of its checkpoint.
pub(super) fn step_row(
    step: &Step,
    used: &UsedNumbers<'_>,
    row: &ThreadRow,
    handle: &str,
) -> StepRow {
    StepRow {
        handle: redacted(format!("{handle}#{}", used.suffix(step))),
        id: step.id.clone(),
        thread: row.id.clone(),
        title: row.title.clone(),
        number: step.number,
        step: redacted(step.step.clone()),
        status: redacted(step.status.as_str().to_owned()),
        ended: ended(row),
        closed_at: step.closed_at.clone().map(redacted),
        closed_by: step.closed_by.clone().map(redacted),
        note: step.note.clone().map(redacted),
        updated_at: row.updated_at,
        file: row.file.display().to_string(),
    }
}

/// Returns the final status of a checkpoint; none if it has not ended.
fn ended(row: &ThreadRow) -> Option<String> {
    let is_over = row.checkpoint().is_some_and(|detail| detail.is_over);
    row.status.as_deref().filter(|status| is_over && is_final(status)).map(str::to_owned)
}

/// The numbers that the ids of a checkpoint's steps use, as in `T-1#2`.
pub(super) struct UsedNumbers<'a> {
    thread: &'a str,
    numbers: HashSet<&'a str>,
}

impl<'a> UsedNumbers<'a> {
    pub(super) fn new(steps: &'a [Step], thread: &'a str) -> Self {
        let numbers = steps.iter().filter_map(|step| own_number(step, thread)).collect();
        Self { thread, numbers }
    }

    /// Returns the part of the handle after `#`: the number in the step's id, else its position, else its whole id.
    fn suffix<'s>(&self, step: &'s Step) -> Cow<'s, str> {
        if let Some(number) = own_number(step, self.thread) {
            return number.into();
        }
        let number = step.number.to_string();
        if self.numbers.contains(number.as_str()) { step.id.as_str().into() } else { number.into() }
    }
}

fn own_number<'a>(step: &'a Step, thread: &str) -> Option<&'a str> {
    step.id.strip_prefix(thread)?.strip_prefix('#')
}
