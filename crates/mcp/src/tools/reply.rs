//! `review_reply`: answers threads.

use serde::Deserialize;
use serde_json::{Map, Value};
use skein_catalog::ShortIds;
use skein_format::review::Status;
use skein_model::truncate::truncate_line;
use skein_model::view::{WriteAction, WriteResult};
use skein_model::{Kind, Turn};
use skein_review::quote::inline;
use skein_review::{ReplyOptions, is_repeated, reply, set_status};

use crate::call::{ToolCall, shown_id};
use crate::failure::{Failure, ToolResult};
use crate::params;

const MAX_REPLIES: usize = 20;
/// Maximum length of the answer.
const MAX_CHARS: usize = 4_000;
/// Maximum length of a shown place.
const MAX_PLACE_CHARS: usize = 100;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    replies: Vec<Reply>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Reply {
    id: String,
    body: String,
    then: Option<ReplyAction>,
}

/// What becomes of the thread.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ReplyAction {
    Keep,
    Resolve,
    Reopen,
}

pub(super) fn run(call: &ToolCall, arguments: Map<String, Value>) -> ToolResult {
    let Params { replies } = params::read(arguments)?;
    params::count("replies", &replies, 1, MAX_REPLIES)?;
    let short_ids = call.short_ids();
    let guard = call.lock();
    let (mut lines, mut failures) = (Vec::new(), 0);
    for one in &replies {
        lines.push(match write(call, one, &short_ids) {
            Ok(line) => line,
            Err(failure) => {
                failures += 1;
                let id = shown_id(&truncate_line(&one.id, 40));
                format!("failed {id}: {}", failure.line(Some(&call.workspace)))
            }
        });
    }
    if failures < replies.len() {
        call.finish_write();
    }
    drop(guard);
    let max_line_chars = MAX_CHARS / lines.len() - 1;
    let lines: Vec<_> = lines.iter().map(|line| truncate_line(line, max_line_chars)).collect();
    let text = lines.join("\n");
    if failures == replies.len() { Err(Failure::new(text)) } else { Ok(text) }
}

fn write(call: &ToolCall, one: &Reply, short_ids: &ShortIds) -> ToolResult {
    let (workspace, actor) = (&call.workspace, &call.actor);
    params::text("body", &one.body)?;
    if one.body.trim().is_empty() {
        return Err(Failure::new("the reply is empty"));
    }
    let thread = call.find(&one.id)?;
    let then = one.then.unwrap_or(ReplyAction::Keep);
    let status = match then {
        ReplyAction::Keep => None,
        ReplyAction::Resolve => Some(Status::Resolved),
        ReplyAction::Reopen => Some(Status::Open),
    };
    let short = shown_id(&short_ids.of_file(Kind::Review, &thread.id()));
    if is_repeated(&workspace.env, actor, &thread, &one.body, status)? {
        return Ok(format!("unchanged {short}: the same reply is there already"));
    }
    let written = match then {
        ReplyAction::Reopen => {
            set_status(workspace, actor, &thread, Some(&one.body), Status::Open)?
        }
        ReplyAction::Keep | ReplyAction::Resolve => {
            let resolve = status.is_some();
            let options = ReplyOptions { resolve, ..ReplyOptions::default() };
            reply(workspace, actor, &thread, &one.body, options)?
        }
    };
    Ok(line(&short, &written))
}

fn line(short: &str, written: &WriteResult) -> String {
    let at = inline(&truncate_line(&written.at, MAX_PLACE_CHARS));
    let turn = match written.waiting_on {
        Some(Turn::Reviewer) => ", now waits on the reviewer",
        Some(Turn::Agent) => ", now waits on an agent",
        None => "",
    };
    let text = match written.action {
        WriteAction::Resolved => format!("resolved {short} {at}"),
        WriteAction::Reopened => format!("reopened {short} {at}{turn}"),
        WriteAction::Proposed => {
            format!("proposed {short} {at}: agents may not resolve here; the reviewer decides")
        }
        _ => format!("replied {short} {at}{turn}"),
    };
    let warning = written.diagnostics.first();
    let warning = warning.map(|warning| format!(". Warning: {}", warning.message));
    text + &warning.unwrap_or_default()
}
