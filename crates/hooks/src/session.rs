//! Handles the events of a session.

use std::time::Duration;

use skein_checkpoints::agent_session;
use skein_model::normalize_path::lexical;

use super::call::{HookCall, HookResult};
use super::elsewhere::work_elsewhere;
use super::hook_event::{HookCaller, HookEvent};
use super::own::is_ours;
use super::reply::{HookReply, MAX_REPLY_LEN};
use super::summary::prompt;
use super::waiting::{Waiting, waiting};
use super::{commit, trigger};

/// How often an agent is kept from stopping before it is let go.
const MAX_REFUSALS: u32 = 2;
/// How many threads are named to an agent that is kept from stopping.
const MAX_NAMED: usize = 5;
/// Maximum number of edited files that are remembered.
const MAX_EDITED: usize = 200;
/// How long a hook may have taken when it stops to find out more for the whole brief.
const FULL_BRIEF_BUDGET: Duration = Duration::from_millis(40);

/// Remembers where a session begins, and tells what was done before it.
pub(super) fn on_start(call: &HookCall) -> Option<HookReply> {
    let fresh = call.session().is_some() && call.known().is_none();
    let head = call.head().map(|head| head.to_string());
    let remembered = call.remember(|session| {
        // A resumed session keeps its first commit.
        if fresh {
            session.initial_commit.clone_from(&head);
        }
        session.head = head;
        session.ended_at = None;
        // Whatever the agent was told is not in the conversation that begins.
        session.told = None;
    });
    // What cannot be remembered does not keep the session from being told.
    call.log_error(remembered);
    call.log_error(agent_session::prune(&call.workspace, &call.env));
    brief(call, call.payload.source.as_deref() == Some("compact"))
}

fn brief(call: &HookCall, whole: bool) -> Option<HookReply> {
    let checkpoints = &call.workspace.checkpoints;
    if !call.trusts(&checkpoints.root) {
        return None;
    }
    let text = match whole {
        true => Some(call).filter(|_| checkpoints.exists).and_then(whole_brief),
        false => short_brief(call),
    };
    text.filter(|text| !text.trim().is_empty()).map(HookReply::Context)
}

/// Says which work is open, and where else there is some that the store here does not have.
fn short_brief(call: &HookCall) -> Option<String> {
    let elsewhere = work_elsewhere(call);
    let room = elsewhere.as_ref().map_or(0, |line| line.chars().count() + 1);
    let limit = skein_summary::MAX_SHORT_BRIEF.saturating_sub(room);
    let session = call.session();
    let here = Some(&call.workspace).filter(|workspace| workspace.checkpoints.exists);
    let here = here.and_then(|workspace| {
        skein_summary::short_brief(workspace, &call.env, session.as_deref(), limit)
    });
    let parts: Vec<String> = here.into_iter().chain(elsewhere).collect();
    (!parts.is_empty()).then(|| parts.join("\n"))
}

/// A conversation that was compacted goes on from its own last checkpoint; a handoff is from before it.
fn whole_brief(call: &HookCall) -> Option<String> {
    let until = call.began + call.within(FULL_BRIEF_BUDGET);
    let session = call.session();
    let brief = |id: Option<&str>| {
        let (workspace, env) = (&call.workspace, &call.env);
        skein_summary::brief_until(workspace, env, id, Some(until), session.as_deref()).ok()
    };
    let last = call.known().and_then(|known| known.last_checkpoint);
    let own = last.and_then(|last| brief(Some(&last.id)));
    let mut brief = own.or_else(|| brief(None))?;
    // The session that is told need not be told how it goes on.
    if brief.agent.session_id == call.session() {
        brief.agent.resume_command = None;
    }
    Some(brief.text(MAX_REPLY_LEN))
}

/// Remembers what the user said, and tells how many review threads wait, unless the agent was told the same before.
pub(super) fn on_prompt(call: &HookCall) -> Option<HookReply> {
    match call.payload.prompt.as_deref().and_then(prompt) {
        Some(prompt) => drop(call.log_error(record_prompt(call, prompt))),
        // A program tells that something ended in the background, which may have been a commit.
        None => drop(call.log_error(commit::if_moved(call))),
    }
    let waiting = waiting(call);
    let now = waiting.as_ref().map(Waiting::fingerprint);
    if call.known().and_then(|known| known.told) == now {
        return None;
    }
    call.log_error(call.remember(|session| session.told.clone_from(&now)));
    let waiting = waiting?;
    let text = format!(
        "Skein: {} on the agent. `skein review next` shows the one that has waited longest.",
        waiting.count()
    );
    Some(HookReply::Context(text))
}

fn record_prompt(call: &HookCall, prompt: String) -> HookResult {
    let has_store = call.has_store();
    // Where nothing is ever written about it, what the user says is not kept.
    if !has_store && !call.workspace.settings.stop_gate() {
        return Ok(());
    }
    let now = call.env.clock.now();
    let head = call.head().map(|head| head.to_string());
    call.remember(|session| {
        session.last_prompt = has_store.then_some(prompt);
        session.prompted_at = Some(now);
        session.refusals = 0;
        // What the user committed in between is not the agent's.
        session.head = head;
    })?;
    Ok(())
}

/// Remembers the files that the agent edited, for the next checkpoint of the session.
pub(super) fn on_edit(call: &HookCall) -> HookResult {
    let whole = |file: &String| lexical(&call.env.dir.join(file));
    let mut files: Vec<_> = call.payload.edited().iter().map(whole).collect();
    files.retain(|file| !is_ours(&call.workspace, file));
    if files.is_empty() || !call.has_store() {
        return Ok(());
    }
    call.remember(|session| {
        for file in files.iter().map(|file| file.display().to_string()) {
            if session.edited.len() < MAX_EDITED && !session.edited.contains(&file) {
                session.edited.push(file);
            }
        }
    })?;
    Ok(())
}

/// Ends a turn: a commit that no hook saw is found, and the agent may be kept from stopping.
pub(super) fn on_stop(call: &HookCall) -> HookResult<Option<HookReply>> {
    if call.has_store() {
        commit::if_moved(call)?;
        let now = call.env.clock.now();
        let prompt = call.payload.prompt.as_deref().and_then(prompt);
        let head = call.head().map(|head| head.to_string());
        call.remember(|session| {
            session.worked_at = Some(now);
            session.head = session.head.take().or(head);
            if call.event == HookEvent::Turn && prompt.is_some() {
                session.last_prompt = prompt;
                session.prompted_at = Some(now);
            }
        })?;
    }
    gate(call)
}

fn gate(call: &HookCall) -> HookResult<Option<HookReply>> {
    let can_be_kept = call.event == HookEvent::Stop && call.agent != HookCaller::OpenCode;
    let asked = can_be_kept && !call.payload.is_kept && call.workspace.settings.stop_gate();
    let Some(waiting) = Some(call).filter(|_| asked).and_then(waiting) else {
        return Ok(None);
    };
    // An agent that does not say who it is cannot be counted, and must not be kept for ever.
    let mut refusals = MAX_REFUSALS + 1;
    call.remember(|session| {
        session.refusals = session.refusals.saturating_add(1);
        refusals = session.refusals;
    })?;
    let names: Vec<&str> = waiting.threads.iter().take(MAX_NAMED).map(String::as_str).collect();
    let more = if waiting.threads.len() > MAX_NAMED { ", …" } else { "" };
    let text = format!(
        "{} on the agent: {}{more}. `skein review next` shows the one that has waited longest.",
        waiting.count(),
        names.join(", ")
    );
    Ok((refusals <= MAX_REFUSALS).then_some(HookReply::Block(text)))
}

/// Writes a checkpoint before a compaction; an agent that can be told something for it gets the brief.
pub(super) fn on_compaction(call: &HookCall) -> Option<HookReply> {
    call.log_error(trigger::compaction(call));
    if call.agent == HookCaller::OpenCode { brief(call, true) } else { None }
}

/// Writes a checkpoint at the end of a session, and remembers the end.
pub(super) fn on_end(call: &HookCall) -> HookResult {
    let written = commit::if_moved(call).and_then(|()| trigger::end(call));
    let now = call.env.clock.now();
    if call.known().is_some() {
        call.remember(|session| session.ended_at = Some(now))?;
    }
    written
}
