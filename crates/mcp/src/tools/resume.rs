//! `work_resume`: what earlier sessions did, and what is left to do.

use serde::Deserialize;
use serde_json::{Map, Value};
use skein_catalog::{ShortIds, WorktreeScope, list};
use skein_checkpoints::{CheckpointError, StepRow, StepsQuery, steps};
use skein_format::id::CheckpointId;
use skein_format::redact::redact;
use skein_model::sanitize::escape_control;
use skein_model::view::ThreadRow;
use skein_model::{Filter, Kind, Sensitive, relative_time};
use skein_review::quote::inline;
use skein_summary::{Brief, BriefError, BriefReader, brief};

use super::threads::{fitting, matching_ids};
use crate::call::{ToolCall, find_failure, shown_id, with_data};
use crate::failure::ToolResult;
use crate::page::PageKey;
use crate::params;

const MAX_CHARS: usize = 10_000;
const DEFAULT_LIMIT: usize = 20;
const LIST_ALL: &str = "`work_resume` with `what` list lists the checkpoints";

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Params {
    id: Option<String>,
    what: ResumeContent,
    query: Option<String>,
    #[serde(deserialize_with = "params::number")]
    limit: Option<u32>,
    cursor: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ResumeContent {
    #[default]
    Brief,
    List,
    Steps,
}

pub(super) fn run(call: &ToolCall, arguments: Map<String, Value>) -> ToolResult {
    let params: Params = params::read(arguments)?;
    if !call.read_only {
        // Checkpoints of sandboxed agents are moved to the store; one that fails now is moved later.
        drop(skein_checkpoints::catch_up(&call.workspace));
    }
    let given = |name: &'static str, is_given: bool| (name, is_given);
    let (id, query) = (given("id", params.id.is_some()), given("query", params.query.is_some()));
    let limit = given("limit", params.limit.is_some());
    let cursor = given("cursor", params.cursor.is_some());
    match params.what {
        ResumeContent::Brief => params::unused("what: brief", &[query, limit, cursor])?,
        ResumeContent::List => params::unused("what: list", &[id])?,
        ResumeContent::Steps => params::unused("what: steps", &[query])?,
    }
    match params.what {
        ResumeContent::Brief => brief_text(call, params.id.as_deref()),
        ResumeContent::List => list_checkpoints(call, &params),
        ResumeContent::Steps => list_steps(call, &params),
    }
}

/// Returns the brief of a checkpoint, or of the work that is open here.
pub(crate) fn brief_text(call: &ToolCall, id: Option<&str>) -> ToolResult {
    let id = id.map(params::id).transpose()?;
    match brief(&call.workspace, id) {
        Ok(brief) => {
            let text = brief.text_for(BriefReader::Tools, Brief::LIMIT);
            Ok(escape_control(&text).into_owned())
        }
        Err(BriefError::Nothing { .. }) => {
            Ok("Nothing to resume: there is no checkpoint yet.".to_owned())
        }
        Err(BriefError::AllDone { last }) => {
            let last = inline(&redact(&last));
            Ok(format!("Nothing to resume: all work is done; the last checkpoint is {last}."))
        }
        Err(BriefError::Find(error)) => Err(find_failure(&error, LIST_ALL)),
        Err(error) => Err(error.into()),
    }
}

fn list_checkpoints(call: &ToolCall, params: &Params) -> ToolResult {
    let limit = params::limit(params.limit, DEFAULT_LIMIT)?;
    let filters = ("list", &params.query);
    let after = params.cursor.as_deref().map(|text| PageKey::from_cursor(text, &filters));
    let after = after.transpose()?;
    let filter = Filter { kind: Some(Kind::Checkpoint), ..Filter::default() };
    let mut rows = list(&call.workspace, &filter, WorktreeScope::ThisWorktree).threads;
    if let Some(query) = &params.query {
        let found = matching_ids(call, query)?;
        rows.retain(|row| found.contains(&row.id));
    }
    let total = rows.len();
    rows.sort_by_key(|row| PageKey::of_row(row));
    rows.retain(|row| after.as_ref().is_none_or(|after| PageKey::of_row(row) > *after));
    let first = total - rows.len();
    let short_ids = call.short_ids();
    let lines: Vec<_> = rows.iter().take(limit).map(|row| line(call, &short_ids, row)).collect();
    let (shown, text) = fitting(&lines);
    let last = first + shown;
    let range = match shown {
        0 => "none shown".to_owned(),
        _ => format!("{} to {last} shown, newest first", first + 1),
    };
    let next = rows.get(shown.wrapping_sub(1)).filter(|_| last < total);
    let cursor = next.map(|row| format!("cursor: {}", PageKey::of_row(row).cursor(&filters)));
    let cursor = cursor.unwrap_or_default();
    Ok(with_data(&format!("Checkpoints: {total}; {range}\n{text}{cursor}"), MAX_CHARS))
}

fn line(call: &ToolCall, short_ids: &ShortIds, row: &ThreadRow) -> String {
    let id = redact(&short_ids.short_id(row)).into_owned();
    let mut facts = Vec::new();
    if let Some(detail) = row.checkpoint() {
        facts.push(shown_id(&detail.kind));
        facts.extend(row.status.as_deref().map(shown_id));
        facts.extend((detail.open_steps > 0).then(|| format!("open steps: {}", detail.open_steps)));
        let branch = detail.git.as_ref().and_then(|git| git.branch.as_ref());
        facts.extend(
            branch.map(|branch| format!("branch {}", inline(&Sensitive::redacted(branch)))),
        );
    }
    facts.push(relative_time::short(row.updated_at, call.workspace.env.clock.now()));
    format!("{} ({}): {}", inline(&id), facts.join(", "), inline(&redact(&row.title)))
}

fn list_steps(call: &ToolCall, params: &Params) -> ToolResult {
    let limit = params::limit(params.limit, DEFAULT_LIMIT)?;
    let filters = ("steps", &params.id);
    let after = params.cursor.as_deref().map(|text| PageKey::from_cursor(text, &filters));
    let after = after.transpose()?;
    let thread = params.id.as_deref().map(params::id).transpose()?.map(str::to_owned);
    let query = StepsQuery { thread, ..StepsQuery::default() };
    let listed = steps(&call.workspace, &query).map_err(|error| match error {
        CheckpointError::Find(error) => find_failure(&error, LIST_ALL),
        error => error.into(),
    })?;
    let total = listed.steps.len();
    // The order must not change when a step is closed, so that the next page begins where the last one ended.
    let mut keyed: Vec<(PageKey, StepRow)> =
        listed.steps.into_iter().map(|step| (step_key(&step), step)).collect();
    keyed.sort_by(|(a, _), (b, _)| a.cmp(b));
    keyed.retain(|(key, _)| after.as_ref().is_none_or(|after| key > after));
    let now = call.workspace.env.clock.now();
    let line = |(_, step): &(PageKey, StepRow)| {
        let age = relative_time::short(step.updated_at, now);
        format!("{} ({age}): {}", inline(&step.handle), inline(&step.step))
    };
    let lines: Vec<_> = keyed.iter().take(limit).map(line).collect();
    let (shown, text) = fitting(&lines);
    let next = keyed.get(shown.wrapping_sub(1)).filter(|_| shown < keyed.len());
    let cursor = next.map(|(key, _)| format!("cursor: {}", key.cursor(&filters)));
    let cursor = cursor.unwrap_or_default();
    Ok(with_data(&format!("Open steps: {total}\n{text}{cursor}"), MAX_CHARS))
}

/// Returns the place of a step: newer checkpoints first, by the time in their ids, and then the number.
fn step_key(step: &StepRow) -> PageKey {
    let created = CheckpointId::parse(&step.thread).and_then(|id| id.time());
    PageKey::new(created, &format!("{} {:06}", step.thread, step.number))
}
