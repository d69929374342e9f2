//! Says what became of threads.

use serde::Serialize;
use skein_catalog::placed::place_written;
use skein_model::view::WriteResult;

use crate::commands::Context;
use crate::error::CliError;
use crate::render::style;
use crate::terminal::{escape_control, one_line};

#[derive(Serialize)]
struct Document<'a> {
    threads: &'a [WriteResult],
}

/// Prints threads that were written, and what is odd about them.
pub(super) fn print(
    context: &mut Context<'_>,
    threads: &[WriteResult],
    notes: &[String],
) -> Result<u8, CliError> {
    let mut threads = threads.to_vec();
    place_written(&context.workspace, &context.env, &mut threads);
    let threads = threads.as_slice();
    let output = &mut context.output;
    if output.json {
        output.document(&Document { threads })?;
    } else {
        for thread in threads {
            let id = output.paint(style::HANDLE, &short(&thread.id));
            output.line(&format!("{} {}  {id}", words(thread), one_line(&thread.at)))?;
            for line in code(thread) {
                let line = output.paint(style::DIM, &line);
                output.line(&line)?;
            }
        }
    }
    for note in notes {
        output.note(note)?;
    }
    for diag in threads.iter().flat_map(|thread| &thread.diagnostics) {
        output.note(&format!("Warning: {} [{}]", diag.message, diag.code))?;
    }
    Ok(crate::EXIT_OK)
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
pub(super) fn print_until(
    context: &mut Context<'_>,
    threads: &[WriteResult],
) -> Result<(), CliError> {
    match threads {
        [] => Ok(()),
        threads => print(context, threads, &[]).map(drop),
    }
}

fn words(thread: &WriteResult) -> &'static str {
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
        "unchanged" if thread.status == "resolved" => "Was resolved already:",
        "unchanged" => "Was open already:",
        _ => "Wrote",
    }
}

/// Returns as much of an id as a person needs; a random one is known by its first part.
pub(crate) fn short(id: &str) -> String {
    let first = id.split('-').next().unwrap_or(id);
    let random = id.len() == 36 && first.len() == 8 && first.bytes().all(|b| b.is_ascii_hexdigit());
    one_line(if random { first } else { id })
}
