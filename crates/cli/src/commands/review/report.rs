//! Prints threads that were changed.

use serde_json::json;
use skein_catalog::placed::place_written;
use skein_model::sanitize::{escape_control, one_line};
use skein_model::view::WriteResult;

use super::CommandContext;
use crate::error::CliResult;
use crate::render::{style, text};

/// Prints threads that were changed, with notes and warnings.
pub(super) fn print(
    context: &mut CommandContext<'_>,
    threads: &[WriteResult],
    notes: &[String],
) -> CliResult {
    let mut threads = threads.to_vec();
    place_written(&context.workspace, &context.env, &mut threads);
    let threads = threads.as_slice();
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

/// Returns the lines that a comment was added on, with their numbers, so that a wrong place is seen at once.
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

/// Prints the threads that were written before something failed.
pub(super) fn print_until(context: &mut CommandContext<'_>, threads: &[WriteResult]) -> CliResult {
    match threads {
        [] => Ok(()),
        threads => print(context, threads, &[]).map(drop),
    }
}

fn action(thread: &WriteResult) -> &'static str {
    match thread.action {
        "added" => "Added a comment on",
        "drafted" => "Drafted a comment on",
        "submitted" => "Submitted the comment on",
        "replied" => "Replied on",
        "resolved" => "Resolved",
        "proposed" => "Proposed to resolve",
        "reopened" => "Reopened",
        "edited" => "Edited the comment on",
        "deleted" => "Deleted",
        "restored" => "Restored",
        "unchanged" if thread.status == "resolved" => "Already resolved:",
        "unchanged" => "Already open:",
        _ => "Wrote",
    }
}
