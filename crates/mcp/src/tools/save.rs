//! `work_save`: saves what was done and what is next, and closes steps.

use serde::Deserialize;
use serde_json::{Map, Value};
use skein_checkpoints::{
    CheckpointError, Handoff, Save, SaveResult, StepChange, StepRequest, StepWritten, StepsQuery,
    change_steps, handoff, save, steps,
};
use skein_format::redact::redact;
use skein_model::truncate::truncate_line;
use skein_review::quote::inline;
use skein_workspace::repository_summary;

use crate::call::{ToolCall, with_data};
use crate::failure::{Failure, ToolResult};
use crate::params;
use crate::relative_paths::relative_paths;

const MAX_CHARS: usize = 2_000;
const MAX_STEPS: usize = 30;
const MAX_TAGS: usize = 30;
const MAX_FILES: usize = 100;
const MAX_CLOSED: usize = 20;

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Params {
    summary: Option<String>,
    title: Option<String>,
    steps: Vec<String>,
    tags: Vec<String>,
    files: Vec<String>,
    handoff: bool,
    close_steps: Vec<CloseStep>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CloseStep {
    id: String,
    how: Option<CloseAction>,
    note: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum CloseAction {
    Done,
    Drop,
}

pub(super) fn run(call: &ToolCall, arguments: Map<String, Value>) -> ToolResult {
    let params: Params = params::read(arguments)?;
    params::count("steps", &params.steps, 0, MAX_STEPS)?;
    params::count("tags", &params.tags, 0, MAX_TAGS)?;
    params::count("files", &params.files, 0, MAX_FILES)?;
    params::count("close_steps", &params.close_steps, 0, MAX_CLOSED)?;
    let summary = params.summary.as_deref().filter(|text| !text.trim().is_empty());
    if summary.is_none() && params.close_steps.is_empty() {
        return Err(Failure::new("there is nothing to save").hint("give summary or close_steps"));
    }
    let notes = params.close_steps.iter().filter_map(|step| step.note.as_ref());
    let texts = params.steps.iter().chain(&params.title).chain(&params.summary);
    let texts = texts.chain(&params.tags).chain(notes);
    for text in texts {
        params::text("a text", text)?;
    }
    for path in &params.files {
        params::workspace_path(&call.workspace, path.trim_start_matches("./"))?;
    }
    let guard = call.lock();
    drop(skein_checkpoints::catch_up(&call.workspace));
    let mut lines = Vec::new();
    let mut is_written = summary.is_some();
    for step in &params.close_steps {
        match close(call, step) {
            Ok(closed) => {
                is_written = true;
                lines.extend(closed);
            }
            Err(failure) => {
                let id = inline(&truncate_line(&step.id, 60));
                lines.push(format!("failed {id}: {}", failure.line(Some(&call.workspace))));
            }
        }
    }
    if !is_written {
        return Err(Failure::new(lines.join("; ")));
    }
    if let Some(summary) = summary {
        call.check_store()?;
        let saved = write(call, &params, summary)?;
        lines.splice(0..0, report(call, &saved));
    }
    call.finish_write();
    drop(guard);
    Ok(with_data(&lines.join("\n"), MAX_CHARS))
}

fn close(call: &ToolCall, step: &CloseStep) -> Result<Vec<String>, Failure> {
    let request = StepRequest {
        change: match step.how.unwrap_or(CloseAction::Done) {
            CloseAction::Done => StepChange::Done,
            CloseAction::Drop => StepChange::Drop,
        },
        by: call.actor.name.clone(),
        note: step.note.clone(),
    };
    let handle = params::id(&step.id)?.to_owned();
    let changed =
        change_steps(&call.workspace, &[handle], &request).map_err(|error| match error {
            CheckpointError::NoStep { .. } | CheckpointError::Find(_) => {
                Failure::new(error.to_string())
                    .hint("`work_resume` with `what` steps lists the open ones")
            }
            error => error.into(),
        })?;
    let line = |one: &StepWritten| format!("{}: {}", one.action.as_str(), inline(&one.step.handle));
    Ok(changed.iter().map(line).collect())
}

fn write(call: &ToolCall, params: &Params, summary: &str) -> Result<SaveResult, Failure> {
    let Params { title, steps, tags, files, .. } = params;
    let (title, steps) = (title.clone(), steps.clone());
    let (tags, files) = (tags.clone(), files.clone());
    if params.handoff {
        let message = summary.to_owned();
        let new = Handoff { message, title, steps, tags, files, session: None };
        return Ok(handoff(&call.workspace, &new)?.saved);
    }
    let summary = summary.to_owned();
    Ok(save(&call.workspace, &Save { summary, title, steps, tags, files, ..Save::default() })?)
}

/// Returns what was written: the id, the state of git, the new steps, and what was left out.
fn report(call: &ToolCall, saved: &SaveResult) -> Vec<String> {
    let what = if saved.kind == "handoff" { "Handed over in" } else { "Saved" };
    let git = saved.git.as_ref().and_then(repository_summary::of_git);
    let git = git.map(|git| format!(" ({})", inline(&git))).unwrap_or_default();
    let mut lines = vec![format!("{what} {}{git}", inline(&redact(&saved.id)))];
    let query = StepsQuery { thread: Some(saved.id.clone()), ..StepsQuery::default() };
    let new = steps(&call.workspace, &query).map(|list| list.steps).unwrap_or_default();
    if !new.is_empty() {
        let handles: Vec<_> = new.iter().map(|step| inline(&step.handle)).collect();
        lines.push(truncate_line(&format!("next: {}", handles.join(", ")), 1_000));
    }
    let notes = saved.notes.iter().map(|note| relative_paths(note, &call.workspace));
    lines.extend(notes.map(|note| truncate_line(&note, 300)));
    lines
}
