//! Handles the events of a session.

use std::time::Duration;

use skein_checkpoints::agent_session;
use skein_model::normalize_path::lexical;

use super::call::{HookCall, HookError};
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
pub(super) fn start(scene: &HookCall) -> Option<HookReply> {
    let fresh = scene.session().is_some() && scene.known().is_none();
    let head = scene.head().map(|head| head.to_string());
    let remembered = scene.remember(|session| {
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
    scene.noted(remembered);
    scene.noted(agent_session::prune(&scene.workspace, &scene.env));
    brief(scene, scene.payload.source.as_deref() == Some("compact"))
}

fn brief(scene: &HookCall, whole: bool) -> Option<HookReply> {
    let checkpoints = &scene.workspace.checkpoints;
    if !scene.trusts(&checkpoints.root) {
        return None;
    }
    let text = match whole {
        true => Some(scene).filter(|_| checkpoints.exists).and_then(whole_brief),
        false => short_brief(scene),
    };
    text.filter(|text| !text.trim().is_empty()).map(HookReply::Context)
}

/// Says which work is open, and where else there is some that the store here does not have.
fn short_brief(scene: &HookCall) -> Option<String> {
    let elsewhere = work_elsewhere(scene);
    let room = elsewhere.as_ref().map_or(0, |line| line.chars().count() + 1);
    let limit = skein_summary::MAX_SHORT_BRIEF.saturating_sub(room);
    let session = scene.session();
    let here = Some(&scene.workspace).filter(|workspace| workspace.checkpoints.exists);
    let here = here.and_then(|workspace| {
        skein_summary::short_brief_within(workspace, &scene.env, session.as_deref(), limit)
    });
    let parts: Vec<String> = here.into_iter().chain(elsewhere).collect();
    (!parts.is_empty()).then(|| parts.join("\n"))
}

/// A conversation that was compacted goes on from its own last checkpoint; a handoff is from before it.
fn whole_brief(scene: &HookCall) -> Option<String> {
    let until = scene.began + scene.within(FULL_BRIEF_BUDGET);
    let session = scene.session();
    let brief = |id: Option<&str>| {
        let (workspace, env) = (&scene.workspace, &scene.env);
        skein_summary::brief_until(workspace, env, id, Some(until), session.as_deref()).ok()
    };
    let last = scene.known().and_then(|known| known.last_checkpoint);
    let own = last.and_then(|last| brief(Some(&last.id)));
    let mut brief = own.or_else(|| brief(None))?;
    // The session that is told need not be told how it goes on.
    if brief.agent.session_id == scene.session() {
        brief.agent.resume_command = None;
    }
    Some(brief.text(MAX_REPLY_LEN))
}

/// Remembers what the user said, and tells how many review threads wait, unless the agent was told the same before.
pub(super) fn prompted(scene: &HookCall) -> Option<HookReply> {
    match scene.payload.prompt.as_deref().and_then(prompt) {
        Some(prompt) => drop(scene.noted(said(scene, prompt))),
        // A program tells that something ended in the background, which may have been a commit.
        None => drop(scene.noted(commit::if_moved(scene))),
    }
    let waiting = waiting(scene);
    let now = waiting.as_ref().map(Waiting::fingerprint);
    if scene.known().and_then(|known| known.told) == now {
        return None;
    }
    scene.noted(scene.remember(|session| session.told.clone_from(&now)));
    let waiting = waiting?;
    let text = format!(
        "Skein: {} on the agent. `skein review next` shows the one that has waited longest.",
        waiting.count()
    );
    Some(HookReply::Context(text))
}

fn said(scene: &HookCall, prompt: String) -> Result<(), HookError> {
    let has_store = scene.has_store();
    // Where nothing is ever written about it, what the user says is not kept.
    if !has_store && !scene.workspace.settings.stop_gate() {
        return Ok(());
    }
    let now = scene.env.clock.now();
    let head = scene.head().map(|head| head.to_string());
    scene.remember(|session| {
        session.last_prompt = has_store.then_some(prompt);
        session.prompted_at = Some(now);
        session.refusals = 0;
        // What the user committed in between is not the agent's.
        session.head = head;
    })?;
    Ok(())
}

/// Remembers the files that the agent edited, for the next checkpoint of the session.
pub(super) fn edited(scene: &HookCall) -> Result<(), HookError> {
    let whole = |file: &String| lexical(&scene.env.dir.join(file));
    let mut files: Vec<_> = scene.payload.edited().iter().map(whole).collect();
    files.retain(|file| !is_ours(&scene.workspace, file));
    if files.is_empty() || !scene.has_store() {
        return Ok(());
    }
    scene.remember(|session| {
        for file in files.iter().map(|file| file.display().to_string()) {
            if session.edited.len() < MAX_EDITED && !session.edited.contains(&file) {
                session.edited.push(file);
            }
        }
    })?;
    Ok(())
}

/// Ends a turn: a commit that no hook saw is found, and the agent may be kept from stopping.
pub(super) fn stopped(scene: &HookCall) -> Result<Option<HookReply>, HookError> {
    if scene.has_store() {
        commit::if_moved(scene)?;
        let now = scene.env.clock.now();
        let prompt = scene.payload.prompt.as_deref().and_then(prompt);
        let head = scene.head().map(|head| head.to_string());
        scene.remember(|session| {
            session.worked_at = Some(now);
            session.head = session.head.take().or(head);
            if scene.moment == HookEvent::Turn && prompt.is_some() {
                session.last_prompt = prompt;
                session.prompted_at = Some(now);
            }
        })?;
    }
    gate(scene)
}

fn gate(scene: &HookCall) -> Result<Option<HookReply>, HookError> {
    let can_be_kept = scene.moment == HookEvent::Stop && scene.agent != HookCaller::OpenCode;
    let asked = can_be_kept && !scene.payload.is_kept && scene.workspace.settings.stop_gate();
    let Some(waiting) = Some(scene).filter(|_| asked).and_then(waiting) else {
        return Ok(None);
    };
    // An agent that does not say who it is cannot be counted, and must not be kept for ever.
    let mut refusals = MAX_REFUSALS + 1;
    scene.remember(|session| {
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
pub(super) fn compacted(scene: &HookCall) -> Option<HookReply> {
    scene.noted(trigger::compaction(scene));
    if scene.agent == HookCaller::OpenCode { brief(scene, true) } else { None }
}

/// Writes a checkpoint at the end of a session, and remembers the end.
pub(super) fn ended(scene: &HookCall) -> Result<(), HookError> {
    let written = commit::if_moved(scene).and_then(|()| trigger::end(scene));
    let now = scene.env.clock.now();
    if scene.known().is_some() {
        scene.remember(|session| session.ended_at = Some(now))?;
    }
    written
}
