//! `review_next`: claims the next thread, and waits for one.

use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Map, Value};
use skein_model::{Filter, Kind, Turn};
use skein_review::quote::inline;
use skein_review::{
    NextOptions, NextResult, Released, WaitOptions, next, release, thread_text, wait,
};
use skein_workspace::discover;

use super::threads::state;
use crate::call::{ToolCall, shown_id, with_data};
use crate::failure::{Failure, ToolResult};
use crate::params;

const MAX_CHARS: usize = 8_000;
/// How long a thread belongs to the agent that got it.
const LEASE: Duration = Duration::from_secs(30 * 60);
/// Maximum time that can be asked for.
const MAX_WAIT_SECONDS: u32 = 600;
/// A shorter wait is made this long: models ask for one second, again and again.
const MIN_WAIT: Duration = Duration::from_secs(5);
/// Time without a comment after which a reviewer who does not submit has finished.
const SETTLE: Duration = Duration::from_secs(20);

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Params {
    #[serde(deserialize_with = "params::number")]
    wait_seconds: Option<u32>,
    path: Option<String>,
    release: Option<String>,
}

pub(super) fn run(call: &ToolCall, arguments: Map<String, Value>) -> ToolResult {
    let params: Params = params::read(arguments)?;
    let filter = params::path_filter(&call.workspace, params.path.as_deref())?;
    if let Some(id) = &params.release {
        return give_back(call, id, &filter);
    }
    let seconds = params.wait_seconds.unwrap_or(0);
    if seconds > MAX_WAIT_SECONDS {
        let message = format!("wait_seconds is {seconds}, and can be 0 to {MAX_WAIT_SECONDS}");
        return Err(Failure::new(message));
    }
    let wanted = Duration::from_secs(seconds.into());
    let wanted = if wanted.is_zero() { wanted } else { wanted.max(MIN_WAIT).min(call.max_wait) };
    wait_for_next(call, &filter, wanted)
}

/// Returns the next thread. If none waits, waits for one.
fn wait_for_next(call: &ToolCall, filter: &Filter, wanted: Duration) -> ToolResult {
    let begun = Instant::now();
    loop {
        let result = next_thread(call, filter)?;
        let left = wanted.saturating_sub(begun.elapsed());
        if let Some(thread) = result.thread.as_ref().filter(|_| result.claim.is_some()) {
            call.add_claim(&thread.row.id);
        }
        if result.thread.is_some() || left.is_zero() || call.cancel.is_cancelled() {
            return Ok(text(call, &result, wanted));
        }
        let options = WaitOptions {
            whom: Turn::Agent,
            timeout: left,
            settle: SETTLE,
            token: Some(call.token.clone()),
            filter: Filter { kind: Some(Kind::Review), ..filter.clone() },
            cancel: call.cancel.clone(),
        };
        // Another agent can be faster with what came.
        drop(wait(&call.workspace.env, &options, &mut || {}));
        if call.cancel.is_cancelled() {
            // The answer reaches no client, so nothing may be claimed.
            return Ok("The wait was cancelled.".to_owned());
        }
    }
}

fn next_thread(call: &ToolCall, filter: &Filter) -> Result<NextResult, Failure> {
    let options = NextOptions {
        lease: (!call.read_only).then_some(LEASE),
        token: Some(call.token.clone()),
        include_claimed: false,
    };
    // A store can have been created during the wait.
    let workspace = discover(&call.workspace.env);
    if !workspace.reviews.exists {
        return Ok(NextResult { thread: None, claim: None, waiting: 0, claimed: 0 });
    }
    Ok(next(&workspace, &call.actor, filter, &options)?)
}

fn text(call: &ToolCall, result: &NextResult, waited: Duration) -> String {
    let NextResult { thread, claim, waiting, claimed } = result;
    let Some(view) = thread else {
        return match (waited.as_secs(), *claimed) {
            (0, 0) => "Nothing waits.".to_owned(),
            (0, claimed) => format!("Nothing waits for you; claimed by other agents: {claimed}."),
            (seconds, _) => format!("Timed out after {seconds} s; call again."),
        };
    };
    let now = call.workspace.env.clock.now().as_millis();
    let claim = claim.as_ref().filter(|_| !call.read_only);
    let minutes = claim.map(|claim| claim.until.as_millis().saturating_sub(now) / 60_000);
    let until = minutes.map(|minutes| format!("; claimed by you for {minutes} minutes"));
    let more = match waiting.saturating_sub(1 + claimed) {
        0 => String::new(),
        1 => "; 1 more waits".to_owned(),
        more => format!("; {more} more wait"),
    };
    let mut row = view.row.clone();
    if let skein_model::view::RowDetail::Review(detail) = &mut row.detail {
        detail.claim = None;
    }
    let state = format!("{}{}{more}", state(&row), until.unwrap_or_default());
    let id = shown_id(&call.short_ids().short_id(&view.row));
    with_data(&thread_text(view, &id, &state, MAX_CHARS - 200), MAX_CHARS)
}

/// Gives a thread back without an answer.
fn give_back(call: &ToolCall, id: &str, filter: &Filter) -> ToolResult {
    if call.read_only {
        return Err(Failure::new("this server is read-only, and claims nothing"));
    }
    let workspace = &call.workspace;
    let thread = call.find(id)?;
    let short = shown_id(&call.short_ids().of_file(Kind::Review, &thread.id()));
    match release(workspace, &thread, Some(&call.token), false)? {
        Released::Yes => {}
        Released::NotClaimed => return Ok(format!("{short} was not claimed.")),
        Released::OfAnother { by } => {
            return Err(Failure::new(format!("{short} is claimed by {}", inline(&by))));
        }
    }
    let waiting = NextOptions { lease: None, token: None, include_claimed: true };
    let waiting = next(workspace, &call.actor, filter, &waiting)?.waiting;
    Ok(format!("Released {short}; {waiting} waiting."))
}
