//! `review_comment`: starts threads.

use serde::Deserialize;
use serde_json::{Map, Value};
use skein_model::Kind;
use skein_model::truncate::truncate_line;
use skein_model::view::WriteResult;
use skein_review::quote::inline;
use skein_review::{
    AddError, AddOptions, CodeLocation, LocationError, NewThread, add, changed_only,
};

use crate::call::{ToolCall, shown_id, with_data};
use crate::failure::{Failure, ToolResult};
use crate::params;

const MAX_CHARS: usize = 6_000;
const MAX_COMMENTS: usize = 50;
/// Maximum length of the shown start of a line of code.
const MAX_CODE_CHARS: usize = 60;
/// Maximum length of a shown place.
const MAX_PLACE_CHARS: usize = 100;
/// Maximum number of lines that a hint lists.
const MAX_LINES: usize = 10;
/// Room for the lines before and after those of the threads.
const FRAME_CHARS: usize = 200;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    comments: Vec<NewComment>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NewComment {
    path: String,
    #[serde(default, deserialize_with = "params::number")]
    line: Option<u32>,
    #[serde(default, deserialize_with = "params::number")]
    end_line: Option<u32>,
    expect: Option<String>,
    body: String,
    suggestion: Option<String>,
}

pub(super) fn run(call: &ToolCall, arguments: Map<String, Value>) -> ToolResult {
    let Params { comments } = params::read(arguments)?;
    params::count("comments", &comments, 1, MAX_COMMENTS)?;
    call.check_store()?;
    let mut threads = Vec::new();
    for (number, comment) in (1..).zip(comments) {
        let thread = new_thread(call, comment);
        threads.push(thread.map_err(|failure| {
            Failure::new(format!("comment {number}: {}", failure.line(Some(&call.workspace))))
        })?);
    }
    let guard = call.lock();
    let options = AddOptions { draft: false, changed_only: changed_only(&call.workspace) };
    let added = add(&call.workspace, &call.actor, &threads, options).map_err(failure)?;
    call.finish_write();
    drop(guard);
    Ok(with_data(&report(call, &added.threads), MAX_CHARS))
}

/// Returns a line for each thread; only the ids if the lines do not fit: one that is missing would look as if it was not added.
fn report(call: &ToolCall, added: &[WriteResult]) -> String {
    let short_ids = call.short_ids();
    let id = |written: &WriteResult| shown_id(&short_ids.of_file(Kind::Review, &written.id));
    let line = |written: &WriteResult| {
        let code = written.code.first().map(|line| truncate_line(line, MAX_CODE_CHARS));
        let code = code.map(|line| format!(": {}", inline(&line))).unwrap_or_default();
        let warning = written.diagnostics.first();
        let warning = warning.map(|warning| format!(". Warning: {}", warning.message));
        let (id, at) = (id(written), inline(&truncate_line(&written.at, MAX_PLACE_CHARS)));
        format!("added {id} {at}{code}{}\n", warning.unwrap_or_default())
    };
    let lines: String = added.iter().map(line).collect();
    if lines.chars().count() < MAX_CHARS - FRAME_CHARS {
        return lines;
    }
    let ids: Vec<_> = added.iter().map(id).collect();
    format!("added {} threads, in the order of the comments: {}\n", ids.len(), ids.join(", "))
}

fn new_thread(call: &ToolCall, comment: NewComment) -> Result<NewThread, Failure> {
    let NewComment { path, line, end_line, expect, body, suggestion } = comment;
    params::text("body", &body)?;
    params::text("suggestion", suggestion.as_deref().unwrap_or_default())?;
    let lines = match (line, end_line) {
        (None, None) => None,
        (None, Some(_)) => return Err(Failure::new("end_line needs line")),
        (Some(first), last) => Some((first, last.unwrap_or(first))),
    };
    if lines.is_some_and(|(first, last)| first == 0 || last < first) {
        return Err(Failure::new("lines are counted from 1, and end_line is not before line"));
    }
    if lines.is_some() && expect.as_ref().is_none_or(|text| text.trim().is_empty()) {
        return Err(Failure::new("a comment on a line needs expect")
            .hint("give a text that the first line contains, so that a wrong line is noticed"));
    }
    let path = params::workspace_path(&call.workspace, path.trim_start_matches("./"))?;
    let place = CodeLocation::below_root(&call.workspace, path.as_str(), lines).map_err(
        |error| match error {
            LocationError::Missing { .. } => {
                Failure::new(error.to_string()).hint("paths are relative to the root")
            }
            error => error.into(),
        },
    )?;
    Ok(NewThread { place, body, suggestion, expect })
}

fn failure(error: AddError) -> Failure {
    match error {
        AddError::Empty => Failure::new("the comment is empty").hint("give a body or a suggestion"),
        AddError::Unexpected { path, line, expected, found, mut lines } => {
            // A line of a generated file can be very long, and a text be in many lines.
            let expected = truncate_line(&expected, MAX_CODE_CHARS);
            let found = truncate_line(&found, MAX_CODE_CHARS);
            lines.truncate(MAX_LINES);
            AddError::Unexpected { path, line, expected, found, lines }.into()
        }
        AddError::Many { errors, all } => {
            let count = errors.len();
            let shown = errors
                .into_iter()
                .map(|(number, error)| format!("comment {number}: {}", failure(error).line(None)));
            let shown: Vec<_> = shown.collect();
            let message = format!("{count} of {all} comments cannot be added, so none was");
            Failure::new(format!("{message}: {}", shown.join("; ")))
        }
        error => error.into(),
    }
}
