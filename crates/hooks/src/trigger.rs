//! Checkpoints that are not about a commit.
//!
//! A generated file and a worker that ended give one only when the session has had none for five minutes. Before
//! a compaction one is written if something happened since the last, or if that is five minutes old: an agent may have
//! worked on without a word of the user. The end of a session gives one only if something happened since the last.
//! Something happened when the user said something, the agent ended a turn, or another commit is checked out; the turn
//! that a checkpoint was written in counts at the end only after five minutes, since that checkpoint tells of it.

use std::time::Duration;

use skein_checkpoints::AutoCheckpoint;
use skein_checkpoints::agent_session::AgentSession;
use skein_format::time::Time;

use super::call::{HookCall, HookError, HookResult};
use super::generated;
use super::own::is_ours;
use super::summary::{cut, summary};
use super::write;

const DEBOUNCE: i64 = 300 * 1000;
const SAME_MOMENT: i64 = 10 * 1000;
const TITLE: usize = 60;
/// How long git may take to name the changed files, at moments that come once in a while.
const CHANGES_TIMEOUT: Duration = Duration::from_millis(250);

/// Which rule says whether a checkpoint is due.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    Debounced,
    Compaction,
    End,
}

/// What set a checkpoint off.
struct Cause {
    trigger: &'static str,
    rule: Rule,
    title: Option<String>,
    /// The first line of the summary.
    lead: String,
}

/// Writes a checkpoint if the tool made a file in one of the folders that are set.
pub(super) fn generated(call: &HookCall) -> HookResult {
    let made = call.payload.made();
    let made: Vec<_> =
        made.iter().filter_map(|file| generated::found(&call.workspace, &call.env, file)).collect();
    let Some(first) = made.iter().find(|file| !is_ours(&call.workspace, &file.whole)) else {
        return Ok(());
    };
    let title = Some(format!("wrote {}", first.name));
    let lead = format!("Wrote {}", first.name);
    let files = made.iter().map(|file| file.whole.display().to_string()).collect();
    let cause = Cause { trigger: "file-generation", rule: Rule::Debounced, title, lead };
    write(call, cause, files)
}

/// Writes a checkpoint because a worker has ended.
pub(super) fn worker(call: &HookCall) -> HookResult {
    let named = call.payload.input.worker.as_ref().or(call.payload.worker.as_ref());
    let name = named.map(String::as_str).filter(|name| !name.trim().is_empty());
    let name = cut(name.unwrap_or("worker"), TITLE);
    let (title, lead) = (Some(format!("{name} ended")), format!("The worker {name} ended"));
    let cause = Cause { trigger: "worker-skill", rule: Rule::Debounced, title, lead };
    write(call, cause, Vec::new())
}

/// Writes a checkpoint before the conversation is compacted.
pub(super) fn compaction(call: &HookCall) -> HookResult {
    let (title, lead) = (last_words(call), "The conversation is about to be compacted".to_owned());
    let cause = Cause { trigger: "pre-compact", rule: Rule::Compaction, title, lead };
    write(call, cause, Vec::new())
}

/// Writes a checkpoint because the session ends.
pub(super) fn end(call: &HookCall) -> HookResult {
    let (title, lead) = (last_words(call), "The session ended".to_owned());
    let cause = Cause { trigger: "session-end", rule: Rule::End, title, lead };
    write(call, cause, Vec::new())
}

/// A session is best known by what the user wanted last.
fn last_words(call: &HookCall) -> Option<String> {
    let prompt = call.known()?.last_prompt?;
    let line = prompt.lines().find(|line| !line.trim().is_empty())?;
    Some(cut(line.trim(), TITLE))
}

fn write(call: &HookCall, cause: Cause, files: Vec<String>) -> HookResult {
    if !call.has_store() {
        return Ok(());
    }
    if call.session().is_none() {
        return Err(HookError::NoSession);
    }
    let head = call.head();
    let Some(known) = claim(call, cause.rule, head.as_ref().map(|head| head.as_str()))? else {
        return Ok(());
    };
    let is_rare = cause.rule != Rule::Debounced;
    let auto = AutoCheckpoint {
        trigger: cause.trigger.to_owned(),
        title: cause.title,
        summary: summary(call, &cause.lead, Some(&known)),
        files: [files, known.edited].concat(),
        with_changes: is_rare,
        deadline: Some(if is_rare { call.within(CHANGES_TIMEOUT) } else { call.left() }),
        ..write::auto(call)
    };
    write::write(call, &auto, head.as_ref())
}

/// Takes the right to write a checkpoint now; of two hooks at the same time one gets it.
fn claim(call: &HookCall, rule: Rule, head: Option<&str>) -> HookResult<Option<AgentSession>> {
    let is_known = call.known().is_some();
    let now = call.env.clock.now();
    let mut due = false;
    let session = call.remember(|session| {
        let rested = has_rested(session, now);
        let is_first = !is_known && session.claimed_at.is_none();
        due = match rule {
            Rule::Debounced => rested,
            Rule::Compaction => rested || has_worked(session) || has_moved(session, head, now),
            Rule::End => {
                let worked = rested && has_worked(session);
                is_first || worked || has_asked(session) || has_moved(session, head, now)
            }
        };
        if due {
            session.claimed_at = Some(now);
        }
    })?;
    Ok(session.filter(|_| due))
}

/// Returns when a checkpoint was last written, or is being written by another hook.
fn last(session: &AgentSession) -> Option<Time> {
    session.last_checkpoint.as_ref().and_then(|last| last.at).max(session.claimed_at)
}

fn is_within(span: i64, since: Option<Time>, now: Time) -> bool {
    since.is_some_and(|since| now.as_millis().saturating_sub(since.as_millis()) < span)
}

fn has_rested(session: &AgentSession, now: Time) -> bool {
    !is_within(DEBOUNCE, last(session), now)
}

fn has_asked(session: &AgentSession) -> bool {
    session.prompted_at > last(session)
}

fn has_worked(session: &AgentSession) -> bool {
    session.worked_at.max(session.prompted_at) > last(session)
}

/// A hook that claimed the same moment has seen the same commit, and may not have remembered it yet.
fn has_moved(session: &AgentSession, head: Option<&str>, now: Time) -> bool {
    let last = session.last_checkpoint.as_ref();
    let known = last.map_or(session.initial_commit.as_deref(), |last| last.commit.as_deref());
    head != known && !is_within(SAME_MOMENT, session.claimed_at, now)
}
