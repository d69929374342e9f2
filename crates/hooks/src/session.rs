//! Handles the events of a session.

use std::path::Path;
use std::time::Instant;

use skein_checkpoints::agent_session;
use skein_model::normalize_path::lexical;
use skein_workspace::env::canonical;

use super::call::{HookCall, HookResult};
use super::elsewhere::work_elsewhere;
use super::hook_event::{HookCaller, HookEvent};
use super::own::is_thread_path;
use super::reply::{HookReply, MAX_REPLY_LEN};
use super::summary::{REASON_END, prompt};
use super::waiting::{Waiting, waiting};
use super::{commit, finish, trigger};

/// Maximum number of times that an agent is prevented from stopping.
const MAX_REFUSALS: u32 = 2;
/// Maximum number of threads that are listed in the reason for not stopping.
const MAX_NAMED: usize = 5;
/// Maximum number of recorded files.
const MAX_EDITED: usize = 200;
/// Maximum size of a file whose content is recorded.
const MAX_CONTENT: u64 = 1024 * 1024;

/// Records the start of a session, and replies with the brief.
pub(super) fn on_start(call: &HookCall) -> Option<HookReply> {
    let fresh = call.session().is_some() && call.record().is_none();
    let head = call.head().map(|head| head.to_string());
    let recorded = call.update_record(|session| {
        // A resumed session keeps its first commit.
        if fresh {
            session.initial_commit.clone_from(&head);
        }
        if session.dir.is_none() {
            session.dir = canonical(&call.workspace.env.dir).to_str().map(str::to_owned);
        }
        session.head = head;
        session.ended_at = None;
        // The new conversation does not contain earlier replies.
        session.reported = None;
        (session.cut_brief, session.late_brief) = (None, None);
    });
    // The brief is sent even if the record cannot be written.
    call.log_error(recorded);
    call.log_error(agent_session::prune(&call.workspace));
    brief(call, call.payload.source.as_deref() == Some("compact"))
}

fn brief(call: &HookCall, is_full: bool) -> Option<HookReply> {
    let checkpoints = &call.workspace.checkpoints;
    if !call.trusts(&checkpoints.root) {
        return None;
    }
    let text = match is_full {
        true => Some(call).filter(|_| checkpoints.exists).and_then(full_brief),
        false => short_brief(call),
    };
    text.filter(|text| !text.trim().is_empty()).map(HookReply::Context)
}

/// Returns the open work here, and a line about work in other worktrees.
fn short_brief(call: &HookCall) -> Option<String> {
    let elsewhere = work_elsewhere(call);
    let room = elsewhere.as_ref().map_or(0, |line| line.chars().count() + 1);
    let limit = skein_summary::MAX_SHORT_BRIEF.saturating_sub(room);
    let session = call.session();
    let here = Some(&call.workspace).filter(|workspace| workspace.checkpoints.exists);
    let here =
        here.and_then(|workspace| skein_summary::short_brief(workspace, session.as_deref(), limit));
    let parts: Vec<String> = here.into_iter().chain(elsewhere).collect();
    (!parts.is_empty()).then(|| parts.join("\n"))
}

/// Returns the full brief. A compacted conversation continues from its own last checkpoint, not from an older handoff.
fn full_brief(call: &HookCall) -> Option<String> {
    let until = Instant::now() + call.time_left();
    let session = call.session();
    let brief = |id: Option<&str>| {
        let workspace = &call.workspace;
        skein_summary::brief_until(workspace, id, Some(until), session.as_deref()).ok()
    };
    let last = call.record().and_then(|known| known.last_checkpoint);
    let own = last.and_then(|last| brief(Some(&last.id)));
    let mut brief = own.or_else(|| brief(None))?;
    // The session itself does not need the command that resumes it.
    if brief.agent.session_id == call.session() {
        brief.agent.resume_command = None;
    }
    if brief.is_cut {
        let rest = "what is missing comes with one of the next prompts";
        brief.notes.push(format!("{rest}; `skein resume {}` shows it at once", brief.id));
        call.log_error(call.update_record(|session| session.cut_brief = Some(brief.id.clone())));
    }
    Some(brief.text(MAX_REPLY_LEN))
}

/// Returns a brief that was incomplete when the agent got it, and is complete by now; only once.
fn late_brief(call: &HookCall) -> Option<String> {
    call.record()?.late_brief.as_ref()?;
    let mut late = None;
    call.log_error(call.update_record(|session| late = session.late_brief.take()));
    if !call.trusts(&call.workspace.checkpoints.root) {
        return None;
    }
    Some(format!("{}{}", finish::NOTE, late?))
}

/// Records the prompt, and replies with a brief that has become complete, or with the number of waiting review threads.
pub(super) fn on_prompt(call: &HookCall) -> Option<HookReply> {
    match call.payload.prompt.as_deref().and_then(prompt) {
        Some(prompt) => drop(call.log_error(record_prompt(call, prompt))),
        // A notification about the end of a background task, which may have made a commit.
        None => drop(call.log_error(commit::if_moved(call))),
    }
    // A brief has the length of a whole answer; the threads are then reported with the next prompt.
    let text = late_brief(call).or_else(|| waiting_threads(call));
    text.map(HookReply::Context)
}

/// Returns the number of waiting review threads, if they have changed since the last reply.
fn waiting_threads(call: &HookCall) -> Option<String> {
    // The prompt of a delivery contains its threads.
    if call.is_delivered() {
        return None;
    }
    let waiting = waiting(call);
    let now = waiting.as_ref().map(Waiting::fingerprint);
    if call.record().and_then(|known| known.reported) == now {
        return None;
    }
    call.log_error(call.update_record(|session| session.reported.clone_from(&now)));
    let count = waiting?.count();
    Some(format!(
        "Skein: {count} on the agent. `skein review next` shows the one that has waited longest."
    ))
}

fn record_prompt(call: &HookCall, prompt: String) -> HookResult {
    let has_store = call.has_store();
    let now = call.workspace.env.clock.now();
    let head = call.head().map(|head| head.to_string());
    call.update_record(|session| {
        // The text is recorded only if it is used.
        session.last_prompt = has_store.then_some(prompt);
        session.prompted_at = Some(now);
        session.refusals = 0;
        // A commit that the user made since is not attributed to the agent.
        session.head = head;
    })?;
    Ok(())
}

/// Records the files that the agent edited, as it left them, and for the next checkpoint of the session.
pub(super) fn on_edit(call: &HookCall) -> HookResult {
    let absolute = |file: &String| lexical(&call.workspace.env.dir.join(file));
    let mut files: Vec<_> = call.payload.edited().iter().map(absolute).collect();
    files.retain(|file| !is_thread_path(&call.workspace, file));
    if files.is_empty() {
        return Ok(());
    }
    let has_store = call.has_store();
    let now = call.workspace.env.clock.now();
    call.update_record(|session| {
        let known = files.iter().filter_map(|file| {
            let file = canonical(file.parent()?).join(file.file_name()?);
            Some((file.to_str()?.to_owned(), content(&file)))
        });
        session.add_files(known, now);
        for file in files.iter().filter(|_| has_store).map(|file| file.display().to_string()) {
            if session.edited.len() < MAX_EDITED && !session.edited.contains(&file) {
                session.edited.push(file);
            }
        }
    })?;
    Ok(())
}

/// Returns the content of a file; none if it is missing or large.
fn content(file: &Path) -> Option<String> {
    let is_small = file.metadata().is_ok_and(|meta| meta.is_file() && meta.len() <= MAX_CONTENT);
    let snapshot = is_small.then(|| skein_store::read(file).ok()).flatten()?;
    Some(snapshot.revision.to_string())
}

/// Ends a turn: finds a commit that no hook reported, and may prevent the agent from stopping.
pub(super) fn on_stop(call: &HookCall) -> HookResult<Option<HookReply>> {
    commit::if_moved(call)?;
    let now = call.workspace.env.clock.now();
    let prompt = call.payload.prompt.as_deref().and_then(prompt);
    let head = call.head().map(|head| head.to_string());
    let has_store = call.has_store();
    call.update_record(|session| {
        session.worked_at = Some(now);
        session.head = session.head.take().or(head);
        // A command of this turn may have changed the files after the agent edited them.
        for (file, edited) in &mut session.files {
            if edited.at >= session.prompted_at {
                edited.revision = content(Path::new(file));
            }
        }
        if call.event == HookEvent::Turn && prompt.is_some() {
            session.last_prompt = prompt.filter(|_| has_store);
            session.prompted_at = Some(now);
        }
    })?;
    gate(call)
}

fn gate(call: &HookCall) -> HookResult<Option<HookReply>> {
    let can_be_kept = call.event == HookEvent::Stop && call.agent != HookCaller::OpenCode;
    let asked = can_be_kept && !call.payload.may_stop && call.workspace.settings.stop_gate();
    let Some(waiting) = Some(call).filter(|_| asked).and_then(waiting) else {
        return Ok(None);
    };
    // Without a session, refusals are not counted, and the agent must not be blocked forever.
    let mut refusals = MAX_REFUSALS + 1;
    call.update_record(|session| {
        session.refusals = session.refusals.saturating_add(1);
        refusals = session.refusals;
    })?;
    let names: Vec<&str> = waiting.threads.iter().take(MAX_NAMED).map(String::as_str).collect();
    let more = if waiting.threads.len() > MAX_NAMED { ", …" } else { "" };
    let text = format!("{} on the agent: {}{more}{REASON_END}", waiting.count(), names.join(", "));
    Ok((refusals <= MAX_REFUSALS).then_some(HookReply::Block(text)))
}

/// Writes a checkpoint before a compaction; replies with the brief if the agent accepts it.
pub(super) fn on_compaction(call: &HookCall) -> Option<HookReply> {
    call.log_error(trigger::compaction(call));
    if call.agent == HookCaller::OpenCode { brief(call, true) } else { None }
}

/// Writes a checkpoint at the end of a session, and records the end.
pub(super) fn on_end(call: &HookCall) -> HookResult {
    // Cursor also reports the end of conversations in which nothing was asked.
    if call.agent == HookCaller::Cursor && call.record().is_none() {
        return Ok(());
    }
    let written = commit::if_moved(call).and_then(|()| trigger::end(call));
    let now = call.workspace.env.clock.now();
    if call.record().is_some() {
        call.update_record(|session| session.ended_at = Some(now))?;
    }
    written
}
