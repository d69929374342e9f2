//! Prints threads that were changed.

use serde_json::json;
use skein_delivery::consent;
use skein_model::sanitize::{escape_control, one_line};
use skein_model::view::{WriteAction, WriteResult};
use skein_workspace::Actor;

use super::CliContext;
use crate::error::CliResult;
use crate::render::{style, text};

/// Prints threads that were changed, with notes and warnings.
pub(super) fn print(
    context: &mut CliContext<'_>,
    threads: &[WriteResult],
    notes: &[String],
) -> CliResult {
    let output = &mut context.output;
    if !output.print_json(&json!({ "threads": threads }))? {
        for thread in threads {
            let action = format!("{} {}  ", action(thread), one_line(&thread.at));
            output.line_with_id(&action, &text::short_id(&thread.id), "")?;
            for line in code(thread) {
                output.styled(style::DIM, &line)?;
            }
        }
    }
    output.notes(notes)?;
    output.warnings(threads.iter().flat_map(|thread| &thread.diagnostics))
}

/// Says what makes the comment of a person deliverable, where agents are allowed to be started.
pub(super) fn print_delivery_hint(context: &mut CliContext<'_>, actor: &Actor) -> CliResult {
    if actor.agent || consent::allowed(&context.workspace).is_empty() {
        return Ok(());
    }
    context.output.note("`skein deliver` delivers it after `skein review submit`")
}

/// Returns the commented lines with their numbers, so that the user notices a wrong place.
fn code(thread: &WriteResult) -> Vec<String> {
    const MAX_CODE_LINES: usize = 3;
    let lines = thread.at.rsplit_once(':').map(|(_, lines)| lines);
    let first = lines.and_then(|lines| lines.split('-').next()?.parse().ok());
    let numbered = (first.unwrap_or(1u32)..).zip(&thread.code);
    let mut shown: Vec<String> = numbered
        .take(MAX_CODE_LINES)
        .map(|(number, line)| {
            format!("{number:>6}  {}", escape_control(line)).trim_end().to_owned()
        })
        .collect();
    if thread.code.len() > MAX_CODE_LINES {
        shown.push(format!("        {} more", thread.code.len() - MAX_CODE_LINES));
    }
    shown
}

/// Prints the threads that were written before an error.
pub(super) fn print_until(context: &mut CliContext<'_>, threads: &[WriteResult]) -> CliResult {
    match threads {
        [] => Ok(()),
        threads => print(context, threads, &[]).map(drop),
    }
}

fn action(thread: &WriteResult) -> &'static str {
    match thread.action {
        WriteAction::Added => "Added a comment on",
        WriteAction::Drafted => "Drafted a comment on",
        WriteAction::Submitted => "Submitted the comment on",
        WriteAction::Replied => "Replied on",
        WriteAction::Resolved => "Resolved",
        WriteAction::Proposed => "Proposed to resolve",
        WriteAction::Reopened => "Reopened",
        WriteAction::Edited => "Edited the comment on",
        WriteAction::Deleted => "Deleted",
        WriteAction::Restored => "Restored",
        WriteAction::Unchanged if thread.status == "resolved" => "Already resolved:",
        WriteAction::Unchanged => "Already open:",
    }
}
